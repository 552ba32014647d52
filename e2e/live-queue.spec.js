// The queue stays right by itself, and never disturbs whoever works in it.
import { test, expect, actions, openQueue } from "./server.js";

const list = (page) => page.getByRole("list", { name: "Pending approvals" });

test("an arrival shows by itself, keyed by id, and moves nothing", async ({ operator: page, acme, server }) => {
  for (let n = 0; n < 12; n++) await acme.agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, version: `4.17.${n}` } });
  await openQueue(page, server);
  await expect(page.locator("#live[data-state=live]")).toBeVisible();
  await expect(list(page).getByRole("link")).toHaveCount(12);
  const search = page.getByRole("searchbox");
  await search.pressSequentially("checkout-a"); // half-typed
  const before = await list(page).getByRole("link").first().boundingBox();
  const scroll = await page.evaluate(() => [scrollY, ...[...document.querySelectorAll("*")].filter((e) => e.scrollTop).map((e) => e.scrollTop)]);

  const asked = await acme.agent.submit(actions.high);
  await expect(page.getByRole("button", { name: /^1 new/ })).toBeVisible();
  await expect(search).toBeFocused();
  await expect(search).toHaveValue("checkout-a");
  expect(await list(page).getByRole("link").first().boundingBox()).toEqual(before);
  expect(await page.evaluate(() => [scrollY, ...[...document.querySelectorAll("*")].filter((e) => e.scrollTop).map((e) => e.scrollTop)])).toEqual(scroll);

  await search.fill("");
  await page.getByRole("button", { name: /^1 new/ }).click();
  await expect(page.locator(`#approval-${asked.id}`)).toHaveCount(1);
  await expect(list(page).getByRole("link").first()).toContainText("usr_123"); // HIGH comes before MEDIUM
  await expect(page.getByRole("status").first()).toContainText(/\d/);
});

test("a row that is out of sight during a quiz is not new", async ({ operator: page, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  const alike = { ...actions.high, justification: "Asked for once more." };
  const other = await acme.agent.submit(alike);
  await page.goto(asked.console_url);
  await page.getByRole("button", { name: "Start questions" }).click();
  await expect(page.locator(`#rows #approval-${other.id}`)).toHaveCount(1);
  await expect(page.locator("#live[data-state=live]")).toBeAttached();
  await acme.agent.submit(alike); // its twin is drawn again, with their number
  await expect(page.getByRole("button", { name: /^1 new/ })).toBeVisible();
  await expect(page.locator("#arrivals > li")).toHaveCount(1);
});

test("a decision elsewhere fades the row, with who", async ({ operator: page, acme, server }) => {
  const asked = await acme.agent.submit(actions.medium);
  await openQueue(page, server);
  await expect(page.locator(`#approval-${asked.id}`)).toHaveCount(1);
  const cancelled = await acme.agent.call("POST", `/api/v1/approvals/${asked.id}/cancel`, {});
  expect(cancelled.status).toBe(200);
  await expect(page.locator(`#approval-${asked.id}[data-done]`)).toContainText("support-triage");
});

test("an answer that is older than a push does not undo it", async ({ operator: page, acme, server }) => {
  const asked = await acme.agent.submit(actions.medium);
  const row = page.locator(`#approval-${asked.id}`);
  const pushed = new Promise((resolve) => page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
    if (String(payload).includes("data-done")) resolve();
  })));
  let asks = 0;
  await page.route(/[?&]has=/, async (route) => {
    const answer = await route.fetch(); // read while the request waits
    if (++asks === 1) {
      await acme.agent.call("POST", `/api/v1/approvals/${asked.id}/cancel`, {});
      await pushed;
    }
    await route.fulfill({ response: answer });
  });
  await openQueue(page, server);
  await expect(row.and(page.locator("[data-done]"))).toContainText("support-triage");
  await expect(page.locator("#nav-count")).toBeHidden();
});

// A slow network brings each script when the one before has long run.
test("a page whose scripts come late is live", async ({ queue: page }) => {
  await expect(page.locator("#live[data-state=live]")).toBeVisible();
  let before = Promise.resolve();
  await page.route(/[.]js/, (route) => (before = before.then(async () => {
    const answer = page.waitForResponse(route.request().url());
    await route.continue();
    await (await answer).finished();
    await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 500 })));
  })));
  await page.reload();
  await expect(page.locator("#live[data-state=live]")).toBeVisible();
  await before; // no handler outlives the page
});

test("after a restart of the server the queue is right again", async ({ operator: page, acme, server }) => {
  const first = await acme.agent.submit(actions.medium);
  await openQueue(page, server);
  await expect(page.locator(`#approval-${first.id}`)).toHaveCount(1);
  const port = new URL(server.url).port;
  await server.stop();
  await expect(page.getByText(/connection lost/i).first()).toBeVisible();
  await expect(() => server.boot(`127.0.0.1:${port}`)).toPass(); // somebody's outgoing connection may hold the port for a while
  const second = await acme.agent.submit(actions.high);
  await expect(page.locator(`#approval-${second.id}`).or(page.getByRole("button", { name: /^1 new/ })).first()).toBeVisible({ timeout: 45_000 });
});

test("another organisation sees nothing of it", async ({ queue: page, acme, server, another, enter }) => {
  const stranger = await another();
  await enter(stranger, "olga@acme.test");
  await stranger.goto(`${server.url}/t/other/queue`);
  await expect(stranger.locator("#live[data-state=live]")).toBeVisible();
  const asked = await acme.agent.submit(actions.high);
  await expect(page.getByRole("button", { name: /^1 new/ }).or(page.locator(`#approval-${asked.id}`)).first()).toBeVisible();
  await expect(stranger.getByRole("button", { name: /new/ }).and(stranger.locator(":visible"))).toHaveCount(0);
  expect(await stranger.content()).not.toContain(asked.id);
  for (const path of [`/t/acme/queue`, `/t/acme/approvals/${asked.id}`, `/t/other/approvals/${asked.id}`, "/t/acme/audit", "/t/acme/history"]) {
    const answer = await stranger.goto(server.url + path);
    expect(answer.status(), path).toBe(404);
    expect(await stranger.content()).not.toContain("usr_123");
  }
});

test("identical requests are one row, whose number grows and which nothing moves", async ({ operator: page, acme, server }) => {
  const first = await acme.agent.submit(actions.medium);
  await acme.agent.submit(actions.high);
  await openQueue(page, server);
  await expect(page.locator("#live[data-state=live]")).toBeVisible();
  const row = page.locator(`#approval-${first.id}`), before = await row.boundingBox();
  const second = await acme.agent.submit(actions.medium), third = await acme.agent.submit(actions.medium);
  await expect(row.locator(".q-alike")).toHaveAttribute("title", /^3 /);
  await expect(page.getByRole("status").first()).toContainText(/^Again, MEDIUM: /);
  expect(await row.boundingBox()).toEqual(before);
  await expect(page.locator("#arrivals > li")).toHaveCount(0);
  await page.reload();
  await expect(list(page).getByRole("link")).toHaveCount(2);

  await row.getByRole("link").click();
  const approve = page.getByRole("button", { name: /^Approve/ });
  await page.getByRole("checkbox", { name: /identical/ }).check();
  await expect(approve).toHaveAccessibleName(/^Approve all 3:/);
  await expect(approve).toBeEnabled();
  await approve.click();
  for (const one of [first, second, third]) await expect.poll(async () => (await acme.agent.get(one.id)).status).toBe("approved");
});

test("where the row of identical requests ends, another one takes its place", async ({ operator: page, acme, server }) => {
  const first = await acme.agent.submit(actions.medium), second = await acme.agent.submit(actions.medium);
  await openQueue(page, server);
  await expect(page.locator("#live[data-state=live]")).toBeVisible();
  await expect(list(page).getByRole("link")).toHaveCount(1);
  await acme.agent.call("POST", `/api/v1/approvals/${first.id}/cancel`, {});
  await page.getByRole("button", { name: /^1 new/ }).click();
  await expect(page.locator(`#rows #approval-${second.id}`)).toBeVisible();
});
