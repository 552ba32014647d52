// A person puts a request aside in their own queue: no one else notices, and it comes back by itself.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

test("a request is snoozed by key, follows in another tab, wakes when something happens, and by hand", async ({ operator: page, acme, server, colleague }) => {
  const asked = await acme.agent.submit(actions.medium), other = await acme.agent.submit(actions.high);
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  const tab = await page.context().newPage();
  const row = (on) => on.locator(`#rows #approval-${asked.id}`), fold = (on) => on.locator("#snoozed");
  for (const one of [tab, ben]) {
    await one.goto(`${server.url}/t/acme/queue`);
    await expect(one.locator("#live")).toHaveAttribute("data-state", "live");
    await expect(fold(one)).toBeHidden();
  }

  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.keyboard.press("z");
  await expect(page.getByRole("button", { name: /^Until something changes/ })).toBeFocused(); // no other time is before its end
  await looksRight(page, "how long");
  await page.keyboard.press("Enter");
  await expect(page.locator("#done")).toHaveText("Snoozed, only in your queue.");
  for (const one of [page, tab]) {
    await expect(row(one)).toHaveCount(0);
    await expect(fold(one).locator("summary")).toHaveText("Snoozed (1)");
    await expect(one.locator(`#rows #approval-${other.id}`)).toBeVisible();
  }
  await expect(row(ben)).toBeVisible();
  await expect(fold(ben)).toBeHidden();
  expect((await acme.agent.get(asked.id)).status).toBe("pending");

  await ben.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await ben.getByText("Ask the agent").click();
  await ben.getByRole("textbox", { name: "Question" }).fill("Which build?");
  await ben.getByRole("button", { name: "Send question" }).click();
  await expect(tab.getByRole("button", { name: "1 new" })).toBeVisible();
  await expect(fold(tab)).toBeHidden();

  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Snooze", exact: true }).click();
  await page.getByRole("button", { name: /^Until something changes/ }).click();
  await fold(page).locator("summary").click();
  await looksRight(page, "what is aside");
  await fold(page).getByRole("button", { name: "Wake now" }).click();
  await expect(row(page)).toBeVisible();
});
