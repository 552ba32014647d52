// Signing in again without leaving the page.
import { test, expect, password } from "./server.js";

test("a sign-in that is too old is renewed on the page, and what was typed is sent", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit({ function: "send_email", arguments: { to: "a@acme.test" }, environment: "staging" });
  await page.clock.install();
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("typed before");
  await page.context().clearCookies({ name: "countersign_session" }); // the twelve hours are over
  await page.clock.fastForward("01:01:00");
  await page.locator("#deny button[type=submit]").click();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("Password").fill("not the password");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("typed before").first()).toBeVisible();
  await expect(page).toHaveURL(new RegExp(asked.id));
});

test("who leaves the dialog is back in the form, with what they typed", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit({ function: "send_email", arguments: { to: "a@acme.test" }, environment: "staging" });
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  const reason = page.getByRole("textbox", { name: "Reason" });
  await reason.fill("typed before");
  await page.context().clearCookies({ name: "countersign_session" });
  await page.locator("#deny button[type=submit]").click();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(reason).toBeFocused();
  await expect(reason).toHaveValue("typed before");
});
