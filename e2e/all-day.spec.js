// A tab that is left open: after hundreds of requests that came and went it is as right
// and as small as in the morning.
import { test, expect, actions, all } from "./server.js";

// size is what the page holds after the browser has thrown away what nobody needs.
async function size(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await session.send("Performance.enable");
  for (let n = 0; n < 3; n++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const of = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  return { nodes: of.Nodes, listeners: of.JSEventListeners, heap: of.JSHeapUsedSize };
}

// pass has requests come, and has their agent take them back, until the page knows of all of it.
async function pass(page, agent, count) {
  for (let n = 0; n < count; n += 10) {
    const asked = await Promise.all(Array.from({ length: 10 }, (_, k) => agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, version: `${count}.${n + k}` } })));
    await Promise.all(asked.map(({ id }) => agent.call("POST", `/api/v1/approvals/${id}/cancel`, {})));
  }
  // Pushes come in order: when one more came and went, all before it did. Counts alone
  // would not do, for they pass through 2 and 1 with every ten.
  const last = await agent.submit(actions.medium);
  await expect(page.locator(`#arrivals > #approval-${last.id}`)).toHaveCount(1);
  await agent.call("POST", `/api/v1/approvals/${last.id}/cancel`, {});
  await expect(page.locator("#arrivals > li")).toHaveCount(0);
  await expect(page.locator("#queue-count")).toHaveText("1"); // the one that stays
}

test("a tab that saw hundreds of requests come and go is right, and no larger", async ({ queue: page, acme }) => {
  test.setTimeout(240_000);
  const stays = await acme.agent.submit(actions.high);
  await page.reload();
  await expect(page.locator("#live")).toHaveAttribute("data-state", "live");
  await pass(page, acme.agent, all ? 100 : 30); // by now the browser and htmx hold what they hold anyway
  const before = await size(page);
  await pass(page, acme.agent, all ? 400 : 60);
  const after = await size(page);
  expect(after.nodes, "nodes").toBeLessThan(before.nodes * 1.1 + 200);
  expect(after.listeners, "listeners").toBeLessThan(before.listeners * 1.1 + 20);
  expect(after.heap, "bytes of the heap").toBeLessThan(before.heap * 1.2 + 500_000);

  await expect(page.locator(`#approval-${stays.id}`)).not.toHaveAttribute("data-done");
  await expect(page.locator("#queue-count")).toHaveText("1");
  const last = await acme.agent.submit(actions.critical);
  await page.getByRole("button", { name: /^1 new/ }).click();
  await expect(page.getByRole("list", { name: "Pending approvals" }).getByRole("link").first()).toHaveAttribute("href", new RegExp(last.id));
});
