// The time of a request: it is announced before it is over, extended once, and what was typed outlives it.
import { test, expect, actions, signIn } from "./server.js";
import { everyPage } from "./pages.js";

test("the end is announced twice", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  await page.clock.install();
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  const status = page.getByRole("status").first();
  await expect(page.locator(".request-head [data-left]")).toHaveText(/^14:\d\d$/);
  await expect(status).not.toContainText("left to decide");
  await page.clock.fastForward("13:05");
  await expect(status).toHaveText(/^1?\d\d s left to decide\.$/);
  await page.clock.fastForward("01:30");
  await expect(status).toHaveText(/^[12]?\d s left to decide\.$/);
});

test("an operator extends it once, with a reason that the agent reads, and open pages say so", async ({ operator: page, server, acme, colleague }) => {
  const other = await colleague("olga@acme.test");
  const asked = await acme.agent.submit(actions.medium);
  const url = `${server.url}/t/acme/approvals/${asked.id}`;
  await other.goto(url);
  await expect(other.locator("#live")).toHaveAttribute("data-state", "live");
  await page.goto(url);
  await page.getByRole("button", { name: "Extend the time" }).click();
  const form = page.getByRole("form", { name: "Extend the time" });
  await form.getByRole("combobox", { name: "How long" }).selectOption({ label: "5 more minutes" });
  await form.getByRole("button", { name: "Asking the owner" }).click();
  await form.getByRole("button", { name: "Extend", exact: true }).click();

  await expect(page.getByText(/priya extended this until .*“Asking the owner”/i)).toBeVisible();
  await expect(page.locator(".extended")).toBeFocused();
  await expect(other.getByText(/priya extended this until/i)).toBeVisible();
  await expect(other.locator(".request-head [data-left]")).toHaveText(/^1[89]:\d\d$|^20:00$/);
  await expect(other.getByRole("status").first()).toHaveText("This request has more time now.");
  for (const one of [page, other]) await expect(one.getByRole("button", { name: "Extend the time" })).toHaveCount(0);
  const told = await acme.agent.get(asked.id);
  expect(told.status).toBe("pending");
  expect(told.extension.reason).toBe("Asking the owner");
  expect(told.extension.was).toBe(asked.expires_at);
  expect(Date.parse(told.expires_at) - Date.parse(asked.expires_at)).toBe(300_000);
  await page.goto(`${server.url}/t/acme/audit?show=calls`);
  await expect(page.getByText(/more time, until/).first()).toBeVisible();
});

test("a reason that was being typed when the time ran out can be copied", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit({ ...actions.medium, expires_in_seconds: 12 });
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("half a reason");
  await expect(page.locator("#kept")).toContainText("half a reason", { timeout: 40_000 }); // the sweeper's turn
  await expect(page.locator("#kept").getByRole("button", { name: "Copy" })).toBeVisible();
});

test("how long ago something was is said at once, and goes on", async ({ page, server }) => {
  await signIn(page, server, "priya@acme.test");
  await page.clock.install();
  await page.goto(`${server.url}/t/acme/settings/people`);
  await page.clock.pauseAt(Date.now() + 5000); // the next turn of the ages is later
  const signedIn = page.getByRole("row", { name: /priya/i }).locator("time").first();
  await expect(signedIn).toHaveText("just now");
  await expect(signedIn).toHaveAttribute("title", / UTC$/);
  await page.clock.fastForward("05:00");
  await expect(signedIn).toHaveText(/^[56] min\. ago$/);
});

test("a sentence says its time by the reader's clock, with UTC on hover", async ({ server, acme, another, enter }) => {
  const page = await another({ timezoneId: "Asia/Tokyo" });
  await enter(page);
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  const local = (iso) => new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(iso));
  const submitted = page.locator(".request-head").getByText("submitted").locator("time");
  await expect(submitted).toContainText(local(asked.created_at));
  await expect(submitted).toHaveAttribute("title", /UTC$/);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("not today");
  await page.getByRole("button", { name: /^Deny/ }).last().click();
  await expect(page.locator("[data-request]").getByText(/denied this at/)).toBeVisible();
  const denied = page.locator("[data-request]").getByText(/denied this at/).locator("time");
  await expect(denied).toContainText(local(await denied.getAttribute("datetime")));
  await expect(denied).toHaveAttribute("title", /UTC$/);
  const lost = page.locator("#lost-at"); // on every page that is live, for the time without a line
  await expect(lost).toHaveAttribute("title", /UTC$/);
  const [at, said] = await lost.evaluate((time) => [time.dateTime, time.textContent]); // it goes on while we look
  expect(said).toContain(local(at));
  await page.goto(`${server.url}/t/acme/history`);
  await expect(page.getByRole("columnheader", { name: "Decided (Japan)" })).toBeVisible();
});

test.describe("in Tokyo", () => {
  test.use({ timezoneId: "Asia/Tokyo" });
  test("no page says a time of day by another clock", async ({ operator: page, server, acme }) => {
    test.setTimeout(240_000); // fifty pages
    const found = [];
    await everyPage(page, server, acme, async (path) => {
      if (/\/help|^\/sign-in/.test(path)) return; // which show examples
      found.push(...(await page.evaluate(() => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), odd = [];
        while (texts.nextNode()) {
          const { parentElement: at, textContent: text } = texts.currentNode;
          // Durations are no times of day, a day or a field that is in UTC says so, and what agents sent and the trail stores is shown as it is.
          if (!/\b\d{1,2}:\d{2}\b|\bUTC\b/.test(text) || /\bin \d+:\d\d$|\(UTC\)/.test(text) || !at.checkVisibility()) continue;
          if (at.closest("script, style, template, pre, code, textarea, .timeleft, .args, .code, .hint, option")) continue;
          if (!/UTC$/.test(at.closest("time")?.title)) odd.push(text.trim());
        }
        return odd;
      })).map((text) => `${path}: ${text}`));
    });
    expect(found).toEqual([]);
  });
});
