// The request page: most of the window shows the request, at every size and zoom; what is typed is never
// lost; and a decision takes few inputs.
import { test, expect, actions, all } from "./server.js";

// The sizes of windows, and 200 % and 400 % of 1440 × 900.
const sizes = all ? [[1440, 900], [1280, 720], [1200, 800], [768, 1024], [375, 812], [320, 640], [812, 375], [667, 375], [720, 450], [360, 225]] : [[1440, 900], [768, 1024], [375, 812], [360, 225]];

test.use({ begin: "shipped" }); // with a time to read

const ofEachLevel = async (acme) => {
  const asked = {};
  for (const level of ["medium", "high", "critical"]) asked[level] = await acme.agent.submit(actions[level]);
  return asked;
};

// covered looks at requests in each window, and says where less than 60 % of the height
// shows the request in the middle of it, and which buttons of the decision are cut off.
async function covered(page, requests, prepare = async () => {}) {
  const found = [];
  for (const [level, asked] of Object.entries(requests)) {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.goto(asked.console_url);
      await expect(page.locator("#decision")).toBeAttached();
      await prepare();
      const free = await page.evaluate(() => {
        const scroller = [...document.querySelectorAll(".col-request")].find((c) => c.scrollHeight > c.clientHeight && getComputedStyle(c).overflowY === "auto") ?? document.scrollingElement;
        const box = document.querySelector(".request").getBoundingClientRect(), x = box.left + box.width / 2;
        scroller.scrollTop += scroller === document.scrollingElement ? box.top + Math.min(200, (box.height - innerHeight) / 2) : Math.min(200, (scroller.scrollHeight - scroller.clientHeight) / 2);
        let seen = 0;
        for (let y = 0; y < innerHeight; y++) {
          const at = document.elementFromPoint(x, y);
          if (at?.closest(".request, .col-request") && !at.closest(".decision-dock")) seen++;
        }
        return seen / innerHeight;
      });
      if (free < 0.6) found.push(`${level} at ${width} × ${height}: ${Math.round(free * 100)} %`);
      found.push(...(await page.evaluate(() => [...document.querySelectorAll(".decision-row :is(.btn, .approve-label)")].filter((e) => {
        const box = e.getBoundingClientRect();
        return e.checkVisibility() && (box.left < 0 || box.right > innerWidth || box.width < 48);
      }).map((e) => e.innerText))).map((label) => `${level} at ${width} × ${height}: ${label} is cut off`));
    }
  }
  return found;
}

test("most of the window shows the request", async ({ operator: page, acme, server }) => {
  server.grant("ben@acme.test", "operator"); // so that claim and assign are there
  expect(await covered(page, await ofEachLevel(acme))).toEqual([]);
});

test("most of the window shows the request, whatever the banners say", async ({ operator: page, acme, server }) => {
  const asked = await ofEachLevel(acme);
  await page.goto(`${server.url}/t/acme/settings/agents`);
  await page.getByLabel("Type acme to confirm").fill("acme");
  await page.getByLabel(/^Reason/).fill("An incident at the payment provider: everything that pays waits until it is over");
  await page.getByRole("button", { name: "Stop all agents" }).click();
  expect(await covered(page, asked, async () => {
    for (const id of ["lost", "locked"]) { // as copies, which the connection that is there does not hide
      await page.locator(`#${id}`).evaluate((banner) => {
        const shown = banner.cloneNode(true);
        shown.removeAttribute("id");
        shown.hidden = false;
        banner.after(shown);
      });
    }
    await expect(page.locator(".banner:visible")).toHaveCount(4); // these two, a single person, and stopped agents
  })).toEqual([]);
});

test("the decision is one row of at most 64 px, on a wide screen and a tablet", async ({ operator: page, acme, server }) => {
  server.grant("ben@acme.test", "operator"); // so that claim and assign are there
  for (const level of ["medium", "high", "critical"]) {
    const asked = await acme.agent.submit(actions[level]);
    await page.goto(asked.console_url);
    for (const [width, height] of [[1440, 900], [1280, 720], [1024, 768], [768, 1024]]) {
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

test("on a phone the decision follows the question and covers none of it", async ({ operator: page, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  for (const [width, height] of [[375, 900], [375, 812], [360, 640]]) {
    await page.setViewportSize({ width, height });
    await page.goto(asked.console_url);
    const start = page.getByRole("button", { name: "Start questions" });
    if (await start.count()) await start.click();
    await expect(page.locator("#quiz")).toBeVisible();
    const [quiz, dock] = [await page.locator("#quiz").boundingBox(), await page.locator(".decision-dock").boundingBox()];
    expect(dock.y, `${width} × ${height}`).toBeGreaterThanOrEqual(quiz.y + quiz.height);
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
