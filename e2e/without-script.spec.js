// With JavaScript off every decision can be made.
import { test, expect, actions } from "./server.js";

test.use({ javaScriptEnabled: false });

test("confirms, denies and answers without script", async ({ operator: page, server, acme }) => {
  const confirm = await acme.agent.submit(actions.medium);
  const at = (approval) => `${server.url}/t/acme/approvals/${approval.id}`;
  await page.goto(at(confirm));
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.getByText(/read it for at least/i)).toBeVisible(); // 425: too early
  await expect(async () => {
    await page.goto(at(confirm));
    const approve = page.getByRole("button", { name: /^Approve/ });
    if (await approve.count()) await approve.click();
    expect((await acme.agent.get(confirm.id)).status).toBe("approved");
  }).toPass({ timeout: 15_000 });

  const deny = await acme.agent.submit({ ...actions.high, arguments: { ...actions.high.arguments, user_id: "usr_7" } });
  await page.goto(at(deny));
  await page.getByRole("button", { name: /^Request changes/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Say whose account it is");
  await page.getByRole("button", { name: /^Request changes:/ }).click();
  expect((await acme.agent.get(deny.id)).status).toBe("changes_requested");
});
