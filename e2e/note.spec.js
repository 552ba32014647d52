// A yes with a word: the note goes to the agent, and the policy can ask for one.
import { test, expect, actions, setPolicy } from "./server.js";
import { looksRight } from "./looks.js";

test("a note goes with an approval", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  const answer = acme.agent.answer(asked.id);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Add a note" }).click();
  await expect(page.getByRole("textbox", { name: "Note to the agent" })).toBeFocused();
  await page.keyboard.type("Only today");
  await page.keyboard.press("Enter"); // a line, and no decision
  await page.keyboard.type("Then ask again");
  await looksRight(page, "a note");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Edit the note" })).toBeVisible();
  expect((await acme.agent.get(asked.id)).status).toBe("pending");
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.locator("[data-outcome]")).toContainText("“Only today");
  expect((await answer).decision.reason).toMatch(/^Only today\s+Then ask again$/);
});

test("the policy asks for a note", async ({ operator: page, server, acme }) => {
  setPolicy(server, "acme", "min_review_seconds: {medium: 0}\nnote_required: {medium: true}\n");
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  const note = page.getByRole("textbox", { name: "Note to the agent" });
  await expect(note).toBeVisible();
  await looksRight(page, "a note that is required");
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(note).toBeFocused(); // the browser asks for it
  expect((await acme.agent.get(asked.id)).status).toBe("pending");
  await note.fill("Agreed with the team");
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.locator("[data-outcome]")).toContainText("“Agreed with the team”");
  expect((await acme.agent.get(asked.id)).decision.reason).toBe("Agreed with the team");
});
