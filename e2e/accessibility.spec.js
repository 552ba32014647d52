// axe finds nothing, in both themes, from phone to desktop; nothing scrolls sideways.
import { test, expect, actions, all, giveAnswer } from "./server.js";
import { everyPage } from "./pages.js";
import { clean, looksRight } from "./looks.js";

test.use({ begin: "shipped" });

const axeOnAll = (theme) => async ({ operator: page, acme, server }) => {
  test.setTimeout(600_000); // fifty pages
  const found = [];
  const opened = await everyPage(page, server, acme, async (path) => { found.push(...(await clean(page, path, theme))); });
  expect(found).toEqual([]);
  expect(opened.length).toBeGreaterThan(all ? 45 : 8); // a link that is gone takes its page out of all these tests
};
test("axe finds nothing on any page, light", axeOnAll("light"));
test("axe finds nothing on any page, dark", axeOnAll("dark"));

test.describe("before one is signed in", () => {
  test.use({ begin: "empty" });
  test("axe finds nothing", async ({ page, server }) => {
    const found = [];
    for (const path of ["/sign-in", new URL(server.firstRun).pathname + new URL(server.firstRun).search, "/join?ticket=x", "/new-password?ticket=x", "/nowhere"]) {
      await page.goto(server.url + path);
      for (const field of await page.locator("input:is([type=email], [type=password], [name=name])").all()) await expect(field, path).toHaveAttribute("autocomplete", /^(username|email|name|current-password|new-password)$/);
      for (const theme of ["light", "dark"]) found.push(...(await clean(page, path, theme)));
    }
    expect(found).toEqual([]);
  });
});

test("every page looks right", { tag: "@all" }, async ({ operator: page, acme, server }) => {
  test.setTimeout(240_000); // eleven pages and axe on each
  const asked = {};
  for (const [level, action] of Object.entries(actions)) asked[level] = await acme.agent.submit(action);
  const paths = ["queue", "history", "audit", "audit/0", ...["medium", "high", "critical", "low"].map((level) => `approvals/${asked[level].id}`), "approvals/apr_none"];
  for (const path of paths) {
    await page.goto(`${server.url}/t/acme/${path}`);
    await looksRight(page, path);
  }
  await page.goto(`${server.url}/t/acme/approvals/${asked.high.id}`);
  await page.getByRole("button", { name: "Start questions" }).click();
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    await looksRight(page, `question ${n}`);
    if (n < 3) await giveAnswer(page, asked.high, actions.high.arguments);
  }
  await page.context().clearCookies();
  await page.goto(`${server.url}/sign-in`);
  await looksRight(page, "sign-in");
});
