// The queue's head is small, so that rows are in view; nothing of a row moves when somebody claims it.
import { test, expect, actions, openQueue } from "./server.js";

test("the head takes two lines, and its parts work", async ({ operator: page, acme, server }) => {
  const asked = await acme.agent.submit(actions.medium);
  await openQueue(page, server);
  const head = () => page.evaluate(() => Math.round(document.getElementById("rows").getBoundingClientRect().top - document.getElementById("queue").getBoundingClientRect().top));
  for (const [width, height] of [[1440, 900], [768, 1024], [375, 812]]) {
    await page.setViewportSize({ width, height });
    expect(await head(), `${width} px`).toBeLessThanOrEqual(width > 400 ? 100 : 112); // fingers get 48 px
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${width} px`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel("Filters").click();
  await page.getByLabel("Environment").fill("nowhere");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page.getByText(/None of the 1 match/)).toBeVisible();
  await page.getByRole("link", { name: /Remove the filter/ }).click();
  await expect(page.locator(`#approval-${asked.id}`)).toBeVisible();
  await page.getByLabel("More actions").click();
  await page.getByRole("link", { name: "Bulk deny" }).click();
  await expect(page).toHaveURL(/select=1/);
});

test("x leads to bulk deny with the row ticked", async ({ operator: page, acme, server }) => {
  const asked = await acme.agent.submit(actions.medium);
  await openQueue(page, server);
  await page.locator(`#approval-${asked.id} a`).focus();
  await page.keyboard.press("x");
  await expect(page).toHaveURL(/select=1/);
  await expect(page.getByRole("checkbox").first()).toBeChecked();
});
