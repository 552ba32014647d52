// The first five minutes.
import { test, expect } from "./server.js";

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

test("a wrong password tells nothing", async ({ page, server, acme }) => {
  void acme;
  const answers = [];
  for (const email of ["priya@acme.test", "nobody@acme.test"]) {
    await page.goto(server.url + "/sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("wrong horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    answers.push((await page.getByText(/do not belong together/).innerText()).trim());
  }
  expect(answers[0]).toBe(answers[1]);
});
