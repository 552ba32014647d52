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
