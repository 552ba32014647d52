// With JavaScript off every decision can be made.
import { test, expect, actions, approveOnceRead, giveAnswer, setPolicy } from "./server.js";

test.use({ javaScriptEnabled: false });

test("confirms, denies and answers without script", async ({ operator: page, server, acme }) => {
  const at = (approval) => `${server.url}/t/acme/approvals/${approval.id}`;
  const confirm = await acme.agent.submit(actions.medium);
  await page.goto(at(confirm));
  await approveOnceRead(page, page.locator("[data-request]").getByText(/Priya approved this at/));
  expect((await acme.agent.get(confirm.id)).status).toBe("approved");

  setPolicy(server, "acme", "min_review_seconds: {medium: 600}\n");
  const long = await acme.agent.submit({ ...actions.medium, session_id: "release-4.19" });
  await page.goto(at(long));
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.getByText(/read it for at least/i)).toBeVisible(); // 425: too early
  expect((await acme.agent.get(long.id)).status).toBe("pending");

  const deny = await acme.agent.submit({ ...actions.high, arguments: { ...actions.high.arguments, user_id: "usr_7" } });
  await page.goto(at(deny));
  await page.getByRole("button", { name: /^Request changes/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Say whose account it is");
  await page.getByRole("button", { name: /^Request changes:/ }).click();
  expect((await acme.agent.get(deny.id)).status).toBe("changes_requested");
});

test("answers questions without script", async ({ operator: page, server, acme }) => {
  setPolicy(server, "acme", "min_review_seconds: {high: 0}\n");
  const action = { function: "delete_user", arguments: { user_id: "usr_4821", documents: 214, email: "dana@example.com", path: "/exports/dana-7" }, environment: "production" };
  const asked = await acme.agent.submit(action);
  expect(asked.challenge.kind).toBe("quiz");
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Start questions" }).click();
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    await giveAnswer(page, asked, action.arguments);
  }
  await page.getByRole("button", { name: /^Approve/ }).click();
  expect((await acme.agent.get(asked.id)).status).toBe("approved");
});
