// A yes is withdrawn while it is unused: by keyboard, without script, and live for whoever looks at it.
import { test, expect, actions, approveOnceRead } from "./server.js";
import { looksRight } from "./looks.js";

const outcome = (page) => page.locator("[data-outcome]");
const approved = async (page, server, acme, action = actions.medium) => {
  const asked = await acme.agent.submit(action);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await approveOnceRead(page, outcome(page).getByText("Not used yet."));
  return asked;
};
const consume = (acme, asked) => acme.agent.call("POST", `/api/v1/approvals/${asked.id}/consume`, { digest: asked.digest });

test("the approver withdraws with the keyboard, a colleague sees it at once, and the agent is told", async ({ operator: page, server, acme, colleague }) => {
  const asked = await approved(page, server, acme);
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  await ben.goto(page.url());
  await expect(ben.getByRole("link", { name: "Withdraw approval" })).toBeVisible();
  await expect(ben.locator("#live")).toHaveAttribute("data-state", "live");
  await looksRight(page, "an approval that can be withdrawn");

  await expect(page.locator("[data-outcome] > .notice")).toBeFocused(); // after approving
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Withdraw approval" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await looksRight(page, "the form");
  await page.keyboard.type("Wrong cluster");
  await page.keyboard.press("Control+Enter");
  await expect(outcome(page)).toContainText(/withdrew this at .*“Wrong cluster”/);
  await expect(page.getByRole("link", { name: "Withdraw approval" })).toHaveCount(0);
  await looksRight(page, "a withdrawn approval");

  await expect(outcome(ben)).toContainText(/withdrew this at .*“Wrong cluster”/);
  await expect(ben.getByRole("link", { name: "Withdraw approval" })).toHaveCount(0);
  await expect(ben.getByRole("status")).toContainText("Wrong cluster");

  const spent = await consume(acme, asked);
  expect(spent.status).toBe(409);
  expect(spent.body.type).toBe("urn:countersign:problem:grant-void");
  expect(spent.body.detail).toContain("Wrong cluster");
  const told = await acme.agent.get(asked.id);
  expect(told.status).toBe("approved");
  expect(told.decision.voided.reason).toBe("Wrong cluster");
});

test("a colleague withdraws on a phone", async ({ operator: page, server, acme, colleague }) => {
  const asked = await approved(page, server, acme);
  const ben = await colleague("ben@acme.test", { roles: "operator", viewport: { width: 375, height: 720 }, hasTouch: true });
  await ben.goto(page.url());
  await ben.getByRole("link", { name: "Withdraw approval" }).tap();
  await ben.getByRole("button", { name: "Not now" }).tap();
  await ben.getByRole("button", { name: "Withdraw approval" }).tap();
  await expect(outcome(ben)).toContainText(/withdrew this at .*“Not now”/);
  await expect(outcome(page)).toContainText(/withdrew this at .*“Not now”/);
  expect((await consume(acme, asked)).status).toBe(409);
});

test("what is used meanwhile can't be withdrawn, and the page says so", async ({ operator: page, server, acme }) => {
  const asked = await approved(page, server, acme);
  await expect(page.locator("#live")).toHaveAttribute("data-state", "live");
  await page.getByRole("link", { name: "Withdraw approval" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Too late");
  expect((await consume(acme, asked)).status).toBe(200);
  await expect(outcome(page)).toContainText("Used at"); // pushed
  await page.getByRole("button", { name: "Withdraw approval" }).click();
  await expect(page.locator(".notice[role=alert]")).toContainText(/the agent used the approval at/i);
  await expect(page.getByRole("textbox", { name: "Reason" })).toHaveCount(0);
});

test.describe("without script", { tag: "@all" }, () => {
  test.use({ javaScriptEnabled: false });
  test("a yes is withdrawn", async ({ operator: page, server, acme }) => {
    const asked = await approved(page, server, acme);
    await page.getByRole("link", { name: "Withdraw approval" }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("Wrong cluster");
    await page.getByRole("button", { name: "Withdraw approval" }).click();
    await expect(outcome(page)).toContainText(/withdrew this at .*“Wrong cluster”/);
    expect((await consume(acme, asked)).status).toBe(409);
  });
});
