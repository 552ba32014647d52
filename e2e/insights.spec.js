// The insights page: charts say what their tables say, files too, and without script the tables are open.
import { readFileSync } from "node:fs";
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

// counted has an agent and an operator do something, and waits until the figures have it.
async function counted(page, server, acme) {
  await acme.agent.submit(actions.low);
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not today");
  await page.getByRole("button", { name: /^Deny/ }).last().click();
  await expect(page).toHaveTitle(/Denied/);
  await expect.poll(async () => {
    await page.goto(`${server.url}/t/acme/insights?days=7`);
    return page.locator("#table-outcomes data").evaluateAll((all) => all.reduce((sum, one) => sum + Number(one.value), 0));
  }, { timeout: 60_000 }).toBe(2); // one let through, one denied
}

test("teaches while there is nothing, and is one key away", async ({ queue: page }) => {
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await expect(page.getByRole("heading", { level: 1, name: "Insights" })).toBeVisible();
  await expect(page.getByText("No activity in the last 30 days")).toBeVisible();
  await page.getByRole("link", { name: "Last 90 days" }).click();
  await expect(page).toHaveURL(/\/insights\?days=90$/);
  await expect(page.getByRole("link", { name: "Last 90 days" })).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("link", { name: "Create an agent" })).toBeVisible();
});

test("draws what the tables say", async ({ operator: page, server, acme }) => {
  await counted(page, server, acme);
  for (const figure of await page.locator("figure:has(cs-chart)").all()) {
    await expect(figure.locator("cs-chart")).toHaveAttribute("data-drawn", "");
    await expect(figure.locator("details")).not.toHaveAttribute("open");
    const inked = await figure.locator("canvas").evaluate((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0));
    expect(inked).toBe(true);
  }
  // The last day stands at the right: under the pointer it says what its row says.
  const figure = page.locator("#figure-levels"), over = figure.locator(".u-over");
  const box = await over.boundingBox();
  await over.hover({ position: { x: box.width - 20, y: 20 } });
  const row = figure.locator("tbody tr").last();
  const [short, medium] = [await row.locator("th").getAttribute("data-short"), await row.locator("td").nth(1).locator("data").getAttribute("value")];
  expect(medium).toBe("1");
  await expect(figure.locator(".readout")).toHaveText(`${short}: LOW 1, MEDIUM 1, HIGH 0, CRITICAL 0`);
  // The bar of that day has the colour of its level in the legend, and no other day has a bar.
  const columns = await figure.locator("canvas").evaluate((canvas) => {
    const [r, g, b] = getComputedStyle(canvas.closest("figure").querySelector(".key")).color.match(/\d+/g).map(Number);
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) found.add((i / 4) % width);
    return { least: Math.min(...found) / width, most: Math.max(...found) / width };
  });
  expect(columns.least).toBeGreaterThan(0.8);
  await figure.getByText("View as table").click();
  await expect(row).toBeVisible();
  const scripts = await page.evaluate(() => performance.getEntriesByType("resource")
    .filter((one) => new URL(one.name).pathname.endsWith(".js")).reduce((sum, one) => sum + one.encodedBodySize, 0));
  expect(scripts).toBeGreaterThan(20 << 10);
  expect(scripts).toBeLessThanOrEqual(60 << 10);
});

test("tells series apart without colours", async ({ operator: page, server, acme }) => {
  await counted(page, server, acme);
  await page.emulateMedia({ forcedColors: "active" });
  const figure = page.locator("#figure-levels");
  const keys = await figure.locator(".key").evaluateAll((all) => all.map((key) => getComputedStyle(key).backgroundImage));
  expect(new Set(keys).size).toBe(4);
  // What is drawn has the system's two colours alone, and the lines of the axis between them.
  await expect.poll(() => figure.locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) return "coloured";
    return "plain";
  })).toBe("plain");
});

test("sends what the table says as a file", async ({ operator: page, server, acme }) => {
  await counted(page, server, acme);
  const table = await page.locator("#table-outcomes tbody tr").evaluateAll((rows) => rows.map((row) => [row.querySelector("time").dateTime, ...[...row.querySelectorAll("data")].map((one) => one.value)]));
  expect(table).toHaveLength(7);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV of outcomes" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^acme-insights-outcomes-.*\.csv$/);
  const lines = readFileSync(await file.path(), "utf8").trim().split("\r\n").map((line) => line.slice(1, -1).split('","'));
  expect(lines[0][0]).toBe("day");
  expect(lines.slice(1)).toEqual(table);
});

test("narrows every figure to a function, and back", async ({ operator: page, server, acme }) => {
  await counted(page, server, acme);
  const all = await page.locator("#table-functions tbody tr").count();
  expect(all).toBe(2);
  const name = await page.locator("#table-functions tbody th a").first().innerText();
  await page.locator("#table-functions tbody th a").first().click();
  await expect(page).toHaveURL(/\/insights\?days=7&function=/);
  await expect(page.locator("#table-functions tbody tr")).toHaveCount(1);
  await expect(page.getByRole("textbox", { name: "Function" })).toHaveValue(name);
  expect(await page.locator("#table-outcomes data").evaluateAll((cells) => cells.reduce((sum, one) => sum + Number(one.value), 0))).toBe(1);
  await page.getByLabel("From (UTC)").fill("2020-01-01");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("choose at most 90");
  await page.getByRole("link", { name: "Last 7 days" }).click();
  await expect(page.locator("#table-functions tbody tr")).toHaveCount(1);
});

test("looks right, and the charts keep to their width", async ({ operator: page, server, acme }) => {
  test.slow(); // axe looks at every cell of twelve tables
  await counted(page, server, acme);
  await looksRight(page, "insights");
  for (const width of [1440, 375, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.locator("cs-chart").first().evaluate((chart) => chart.querySelector("canvas").getBoundingClientRect().width <= chart.clientWidth + 1)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
  }
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the tables are open", async ({ operator: page, server, acme }) => {
    const asked = await acme.agent.submit(actions.low);
    await expect.poll(async () => {
      await page.goto(`${server.url}/t/acme/insights?days=7`);
      return page.locator("#table-levels").isVisible();
    }, { timeout: 60_000 }).toBe(true);
    await expect(page.locator("#table-levels tbody tr")).toHaveCount(7);
    const day = page.locator("#table-levels tbody tr").filter({ has: page.locator(`time[datetime="${asked.created_at.slice(0, 10)}"]`) }); // the last one, unless midnight has passed
    await expect(day.getByRole("cell").first()).toHaveText("1");
    await expect(page.locator(".plot").first()).toBeHidden();
    await page.getByRole("link", { name: "Last 30 days" }).click();
    await expect(page.locator("#table-levels tbody tr")).toHaveCount(30);
  });
});
