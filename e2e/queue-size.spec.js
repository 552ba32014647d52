// The queue at size: narrowed by keyboard, address and name, and right under a flood. What comes
// before the page is open costs a fraction of what is drawn on it.
import { test, expect, actions, openQueue } from "./server.js";
import { looksRight } from "./looks.js";

const list = (page) => page.getByRole("list", { name: "Pending approvals" });
const links = (page) => list(page).getByRole("link");
const flood = async (agent, n, from = 0) => {
  for (let i = 0; i < n; i += 10) {
    await Promise.all(Array.from({ length: Math.min(10, n - i) }, (_, k) =>
      agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, version: `4.17.${from + i + k}` }, session_id: `release-${(i + k) % 4}` })));
  }
};

test("search by keyboard: here at once, everywhere with Enter, and in the address", async ({ operator: page, server, acme }) => {
  await flood(acme.agent, 60);
  await acme.agent.submit({ ...actions.medium, function: "archive_mailbox", arguments: { mailbox: "dana" } }); // it stands behind the first page
  await openQueue(page, server);
  await expect(links(page)).toHaveCount(50);
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox");
  await expect(search).toBeFocused();
  await search.fill("archive mailbox");
  await expect(page.getByText("None of these 50 match. Press Enter to search all.")).toBeVisible();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/queue\?q=archive\+mailbox$/);
  await expect(links(page)).toHaveCount(1);
  await expect(search).toHaveValue("archive mailbox");
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await expect(links(page)).toHaveCount(50);
});

test("filters stand in the address, and pages go on behind each other", async ({ operator: page, server, acme }) => {
  await flood(acme.agent, 55);
  const high = await acme.agent.submit(actions.high);
  await openQueue(page, server);
  await page.locator("summary[aria-label='Filters']").click();
  await page.getByText("All levels").click();
  await page.getByRole("checkbox", { name: "HIGH", exact: true }).check();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.waitForURL(/\/queue\?level=HIGH$/);
  await expect(links(page)).toHaveCount(1);
  await expect(page.locator(`#approval-${high.id}`)).toBeVisible();
  const other = await acme.agent.submit({ ...actions.medium, arguments: { service: "not-here" } });
  await expect(page.locator("#queue-count")).toHaveText("57"); // it counts, and does not arrive
  await expect(page.locator(`#approval-${other.id}`)).toHaveCount(0);
  await page.getByRole("link", { name: /Remove the filter/ }).click();
  await expect(links(page)).toHaveCount(50);
  const first = await links(page).evaluateAll((all) => all.map((a) => a.href));
  await page.getByRole("link", { name: "More", exact: true }).click();
  await expect(links(page)).toHaveCount(7);
  expect((await links(page).evaluateAll((all) => all.map((a) => a.href))).filter((href) => first.includes(href))).toEqual([]);
  await page.getByRole("navigation", { name: "Pages of the queue" }).getByRole("link", { name: "First page", exact: true }).click();
  await expect(links(page)).toHaveCount(50);
});

test("a filter gets a name, and loses it", async ({ queue: page, acme }) => {
  await acme.agent.submit(actions.medium);
  await acme.agent.submit(actions.high);
  await page.goto(page.url() + "?level=CRITICAL&level=HIGH");
  await page.getByRole("textbox", { name: "Name of the filter" }).fill("What hurts");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const saved = page.getByRole("list", { name: "Saved filters" }).getByRole("link", { name: "What hurts" });
  await expect(saved).toHaveAttribute("aria-current", "true");
  await page.goto(page.url().split("?")[0]);
  await expect(links(page)).toHaveCount(2);
  await saved.click();
  await expect(links(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Delete this filter" }).click();
  await expect(saved).toHaveCount(0);
});

test("a flood moves nothing, hides nothing that matters, and does not grow the tab", async ({ operator: page, server, acme }) => {
  await flood(acme.agent, 52);
  await expect(async () => { // the guide learns a moment later that the agent called, and tells it with the next push
    await openQueue(page, server);
    await expect(page.getByText("Your agent can reach Countersign")).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.locator("#live")).toHaveAttribute("data-state", "live");
  await page.evaluate(() => {
    window.shifted = [];
    const name = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML.slice(0, 90);
    new PerformanceObserver((seen) => { for (const entry of seen.getEntries()) window.shifted.push(...entry.sources.map(name)); }).observe({ type: "layout-shift" });
  });
  await flood(acme.agent, 70, 100);
  const critical = await acme.agent.submit(actions.critical);
  await expect(page.locator("#queue-count")).toHaveText("123");
  await expect(page.getByRole("button", { name: "50+ new" })).toBeVisible();
  await expect(page.locator("#arrivals > li")).toHaveCount(50);
  expect(await page.evaluate(() => window.shifted)).toEqual([]);
  await page.getByRole("button", { name: "50+ new" }).click();
  await expect(page.locator(`#approval-${critical.id}`)).toBeInViewport();
  await expect(links(page)).toHaveCount(50);
});

test("when all of a page is decided, the next ones are one click away", async ({ operator: page, server, acme }) => {
  await flood(acme.agent, 51);
  await openQueue(page, server);
  await expect(page.locator("#live")).toHaveAttribute("data-state", "live");
  const ids = await page.locator("#rows .q-row").evaluateAll((rows) => rows.map((row) => row.id.replace("approval-", "")));
  for (const id of ids) expect((await acme.agent.call("POST", `/api/v1/approvals/${id}/cancel`, {})).status).toBe(200);
  await page.getByRole("button", { name: "Show pending requests" }).click();
  await expect(links(page)).toHaveCount(1);
});

test("a long queue looks right", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  await flood(acme.agent, 52);
  await acme.agent.submit(actions.critical);
  await acme.agent.submit(actions.critical);
  await openQueue(page, server);
  await page.goto(page.url() + "?level=MEDIUM&level=CRITICAL");
  await expect(page.getByText("51 matches", { exact: false })).toBeVisible();
  await looksRight(page, "long queue");
});
