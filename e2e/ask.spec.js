// Asking the agent: the request stays pending, and the answer appears while the page is open.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

const asked = (page) => page.locator(".asked");

test("an operator asks by keyboard, and the answer appears on two pages at once", async ({ operator: page, server, acme, colleague }) => {
  const a = await acme.agent.submit(actions.medium);
  await page.goto(`${server.url}/t/acme/approvals/${a.id}`);
  const ben = await colleague("ben@acme.test", { roles: "operator", viewport: { width: 375, height: 720 }, hasTouch: true });
  await ben.goto(page.url());
  for (const each of [page, ben]) await expect(each.locator("#live")).toHaveAttribute("data-state", "live");

  await page.getByText("Ask the agent").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Question" }).focus();
  await looksRight(page, "the form of a question");
  await page.keyboard.type("Which ticket is it?");
  await page.getByRole("button", { name: "Send question" }).press("Enter");
  for (const each of [page, ben]) await expect(asked(each)).toContainText("Which ticket is it?");
  await expect(asked(page)).toContainText("No answer yet");

  await expect(page.locator("#live")).toHaveAttribute("data-state", "live");
  const [question] = (await acme.agent.get(a.id)).questions;
  const answered = await acme.agent.call("POST", `/api/v1/approvals/${a.id}/answers`, { question: question.id, text: "OPS-41: the <b>checkout</b> of Friday." });
  expect(answered.status).toBe(200);
  for (const each of [page, ben]) {
    await expect(asked(each)).toContainText("OPS-41: the <b>checkout</b> of Friday.");
    await expect(asked(each)).toContainText("from the agent (unverified)");
    await looksRight(each, "an answered question");
  }
  expect((await acme.agent.get(a.id)).status).toBe("pending");
});

test("people comment and mention each other live, and nothing typed is lost", async ({ operator: page, server, acme, colleague }) => {
  const a = await acme.agent.submit(actions.medium);
  const address = `${server.url}/t/acme/approvals/${a.id}`;
  const ben = await colleague("ben@acme.test", { roles: "operator", viewport: { width: 375, height: 720 }, hasTouch: true });
  await page.goto(address);
  await ben.goto(`${server.url}/t/acme/queue`);
  for (const each of [page, ben]) await expect(each.locator("#live")).toHaveAttribute("data-state", "live");
  const field = page.getByRole("textbox", { name: "Comment for colleagues" });
  await page.getByText("Comment", { exact: true }).press("Enter");
  await field.pressSequentially("Is it yours, @b");
  await expect(page.getByRole("option", { name: "Ben" })).toBeVisible();
  await looksRight(page, "a name is completed");
  await field.press("Enter");
  await expect(field).toHaveValue("Is it yours, @Ben ");
  await field.press("Control+Enter");
  await expect(asked(page)).toContainText("Is it yours, @Ben");
  await expect(asked(page)).toContainText("only colleagues");
  await field.fill("Half of a thought"); // the page was not drawn again

  await expect(ben.locator("#mentions")).toContainText("mentioned you in a comment");
  await looksRight(ben, "a mention");
  await ben.getByRole("link", { name: "Read it" }).click();
  await expect(asked(ben)).toContainText("Is it yours, @Ben");
  await expect(ben.locator("#mentions")).not.toContainText("mentioned you");
  await ben.getByText("Comment", { exact: true }).press("Enter");
  await ben.getByRole("textbox", { name: "Comment for colleagues" }).fill("No");
  await ben.getByRole("button", { name: "Send comment" }).click();
  await expect(asked(page).locator(".asked-one")).toHaveCount(2);
  await expect(field).toHaveValue("Half of a thought");

  await acme.agent.call("POST", `/api/v1/approvals/${a.id}/cancel`); // and afterwards, on a page that was drawn when it was over
  await ben.goto(address);
  await page.goto(address);
  for (const each of [page, ben]) await expect(each.locator("#live")).toHaveAttribute("data-state", "live");
  await page.getByText("Comment", { exact: true }).press("Enter");
  await field.fill("Sorry");
  await field.press("Control+Enter");
  await expect(asked(ben)).toContainText("Sorry");
  expect(JSON.stringify(await acme.agent.get(a.id))).not.toContain("Sorry");
});
