// axe finds nothing, in both themes, from phone to desktop; nothing scrolls sideways.
import { test, expect, actions } from "./server.js";
import { violations } from "./axe.js";

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 768, 1440]) {
    test(`every page, ${colorScheme}, ${width} px`, async ({ operator: page, acme, server }) => {
      test.setTimeout(240_000); // eleven pages and axe on each
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const asked = {};
      for (const [level, action] of Object.entries(actions)) asked[level] = await acme.agent.submit(action);
      const paths = ["queue", "history", "audit", "audit/0", ...["medium", "high", "critical", "low"].map((level) => `approvals/${asked[level].id}`), "approvals/apr_none"];
      const check = async (what) => {
        expect(await violations(page), what).toEqual([]);
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(sideways, `${what} scrolls sideways`).toBeLessThanOrEqual(0);
      };
      for (const path of paths) {
        await page.goto(`${server.url}/t/acme/${path}`);
        await check(path);
      }
      await page.goto(`${server.url}/t/acme/approvals/${asked.high.id}`);
      await page.getByRole("button", { name: "Start questions" }).click();
      await check("quiz");
      await page.context().clearCookies();
      await page.goto(`${server.url}/sign-in`);
      await check("sign-in");
    });
  }
}
