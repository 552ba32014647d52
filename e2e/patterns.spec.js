// The pattern model: a reviewer follows its score from the page alone, an admin makes every
// critical pattern block with one box, and the agent gets its call back without secrets;
// without JavaScript too, and axe finds nothing.
import { test, expect, setPolicy } from "./server.js";
import { looksRight } from "./looks.js";

test.use({ begin: "shipped" });

const masked = {
  function: "list_notes",
  arguments: { card: "4111 1111 1111 1111", iban: "DE89 3704 0044 0532 0130 00", note: "ssn 536-22-8726" },
  code: "Authorization: Bearer abcdefghijklmnop0123456789",
};
const critical = { function: "run_query", code: "COPY people FROM PROGRAM 'id'" };

async function blockAllCritical(page, server) {
  await page.goto(`${server.url}/t/acme/settings/policy`);
  await page.getByRole("checkbox", { name: "Block all critical" }).check();
  await page.getByLabel("Weight of a high match").fill("30");
  await page.getByLabel("Low patterns without their own action").selectOption("confirm");
  await page.getByRole("textbox", { name: "Reason" }).fill("As the published table says");
  await page.getByRole("button", { name: "Preview and replay" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Preview of a draft" })).toBeVisible();
  await expect(page.getByRole("row", { name: /Every critical pattern blocks/ })).toContainText("stricter");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
}

test("a reviewer does the sum of the pattern model again", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  setPolicy(server, "acme", "score_override_threshold: 30\n");
  const asked = await acme.agent.submit(masked);
  expect(asked.status).toBe("blocked");
  expect(asked.assessment.patterns).toMatchObject({ label: "dangerous", numeric_score: 47, action_reason: "score_override_threshold", weights: { high: 20 }, decay: 0.85 });
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  const model = page.locator("#pattern-model");
  await page.locator("details.scores").evaluate((scores) => { scores.open = true; });
  await expect(model).toContainText("Dangerous");
  await expect(model).toContainText("exceeded by the score of 47");
  await model.getByText("How the score was calculated").click();
  await expect(model.getByRole("row", { name: /us-social-security-number/ })).toContainText("20 × 0.85^1");
  await expect(model.getByRole("row", { name: /31–55/ })).toContainText("this score");
  await looksRight(page, "the pattern model of a request");
  await page.goto(`${server.url}/t/acme/audit?approval=${asked.id}&kind=approval.submitted`);
  await page.locator(".entry-table th a").first().click();
  await expect(page.locator("#pattern-model")).toContainText("47 of 100");
  await looksRight(page, "the pattern model of an entry");
});

test("one box makes every critical pattern block", async ({ operator: page, server, acme }) => {
  expect((await acme.agent.submit(critical)).status).toBe("pending");
  await blockAllCritical(page, server);
  const asked = await acme.agent.submit(critical);
  expect(asked.status).toBe("blocked");
  expect(asked.assessment.patterns.base_action).toBe("block");
  await page.goto(`${server.url}/t/acme/settings/policy`);
  await looksRight(page, "the policy with the pattern model");
  await page.goto(`${server.url}/t/acme/help`);
  await expect(page.getByRole("region", { name: "Reference table of pattern scores" })).toContainText("80–100");
});

test("the same without JavaScript", async ({ another, enter, server, acme }) => {
  const page = await another({ javaScriptEnabled: false });
  await enter(page);
  await blockAllCritical(page, server);
  expect((await acme.agent.submit(critical)).status).toBe("blocked");
});

test("an approved call comes back without its secrets, and the agent spends what it sent", async ({ server, acme }) => {
  setPolicy(server, "acme", "rewrite_calls: true\nchallenges: {medium: none, high: none}\n");
  const asked = await acme.agent.submit(masked);
  expect(asked.status).toBe("approved");
  expect(asked.decision.effective.arguments).toEqual({ card: "[REDACTED:card-number]", iban: masked.arguments.iban, note: "ssn [REDACTED:us-social-security-number]" });
  const spend = (digest) => acme.agent.call("POST", `/api/v1/approvals/${asked.id}/consume`, { digest });
  const refused = await spend(asked.shown_digest);
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toContain("consume " + asked.digest);
  expect((await spend(asked.digest)).status).toBe(200);
});
