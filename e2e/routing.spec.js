// An admin says who is called, tries it with a sample, and everyone sets their own hours.
import { test, expect } from "./server.js";
import { looksRight } from "./looks.js";

const routing = (server) => `${server.url}/t/acme/settings/notices/routing`;

test("a team with turns, a rule with two steps, and who would be called", async ({ operator: page, server }) => {
  await page.goto(routing(server));
  await looksRight(page, "routing without rules");
  await page.getByRole("link", { name: "Add a team" }).click();
  await looksRight(page, "new team");
  await page.getByLabel("Name", { exact: true }).fill("Payments");
  await page.locator("#members").fill("1");
  await page.getByLabel("Length of a turn").fill("7");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Payments", level: 1 })).toBeVisible();
  await looksRight(page, "team");

  await page.goto(`${routing(server)}/rules/new`);
  await looksRight(page, "new rule");
  await page.getByLabel("Name", { exact: true }).fill("Production at night");
  await page.getByLabel("HIGH").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("Choose who is called first");
  await looksRight(page, "rule without a step");
  await page.getByRole("region", { name: "Step 1" }).getByLabel("Who is on call in Payments").check();
  await page.getByRole("region", { name: "Step 2" }).getByLabel("Everyone in Payments").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Production at night" })).toBeVisible();

  await page.getByLabel("Level").selectOption("HIGH");
  await page.getByLabel("Function").fill("deploy");
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.getByRole("status").filter({ hasText: "decides" })).toContainText("hasn't set up a channel yet");
  await looksRight(page, "routing");

  await page.getByRole("link", { name: "Your own notices" }).click();
  await page.getByLabel("From", { exact: true }).fill("22:00");
  await page.getByLabel("To", { exact: true }).fill("07:00");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Time zone")).toHaveValue("Europe/Berlin");
  await looksRight(page, "own notices");
});
