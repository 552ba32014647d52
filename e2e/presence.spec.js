// Colleagues see who looks at a request and who is on it; nobody is hindered by that.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

test("two people see each other, claim, take over, and decide all the same", async ({ operator: page, acme, server, colleague }) => {
  const asked = await acme.agent.submit(actions.medium);
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  const address = `${server.url}/t/acme/approvals/${asked.id}`;

  await page.goto(`${server.url}/t/acme/queue`);
  await ben.goto(address);
  await expect(page.locator(`#approval-${asked.id}`).getByRole("img", { name: /is viewing/ })).toBeVisible({ timeout: 10_000 });
  await page.goto(address);
  await expect(page.locator(".people li")).toHaveCount(2);
  await expect(ben.locator(".people li")).toHaveCount(2, { timeout: 10_000 });

  await page.getByRole("button", { name: "Claim" }).click();
  await expect(page.getByRole("button", { name: "Claimed by you" })).toBeFocused();
  await ben.getByRole("button", { name: /^Claimed by / }).click();
  for (const one of [page, ben]) await looksRight(one, "two people look");

  await ben.getByRole("button", { name: /^Take over from / }).click();
  await expect(ben.getByRole("button", { name: "Claimed by you" })).toBeFocused();
  await expect(page.getByRole("button", { name: /^Claimed by (?!you)/ })).toBeVisible();
  await expect(page.getByRole("status")).toHaveText("Claimed by Ben"); // to whom it was taken from

  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.locator("#deny-reason").fill("Not now");
  await page.locator("#deny").getByRole("button", { name: /^Deny:/ }).click();
  await expect(page.getByRole("group", { name: "Claim" })).toHaveCount(0);
  expect((await acme.agent.get(asked.id)).status).toBe("denied");
});

test("a page that closes is gone from the list soon", async ({ operator: page, acme, server, colleague }) => {
  const asked = await acme.agent.submit(actions.medium);
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  await ben.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await expect(page.locator(".people li")).toHaveCount(2);
  await ben.close();
  await expect(page.locator(".people li")).toHaveCount(1, { timeout: 30_000 }); // a look that nobody ends counts for 45 s
});

test("a request is assigned to a colleague, who is told at once and finds it among their own", async ({ operator: page, acme, server, colleague }) => {
  const asked = await acme.agent.submit(actions.medium), other = await acme.agent.submit(actions.high);
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  await ben.goto(`${server.url}/t/acme/queue`);
  await expect(ben.locator("#live")).toHaveAttribute("data-state", "live");
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Assign" }).click();
  await looksRight(page, "the form of an assignment");
  await page.getByLabel("Assign to").selectOption({ label: "Ben" });
  await page.locator("#assign").getByRole("button", { name: "Assign" }).click();
  await expect(page.getByRole("button", { name: "Assigned to Ben by you" })).toBeFocused();

  const row = ben.locator(`#approval-${asked.id}`);
  await expect(row.getByRole("img", { name: /^Assigned to you by / })).toBeVisible();
  await expect(ben.getByRole("status")).toContainText(/^Assigned to you: /);
  await ben.goto(`${server.url}/t/acme/queue?claim=mine`);
  await expect(row).toBeVisible();
  await expect(ben.locator(`#approval-${other.id}`)).toHaveCount(0);

  // Nobody else is kept from deciding.
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.locator("#deny-reason").fill("Not now");
  await page.locator("#deny").getByRole("button", { name: /^Deny:/ }).click();
  await expect(row).toHaveAttribute("data-done", "");
});

test("who is away has a deputy, who finds what is assigned to them and decides it in their place", async ({ operator: page, acme, server, colleague }) => {
  const olga = await colleague("olga@acme.test", { roles: "operator", viewport: { width: 375, height: 720 }, hasTouch: true });
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  await olga.goto(`${server.url}/t/acme/account/notices`);
  await olga.getByLabel("Deputy").selectOption({ label: "Ben" });
  await looksRight(olga, "the form of an absence");
  await olga.locator("section", { has: olga.locator("#away") }).getByRole("button", { name: "Set absence" }).click();
  await expect(olga.getByRole("region", { name: "You're out of office" })).toContainText("Ben decides");
  await looksRight(olga, "an absence");

  const asked = await acme.agent.submit(actions.medium);
  await ben.goto(`${server.url}/t/acme/queue`);
  await expect(ben.locator("#live")).toHaveAttribute("data-state", "live");
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Assign" }).click();
  await page.getByLabel("Assign to").selectOption({ label: "Olga (away; Ben decides)" });
  await page.locator("#assign").getByRole("button", { name: "Assign" }).click();
  await expect(ben.getByRole("status")).toContainText(/^Assigned to you: /);
  await ben.goto(`${server.url}/t/acme/queue?claim=mine`);
  await ben.locator(`#approval-${asked.id} a`).click();
  await expect(ben.locator(".people")).toContainText("away; Ben decides");
  await looksRight(ben, "a request of who is away");
  await ben.getByRole("button", { name: /^Deny/ }).first().click();
  await ben.locator("#deny-reason").fill("Not now");
  await ben.locator("#deny").getByRole("button", { name: /^Deny:/ }).click();
  await expect(page.locator("[data-outcome]")).toContainText("Ben for Olga (away)");
  const { decision } = await acme.agent.get(asked.id);
  expect(decision.decided_by[0].for.name).toBe("Olga");

  await olga.getByRole("button", { name: "I'm back" }).click();
  await expect(olga.getByRole("region", { name: "You're out of office" })).toHaveCount(0);
});
