// An operator changes the arguments before approving; the agent gets what was approved, and nothing else.
import { createHash } from "node:crypto";
import { test, expect, actions, giveAnswer, setPolicy } from "./server.js";
import { looksRight } from "./looks.js";

const letEdit = (server) => setPolicy(server, "acme", "edit_before_approve: {medium: true, high: true}\nmin_review_seconds: {medium: 0, high: 0}\n");

// The digest of an act whose members and values are ASCII texts, whole numbers and booleans.
const sorted = (v) => (v && typeof v === "object" ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v);
const digestOf = ({ function: name, arguments: args }) =>
  "sha256:" + createHash("sha256").update(JSON.stringify(sorted({ function: name, arguments: args }))).digest("hex");

async function spend(agent, asked, effective) {
  const consume = (digest) => agent.call("POST", `/api/v1/approvals/${asked.id}/consume`, { digest });
  const proposed = await consume(asked.digest);
  expect([proposed.status, proposed.body.type]).toEqual([409, "urn:countersign:problem:digest-mismatch"]);
  expect(proposed.body.detail).toContain("decision.effective");
  expect((await consume(digestOf(effective))).status).toBe(200);
}

test("edit, read it afresh, pass the challenge, and the agent runs what was edited", async ({ operator: page, server, acme }) => {
  letEdit(server);
  const asked = await acme.agent.submit(actions.high);
  await page.goto(asked.console_url);
  await page.getByRole("button", { name: "Start questions" }).click();
  await expect(page.getByRole("link", { name: "Edit arguments" })).toHaveCount(0); // the values are out of sight
  await page.getByRole("button", { name: "Reread" }).click();
  await page.getByRole("link", { name: "Edit arguments" }).click();
  const box = page.getByRole("textbox", { name: "Arguments, as JSON" });
  const args = JSON.parse(await box.inputValue());
  expect(args).toEqual(actions.high.arguments);
  await looksRight(page, "the form of an edit");

  await box.fill("{ user_id: 1 }");
  await page.getByRole("button", { name: "Save the edit" }).click();
  await expect(page.getByText(/This isn't strict JSON/)).toBeVisible();
  await expect(box).toHaveValue("{ user_id: 1 }");
  args.user_id = "usr_124";
  args.documents = 3;
  await box.fill(JSON.stringify(args));
  await page.getByRole("button", { name: "Save the edit" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toContainText("usr_124");
  await expect(page.getByText(/edited the arguments at/)).toBeVisible();
  const edited = page.getByRole("region", { name: "Edited before approval" });
  await expect(edited.getByRole("row", { name: /user_id/ })).toContainText("usr_123");
  await expect(edited.getByRole("row")).toHaveCount(3);
  await looksRight(page, "an edited request");

  const shown = await acme.agent.get(asked.id);
  await page.getByRole("button", { name: "Start questions" }).click();
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    await giveAnswer(page, shown, args);
  }
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.getByText("Effective: what the agent can run")).toBeVisible();
  const done = await acme.agent.get(asked.id);
  expect([done.status, done.digest]).toEqual(["approved", asked.digest]);
  expect(done.decision.effective.arguments).toEqual(args);
  await spend(acme.agent, asked, done.decision.effective);
});

test("a revision shows what it answers, and the one before what answered it", async ({ operator: page, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(asked.console_url);
  await page.getByRole("button", { name: /^Request changes/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Fewer replicas");
  await page.getByRole("button", { name: /^Request changes:/ }).click();
  await expect(page.getByText(/requested changes at/)).toBeVisible();
  const revision = await acme.agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, replicas: 1 }, revises: asked.id });
  await page.goto(asked.console_url);
  await page.getByRole("link", { name: "Show the revision" }).click();
  expect(page.url()).toBe(revision.console_url);
  const answers = page.getByRole("region", { name: "Changes since the last request" });
  await expect(answers).toContainText("“Fewer replicas”");
  await expect(answers.getByRole("row", { name: /replicas/ })).toContainText("4");
  await answers.getByRole("link", { name: "Show the previous request" }).click();
  expect(page.url()).toBe(asked.console_url);
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("edit and approve", async ({ operator: page, server, acme }) => {
    letEdit(server);
    const asked = await acme.agent.submit(actions.medium);
    await page.goto(asked.console_url);
    await page.getByRole("link", { name: "Edit arguments" }).click();
    await page.getByRole("textbox", { name: "Arguments, as JSON" }).fill('{"service": "checkout-api", "replicas": 1}');
    await page.getByRole("button", { name: "Save the edit" }).click();
    await page.getByRole("button", { name: /^Approve/ }).click();
    await expect(page.getByText("Effective: what the agent can run")).toBeVisible();
    const done = await acme.agent.get(asked.id);
    expect(done.decision.effective.arguments).toEqual({ service: "checkout-api", replicas: 1 });
    await spend(acme.agent, asked, done.decision.effective);
  });
});
