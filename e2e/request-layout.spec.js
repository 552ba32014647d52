// The request page: most of the window shows the request, at every size and zoom; what is typed is never
// lost; and a decision takes few inputs.
import { test, expect, actions, password } from "./server.js";

// The sizes of windows, and 200 % and 400 % of 1440 × 900.
const sizes = [[1440, 900], [768, 1024], [375, 812], [320, 640], [812, 375], [667, 375], [720, 450], [360, 225]];

test("most of the window shows the request", async ({ operator: page, acme, server }) => {
  const small = [];
  server.createPerson("acme", "ben@acme.test", password, "operator"); // so that claim and assign are there
  for (const level of ["medium", "high", "critical"]) {
    const asked = await acme.agent.submit(actions[level]);
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
      await expect(page.locator("#decision")).toBeAttached();
      // What is stuck over the request while it is scrolled in its middle.
      const free = await page.evaluate(() => {
        const scroller = [...document.querySelectorAll(".col-request")].find((c) => c.scrollHeight > c.clientHeight && getComputedStyle(c).overflowY === "auto") ?? document.scrollingElement;
        scroller.scrollTop = Math.min(200, (scroller.scrollHeight - scroller.clientHeight) / 2);
        const x = document.querySelector(".request").getBoundingClientRect(), middle = x.left + x.width / 2;
        let seen = 0;
        for (let y = 0; y < innerHeight; y++) {
          const at = document.elementFromPoint(middle, y);
          if (at?.closest(".request, .col-request") && !at.closest(".decision-dock")) seen++;
        }
        return seen / innerHeight;
      });
      if (free < 0.6) small.push(`${level} at ${width} × ${height}: ${Math.round(free * 100)} %`);
      // Every button of the decision is whole, and its label is there to read.
      small.push(...(await page.evaluate(() => [...document.querySelectorAll(".decision-row :is(.btn, .approve-label)")].filter((e) => {
        const box = e.getBoundingClientRect();
        return e.checkVisibility() && (box.left < 0 || box.right > innerWidth || box.width < 48);
      }).map((e) => e.innerText))).map((label) => `${level} at ${width} × ${height}: ${label} is cut off`));
    }
  }
  expect(small).toEqual([]);
});

test("the decision is one row of at most 64 px, on a wide screen and a tablet", async ({ operator: page, acme, server }) => {
  server.createPerson("acme", "ben@acme.test", password, "operator"); // so that claim and assign are there
  for (const level of ["medium", "high", "critical"]) {
    const asked = await acme.agent.submit(actions[level]);
    await page.goto(asked.console_url);
    for (const [width, height] of [[1440, 900], [1024, 768], [768, 1024]]) {
      await page.setViewportSize({ width, height });
      await expect(page.getByRole("button", { name: "Claim" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Assign" })).toBeVisible();
      const dock = await page.locator(".decision-dock").boundingBox();
      expect(dock.height, `${level} at ${width}`).toBeLessThanOrEqual(64);
      expect(dock.y + dock.height, `${level} at ${width}`).toBeLessThanOrEqual(height);
    }
    if (level === "high") await expect(page.getByRole("button", { name: /^Approve/ })).toHaveCount(0);
  }
});

test("a long list to deny is in view, whatever sticks to its end", async ({ operator: page, acme, server }) => {
  for (let n = 0; n < 12; n++) await acme.agent.submit({ ...actions.medium, session_id: "s".repeat(100), arguments: { ...actions.medium.arguments, service: `checkout-${n}` } });
  await page.goto(`${server.url}/t/acme/queue?select=1`);
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    const covered = await page.evaluate(() => {
      document.scrollingElement.scrollTop = 200;
      const end = document.querySelector(".select-end");
      return getComputedStyle(end).position === "sticky" ? end.getBoundingClientRect().height / innerHeight : 0;
    });
    expect(covered, `${width} × ${height}`).toBeLessThan(0.4);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${width} × ${height}`).toBeLessThanOrEqual(0);
  }
});
