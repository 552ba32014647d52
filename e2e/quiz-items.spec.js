// The report on the questions of quizzes, with and without script, in both themes.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

// answered takes a quiz, whatever the answers are, and denies the request.
async function answered(page, server, asked) {
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Start questions" }).click();
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    await page.getByRole("radio").first().check();
    await page.getByRole("button", { name: /^Answer/ }).click();
  }
  await expect(page.getByText("Question 3 of 3")).toHaveCount(0); // the answer is here
  await page.goto(`${server.url}/t/acme/queue?select=1`);
  await page.getByRole("checkbox").first().check();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not today");
  await page.getByRole("button", { name: /^Deny (selected|\d+) request/ }).click();
  await expect(page.getByRole("heading", { name: "1 request denied" })).toBeVisible();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("counts the questions of requests that ended, and sends them as a file", async ({ operator: page, server, acme }) => {
      await page.goto(`${server.url}/t/acme/history`);
      await page.getByRole("link", { name: "Quiz statistics" }).click();
      await expect(page.getByText("No quizzes answered in the last 30 days")).toBeVisible();
      await answered(page, server, await acme.agent.submit(actions.high));
      await page.goto(`${server.url}/t/acme/insights/questions`);
      await expect(page.getByRole("table")).toHaveCount(2);
      await page.getByRole("link", { name: "Last 7 days" }).click();
      await expect(page).toHaveURL(/\?days=7$/);
      await expect(page.getByText("1 quiz on a closed request.")).toBeVisible();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export questions as CSV" }).click();
      expect((await download).suggestedFilename()).toMatch(/^acme-questions-.*\.csv$/);
      if (!javaScriptEnabled) return; // axe needs it
      await looksRight(page, "quiz statistics");
    });
  });
}
