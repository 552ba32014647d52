// What a person chose for the console goes with them, from browser to browser.
import { test, expect, actions, openQueue } from "./server.js";

const button = (page, name) => page.locator(`[data-setting="${name}"]`);
const menu = async (page) => page.locator("details.menu:has([data-setting]) > summary").click();

test("sound and the next request are the person's, and an earlier choice is taken over once", async ({ queue: page, acme, server, another, enter }) => {
  // As an earlier version left it.
  await page.evaluate(() => { localStorage.setItem("advance", "on"); localStorage.setItem("sound", "high"); });
  const taken = page.waitForResponse((answer) => answer.url().endsWith("/account/display") && answer.status() === 204);
  await page.reload();
  await taken;
  await expect(button(page, "advance")).toHaveAttribute("data-value", "on");
  await expect.poll(() => page.evaluate(() => [localStorage.getItem("advance"), localStorage.getItem("sound")])).toEqual([null, null]);
  await menu(page);
  await button(page, "sound").click();
  await expect(button(page, "sound")).toHaveText("Sound: every new request");

  const other = await another();
  await enter(other);
  await openQueue(other, server);
  await expect(button(other, "sound")).toHaveAttribute("data-value", "all");
  await expect(button(other, "advance")).toHaveAttribute("data-value", "on");
  // What a browser kept does not undo what was chosen since.
  await other.evaluate(() => localStorage.setItem("sound", "critical"));
  await other.reload();
  await expect.poll(() => other.evaluate(() => localStorage.getItem("sound"))).toBe(null);
  await other.reload();
  await expect(button(other, "sound")).toHaveAttribute("data-value", "all");

  // And it does what it says: the next request opens by itself.
  await acme.agent.submit(actions.medium);
  const next = await acme.agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, service: "basket-api" } });
  await other.goto(next.console_url);
  await other.getByRole("button", { name: "Deny" }).click();
  await other.getByRole("textbox", { name: "Reason" }).fill("Not now");
  await other.getByRole("dialog").or(other.locator("#deny")).getByRole("button", { name: /^Deny/ }).last().click();
  await other.waitForURL((url) => url.pathname.includes("/approvals/") && !url.pathname.endsWith(next.id));
});
