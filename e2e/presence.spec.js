// Colleagues see who looks at a request and who is on it; nobody is hindered by that.
import { test, expect, actions, signIn, password } from "./server.js";
import { looksRight } from "./looks.js";

const colleague = async (browser, server, email) => {
  server.createPerson("acme", email, password, "operator");
  const page = await (await browser.newContext()).newPage();
  await signIn(page, server, email);
  return page;
};

test("two people see each other, claim, take over, and decide all the same", async ({ operator: page, acme, server, browser }) => {
  const asked = await acme.agent.submit(actions.medium);
  const ben = await colleague(browser, server, "ben@acme.test");
  const address = `${server.url}/t/acme/approvals/${asked.id}`;

  await page.goto(`${server.url}/t/acme/queue`);
  await ben.goto(address);
  await expect(page.locator(`#approval-${asked.id}`).getByRole("img", { name: /is viewing/ })).toBeVisible({ timeout: 10_000 });
  await page.goto(address);
  await expect(page.locator(".people li")).toHaveCount(2);
  await expect(ben.locator(".people li")).toHaveCount(2, { timeout: 10_000 });

  await page.getByRole("button", { name: "Claim" }).click();
  await expect(page.getByText("Claimed by you", { exact: true })).toBeVisible();
  await expect(ben.getByRole("button", { name: /^Take over from / })).toBeVisible({ timeout: 10_000 });
  for (const one of [page, ben]) await looksRight(one, "two people look");

  await ben.getByRole("button", { name: /^Take over from / }).click();
  await expect(ben.getByText("Claimed by you", { exact: true })).toBeVisible();
  await expect(page.getByRole("group", { name: "Claim" })).toContainText(/Claimed by/, { timeout: 10_000 });

  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.locator("#deny-reason").fill("Not now");
  await page.locator("#deny").getByRole("button", { name: /^Deny:/ }).click();
  await expect(page.getByRole("group", { name: "Claim" })).toHaveCount(0);
  expect((await acme.agent.get(asked.id)).status).toBe("denied");
});

test("a page that closes is gone from the list soon", async ({ operator: page, acme, server, browser }) => {
  const asked = await acme.agent.submit(actions.medium);
  const ben = await colleague(browser, server, "ben@acme.test");
  await ben.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await expect(page.locator(".people li")).toHaveCount(2);
  await ben.close();
  await expect(page.locator(".people li")).toHaveCount(1, { timeout: 30_000 }); // a look that nobody ends counts for 45 s
});
