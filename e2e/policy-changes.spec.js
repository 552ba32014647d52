// The bar of the policy page counts what differs from the policy in force and leads to the
// preview; fields say what they were; the index finds them; nothing sticky covers a field.
import { test, expect, setPolicy } from "./server.js";
import { looksRight } from "./looks.js";

test.use({ begin: "shipped" });

const open = (page, server) => page.goto(`${server.url}/t/acme/settings/policy`);
const field = (page, id) => page.locator(`[id="${id}"]`);
const index = (page) => page.getByRole("navigation", { name: "Sections" });
const bar = (page) => page.getByRole("group", { name: "Your draft" });

test("changes are counted, say what they were, and go when they are taken back", async ({ operator: page, server }) => {
  await open(page, server);
  await expect(bar(page)).toContainText("No changes");
  await field(page, "thresholds.high").fill("0.5");
  await expect(bar(page)).toContainText("1 change");
  await expect(field(page, "thresholds.high")).toHaveAccessibleDescription("was 0.6");
  await page.getByRole("button", { name: "Review everything" }).click();
  await expect(bar(page)).toContainText("2 changes");
  await expect(page.getByRole("radiogroup", { name: "Challenge at LOW" })).toHaveAccessibleDescription("was Approve automatically");
  await page.getByRole("textbox", { name: "Your domains" }).fill("acme.example");
  await page.getByRole("checkbox", { name: "Block all critical" }).check();
  await field(page, "judgement.floors.delete.one").selectOption("CRITICAL");
  await expect(field(page, "judgement.floors.delete.one")).toHaveAccessibleDescription(/was Preset: HIGH/);
  await expect(page.locator(".judgement-choice").filter({ has: field(page, "judgement.floors.delete.one") }).locator("use")).toHaveAttribute("href", /lv-4$/);
  await expect(bar(page)).toContainText("5 changes");
  await expect(index(page).getByRole("link", { name: /^Minimum levels/ })).toContainText("2");
  await looksRight(page, "a policy with changes");

  await field(page, "thresholds.high").fill("0.60"); // the same number
  await expect(bar(page)).toContainText("4 changes");
  await bar(page).getByRole("button", { name: "Preview and replay" }).click();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(bar(page)).toContainText("4 changes");
  await expect(page.getByRole("textbox", { name: "Your domains" })).toHaveAccessibleDescription(/^was none/);
  await field(page, "judgement.floors.delete.one").selectOption("preset"); // as in force, and not as the page came
  await expect(bar(page)).toContainText("3 changes");
  await expect(field(page, "judgement.floors.delete.one")).not.toHaveAccessibleDescription(/was/);
  page.on("dialog", (dialog) => dialog.accept());
  await bar(page).getByRole("link", { name: "Discard the draft" }).click();
  await expect(bar(page)).toContainText("No changes");
  await expect(field(page, "thresholds.high")).toHaveValue("0.6");
});

test("weights are shown for the chosen strategy, and those that are changed or wrong", async ({ operator: page, server }) => {
  await open(page, server);
  const mean = field(page, "composite_weights.patterns"), fixed = field(page, "fixed_score"), factor = field(page, "weights.novelty");
  await expect(mean).toBeHidden();
  await expect(fixed).toBeHidden();
  await expect(factor).toBeVisible();
  await page.getByRole("radio", { name: /^Weighted mean/ }).check();
  await expect(mean).toBeVisible();
  await mean.fill("-1");
  await page.getByRole("radio", { name: /^Fixed score/ }).check();
  await expect(fixed).toBeVisible();
  await expect(factor).toBeHidden();
  await expect(mean).toBeVisible(); // changed
  await bar(page).getByRole("button", { name: "Preview and replay" }).click();
  await page.locator("#errors").getByRole("link", { name: /Weight of patterns/ }).click();
  await expect(mean).toBeFocused();
});

for (const [width, height] of [[1440, 900], [768, 1024], [375, 812], [812, 375], [720, 450], [360, 225]]) {
  test(`at ${width} × ${height} nothing covers a field, and the page has its room`, { tag: [1440, 375].includes(width) ? [] : "@all" }, async ({ operator: page, server }) => {
    setPolicy(server, "acme", "strategy: composite\n");
    await page.setViewportSize({ width, height });
    await open(page, server);
    await field(page, "grant_seconds").fill("120");
    await expect(bar(page)).toContainText("1 change");
    const bad = await page.evaluate(() => {
      const found = [], top = document.querySelector(".topbar").getBoundingClientRect().bottom;
      const foot = document.querySelector(".policy-bar");
      for (const control of document.querySelectorAll("#policy :is(input:not([type=hidden]), select, textarea)")) {
        control.focus();
        const at = control.getBoundingClientRect(), bar = foot.getBoundingClientRect();
        if (!at.height) continue;
        const over = getComputedStyle(foot).position === "sticky" && at.bottom > bar.top && at.top < bar.bottom;
        if (over || at.top < top || at.bottom > innerHeight) found.push(`${control.id || control.name}: ${at.top} to ${at.bottom}`);
      }
      return found;
    });
    expect(bad).toEqual([]);
    const free = await page.evaluate(() => {
      const foot = document.querySelector(".policy-bar");
      const under = getComputedStyle(foot).position === "sticky" ? foot.getBoundingClientRect().height : 0;
      return (innerHeight - document.querySelector(".topbar").getBoundingClientRect().height - under) / innerHeight;
    });
    expect(free).toBeGreaterThanOrEqual(0.6);
    const toggle = page.getByText("Go to a section");
    if (await toggle.isVisible()) await toggle.click();
    await index(page).getByRole("link", { name: "Blocking" }).click();
    const heading = page.getByRole("heading", { name: "Automatic blocking" });
    await expect(heading).toBeInViewport();
    expect((await heading.boundingBox()).y).toBeGreaterThanOrEqual(await page.evaluate(() => document.querySelector(".topbar").getBoundingClientRect().bottom));
  });
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  test("the preview marks what differs, and the strategy still chooses its weights", async ({ operator: page, server }) => {
    await open(page, server);
    await expect(field(page, "fixed_score")).toBeHidden();
    await page.getByRole("radio", { name: /^Fixed score/ }).check();
    await field(page, "fixed_score").fill("0.4");
    await bar(page).getByRole("button", { name: "Preview and replay" }).click();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await expect(bar(page)).toContainText("2 changes");
    await expect(page.getByRole("radiogroup", { name: "Strategy" })).toHaveAccessibleDescription("was Highest");
    await expect(index(page).getByRole("link", { name: /^Models and weights/ })).toContainText("2");
  });
});
