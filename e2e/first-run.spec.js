// The first five minutes.
import { execFileSync } from "node:child_process";
import { test, expect, all, setPolicy, giveAnswer } from "./server.js";

test.describe("an empty server", () => {
  test.use({ begin: "empty" });

  test("the printed link creates the first person, once", async ({ page, server }) => {
    expect(server.firstRun).toBeTruthy();
    await page.goto(server.firstRun);
    // The browser's own checks are off, so that the server's are seen.
    await page.locator("form").last().evaluate((form) => { form.noValidate = true; });
    await page.getByLabel(/organisation/i).fill("Not A Slug");
    await page.getByLabel("Email").fill("priya@acme.test");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.locator("form button[type=submit]").last().click();
    await expect(page.getByText(/a–z/).first()).toBeVisible();
    await expect(page.getByLabel("Email")).toHaveValue("priya@acme.test");
    await page.getByLabel(/organisation/i).fill("acme");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.locator("form button[type=submit]").last().click();
    await page.waitForURL(/\/t\/acme\/queue$/);
    await expect(page.getByRole("heading", { name: "Queue", level: 1 })).toBeVisible();

    const again = await page.goto(server.firstRun);
    expect(again.status()).toBeGreaterThanOrEqual(400);
  });

  test("from an empty organisation to the first approval that is used, in the console and a shell", async ({ page, server }) => {
    await page.goto(server.firstRun);
    await page.getByLabel(/organisation/i).fill("acme");
    await page.getByLabel("Your name").fill("Priya Raman");
    await page.getByLabel("Email").fill("priya@acme.test");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.locator("form button[type=submit]").last().click();
    await page.waitForURL(/\/t\/acme\/queue$/);
    if (!all) setPolicy(server, "acme", "min_review_seconds: {high: 1}\n"); // published are 10 s
    await expect(page.getByRole("heading", { name: "Get started" })).toBeVisible();
    await page.getByRole("button", { name: "Send a sample request" }).click();
    await page.getByRole("article").getByRole("link", { name: "Open the request" }).click();
    await page.getByRole("button", { name: /^Deny/ }).first().click();
    await page.getByRole("textbox", { name: "Reason" }).fill("only a sample");
    await page.locator("#deny button[type=submit]").click();
    await expect(page.getByText("only a sample").first()).toBeVisible();
    await page.goto(`${server.url}/t/acme/queue`);
    await expect(page.getByText("2 of 6 done")).toBeVisible();
    await page.getByRole("article").getByRole("link", { name: "Create an agent" }).click();
    await page.getByLabel("Name").fill("support-triage");
    await page.getByRole("main").getByRole("button", { name: /^Create/ }).click();
    const key = await page.locator("#key").textContent();
    const install = page.locator("#connect-claude");
    await expect(install).toBeVisible();
    for (const line of [server.url, key, "countersign hook install claude-code"]) await expect(install).toContainText(line);
    await expect(page.getByText("Waiting for the first call")).toBeVisible();
    await page.getByRole("radio", { name: "Claude Code" }).focus();
    for (let n = 0; n < 6; n++) await page.keyboard.press("ArrowRight"); // the tabs are radio buttons
    const command = await page.locator("#connect-curl").textContent();
    await expect(install).toBeHidden();
    const answer = JSON.parse(execFileSync("bash", ["-c", command], { encoding: "utf8" }));
    expect(answer.status).toBe("pending");
    await expect(page.getByText("A call came just now")).toBeVisible({ timeout: 15_000 }); // it looks by itself
    await fetch(`${server.url}/api/v1/approvals`, { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: '{"lifecycle_point":"canary","nonce":"n-1"}' });
    await expect(page.getByText("The gate refused a test call just now")).toBeVisible({ timeout: 15_000 });
    await page.goto(`${server.url}/t/acme/queue`);
    await expect(page.getByRole("heading", { name: "Get started" })).toBeVisible(); // a colleague and a decision are missing
    await page.getByRole("list", { name: "Pending approvals" }).getByRole("link").first().click();
    await page.getByRole("button", { name: "Start questions" }).click(); // alone, and the owner: marked, and asked all the same
    for (let n = 1; n <= 3; n++) {
      await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
      await giveAnswer(page, answer, {});
    }
    const approve = page.getByRole("button", { name: /^Approve/ });
    await expect(approve).toBeEnabled({ timeout: 45_000 });
    await approve.click();
    await expect(page.getByText(/Priya Raman approved this|You approved this/).first()).toBeVisible();
    await page.goto(`${server.url}/t/acme/queue`);
    await expect(page.getByText("3 of 6 done")).toBeVisible(); // until its approval is used
    const used = await (await fetch(`${server.url}/api/v1/approvals/${answer.id}/consume`, {
      method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: JSON.stringify({ digest: answer.digest }),
    })).json();
    expect(used.status).toBe("consumed");
    await page.reload();
    await expect(page.getByText("4 of 6 done")).toBeVisible();
    await page.goto(`${server.url}/t/acme/history`);
    await expect(page.getByText("usr_123").first()).toBeVisible();

  });
});

test("a wrong password tells nothing", async ({ page, server, acme }) => {
  void acme;
  const answers = [];
  for (const email of ["priya@acme.test", "nobody@acme.test"]) {
    await page.goto(server.url + "/sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("wrong horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    answers.push((await page.getByText(/Incorrect email or password/).innerText()).trim());
  }
  expect(answers[0]).toBe(answers[1]);
});
