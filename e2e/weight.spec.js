// What a page weighs with gzip: HTML and script, whoever wrote the script.
import { gzipSync } from "node:zlib";
import { test, expect } from "./server.js";
import { everyPage } from "./pages.js";

test("no page takes more than 60 KiB of HTML and script", async ({ operator: page, server, acme }) => {
  test.setTimeout(180_000);
  const weighed = [];
  await everyPage(page, server, acme, async (path) => {
    const [text, script] = await page.evaluate(async () => {
      const scripts = performance.getEntriesByType("resource").filter((one) => one.name.includes(".js?"));
      return [await (await fetch(location.href)).text(), scripts.reduce((sum, one) => sum + one.encodedBodySize, 0)];
    });
    const html = gzipSync(text, { level: 9 }).length;
    expect(html, path).toBeGreaterThan(1000);
    expect(script, path).toBeGreaterThan(1000);
    weighed.push({ path, html, script, all: html + script });
  });
  weighed.sort((a, b) => b.all - a.all);
  expect(weighed.filter((one) => one.all > 60 * 1024)).toEqual([]);
});
