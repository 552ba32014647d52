// What a page weighs with gzip: HTML and script, whoever wrote the script. Lists are as long as
// a page shows them, and the policy has entries of everything.
import { gzipSync } from "node:zlib";
import { test, expect, actions, setPolicy } from "./server.js";
import { everyPage } from "./pages.js";

const names = (n) => [...Array(n).keys()];
const policy = `functions:
${names(60).map((n) => `  - {glob: "internal_service_${n}_*", effect: write, reason: "the owners of service ${n} reviewed it"}`).join("\n")}
`;

test("no page takes more than 60 KiB of HTML and script", async ({ operator: page, server, acme }) => {
  test.setTimeout(480_000);
  setPolicy(server, "acme", policy);
  const one = (n) => acme.agent.submit({ ...actions.medium, arguments: { service: `checkout-api-${(n * 7919) % 997}`, version: `4.${n}.2`, env: n % 3 ? "staging" : "production", replicas: n }, justification: `Release ${n} of the train of this week, asked for by team ${n % 9}.`, session_id: `release-4.${n % 30}` });
  for (const n of names(60)) await one(n);
  await page.goto(`${server.url}/t/acme/queue?select=1`);
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The release was called off; ask again with the next one.");
  await page.getByRole("button", { name: /^Deny/ }).last().click();
  await expect(page.getByRole("main")).toContainText("60");
  await page.goto("about:blank"); // which draws no arrivals
  for (const n of names(60)) await one(n + 60);
  const weighed = [], rows = {};
  await everyPage(page, server, acme, async (path) => {
    const [text, script] = await page.evaluate(async () => {
      const scripts = performance.getEntriesByType("resource").filter((one) => one.name.includes(".js?"));
      return [await (await fetch(location.href)).text(), scripts.reduce((sum, one) => sum + one.encodedBodySize, 0)];
    });
    const html = gzipSync(text, { level: 9 }).length;
    expect(html, path).toBeGreaterThan(1000);
    expect(script, path).toBeGreaterThan(1000);
    rows[path] = text.match(/id="approval-/g)?.length ?? 0;
    weighed.push({ path, html, script, all: html + script });
  });
  weighed.sort((a, b) => b.all - a.all);
  if (process.env.WEIGHTS) console.table(weighed.slice(0, 12));
  expect(weighed.filter((one) => one.all > 60 * 1024)).toEqual([]);
  for (const path of ["queue", "history"]) expect(rows[`/t/acme/${path}`], `rows of the ${path}`).toBe(50); // as many as one page draws
});
