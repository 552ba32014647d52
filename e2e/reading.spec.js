// Reading an act: colours, numbered matches, differences, the session, and paper.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

const sql = {
  function: "run_sql", docstring: "Run SQL.", session_id: "month-end",
  arguments: { statement: "-- retention\nDROP TABLE billing.invoices_2023 CASCADE;\nSELECT 'p\u0430id', 2023", command: "rm -rf /srv/exports && echo \"$DONE\" # all", env: "production" },
  code: "import os\n\ndef main(days=3):\n    return os.listdir('/srv')  # what is left\n",
};

const release = (replicas, note) => ({
  ...actions.medium,
  arguments: {
    service: "checkout-api", version: "4.18.2", env: "staging", config: JSON.stringify({ replicas, strategy: "rolling", note: "as agreed in the release meeting" }),
    notes: `Rolls the service out to every node of the cluster, ${note}, and keeps the old version for a day.`,
  },
});

const open = (page, server, asked) => page.goto(`${server.url}/t/acme/approvals/${asked.id}`);

test("values are shown in their languages, and every match can be reached", async ({ operator: page, server, acme }) => {
  await open(page, server, await acme.agent.submit(sql));
  const value = (name) => page.locator("tr[data-act=argument]").filter({ has: page.getByRole("rowheader", { name, exact: true }) }).locator("td.value");
  await expect(value("statement").getByText("Shown as SQL")).toBeVisible();
  await expect(value("statement").locator("[data-token=keyword]").filter({ hasText: "DROP" })).toBeVisible();
  await expect(value("statement").locator("[data-token=comment]").first()).toHaveText("-- retention");
  await expect(value("command").getByText("Shown as a shell command")).toBeVisible();
  await expect(page.getByText("Shown as Python")).toBeVisible();

  await value("statement").getByText(/^\d+ marks?$/).click();
  // Every number in a value leads from its list to the place and is read out there.
  const links = value("statement").getByRole("list", { name: "Marked in this value" }).getByRole("link");
  expect(await links.count()).toBeGreaterThan(1);
  for (const link of await links.all()) {
    const place = page.locator(await link.getAttribute("href"));
    await expect(place).toHaveAttribute("tabindex", "0");
    await link.click();
    await expect(place).toBeInViewport();
  }
  // By the keyboard alone: tab goes to marks, and the reason comes up with the focus.
  const mark = value("statement").locator("mark[tabindex='0']").first();
  await page.locator("h1").click();
  for (let n = 0; n < 60 && !(await mark.evaluate((m) => m === document.activeElement)); n++) await page.keyboard.press("Tab");
  await expect(mark).toBeFocused();
  await expect(mark).toHaveAccessibleDescription(/drops a table/i);
  const bubble = await mark.evaluate((m) => { const s = getComputedStyle(m, "::before"); return { text: s.content, drawn: s.display !== "none" && s.position === "fixed" }; });
  expect(bubble.drawn && /drops a table/i.test(bubble.text), bubble.text).toBe(true);
  // Nor does it take a place on the line: every character stands in its column.
  const apart = await value("command").locator("bdi.text:has(mark)").first().evaluate((text) => {
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), range = document.createRange(), steps = [];
    let last = null;
    for (let node; (node = walk.nextNode());) for (let i = 0; i < node.length; i++) {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const at = range.getBoundingClientRect();
      if (last?.top === at.top) steps.push(at.left - last.left);
      last = at;
    }
    return Math.max(...steps) - Math.min(...steps);
  });
  expect(apart).toBeLessThan(0.1);
  // What is drawn is no text: who copies the value gets the value.
  expect(await value("statement").locator("bdi.text").first().textContent()).toBe(sql.arguments.statement);
});

test("what changed since the last similar call is told by word, and the session beside it", async ({ operator: page, server, acme }) => {
  const first = await acme.agent.submit(release(4, "one after another"));
  expect(first.level).toBe("MEDIUM");
  await open(page, server, first);
  const approve = page.getByRole("button", { name: /^Approve/ });
  await expect(approve).toBeEnabled({ timeout: 45_000 });
  await approve.click();
  await expect(page.locator("[data-request]").getByText(/approved this at/)).toBeVisible();
  await open(page, server, await acme.agent.submit(release(40, "all at the same time")));
  const notes = page.locator("tr[data-diff]").filter({ hasText: "Rolls the service" });
  await expect(notes.locator("td.value ins").first()).toContainText("all");
  await expect(notes.locator("td.was del").first()).toContainText("one");
  await expect(notes.locator("td.was")).toContainText("keeps the old version");
  const session = page.getByRole("complementary", { name: "Context" }).locator("section").filter({ hasText: "This session" });
  await expect(session).toContainText("approved by");
  await expect(session).toContainText("you're here");
});

test("coloured and marked values look right", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  test.setTimeout(180_000);
  const asked = [await acme.agent.submit(sql)];
  asked.push(await acme.agent.submit({ ...release(4, "slowly"), arguments: { ...release(4, "slowly").arguments, patch: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c" } }));
  for (const one of asked) {
    await open(page, server, one);
    const mark = page.locator("mark[tabindex='0']").first();
    if (await mark.count()) await mark.focus();
    await looksRight(page, `marked ${one.level}`);
  }
});

test("on paper stands all of it, black on white, and nothing to click", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(sql);
  await open(page, server, asked);
  await page.emulateMedia({ media: "print" });
  for (const what of [page.locator(".print-head").getByText("acme"), page.locator(".print-head").getByText(asked.id), page.locator("[data-act=json]"), page.getByText("Action digest"), page.getByRole("heading", { level: 1 })]) await expect(what).toBeVisible();
  for (const gone of [".topbar", ".col-queue", ".decision-dock", ".gate", ".strip", ".btn", "form"]) {
    for (const one of await page.locator(gone).all()) await expect(one, gone).toBeHidden();
  }
  const colours = await page.evaluate(() => [...document.querySelectorAll("[data-act] bdi.text, [data-act] [data-token], h1")].map((e) => getComputedStyle(e).color));
  expect(new Set(colours)).toEqual(new Set(["rgb(0, 0, 0)"]));
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
  const cut = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() && !e.closest(".visually-hidden") && /auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).map((e) => e.className || e.tagName));
  expect(cut).toEqual([]);
  const pdf = await page.pdf({ format: "A4" });
  expect(pdf.length).toBeGreaterThan(10_000);
});

test("without a script every reason stands below its value", async ({ another, enter, server, acme }) => {
  const asked = await acme.agent.submit(sql);
  const page = await another({ javaScriptEnabled: false });
  await enter(page);
  await open(page, server, asked);
  for (const marks of await page.getByText(/^\d+ marks?$/).all()) await marks.click();
  const list = page.getByRole("list", { name: "Marked in this value" }).filter({ hasText: "sql_drop" });
  await expect(list).toContainText("drops a table");
  const link = list.getByRole("link").first();
  await link.click();
  await expect(page.locator(await link.getAttribute("href"))).toBeInViewport();
});
