// Ctrl+K and ?: everything by name, and what it means.
import { test, expect, actions, openQueue } from "./server.js";
import { looksRight } from "./looks.js";

const open = async (page) => {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Page, action or request" });
  await expect(box).toBeFocused();
  return box;
};
const option = (page, name) => page.getByRole("option", { name });

test("the palette opens a request, a page and a search, by keyboard alone", async ({ queue: page, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  await page.reload();
  await open(page);
  await page.keyboard.type("usr_123");
  await expect(option(page, /usr_123/).first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(asked.id));

  await open(page);
  await page.keyboard.type("history");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/history$/);

  await open(page);
  await page.keyboard.type("a b&c");
  await expect(page.getByRole("listbox", { name: "Found" }).getByRole("option")).toHaveCount(2); // nothing has that name: only the searches
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/audit\?text=a(\+|%20)b%26c/);

  await open(page);
  await page.keyboard.type(asked.id);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(asked.id));
});

test("the palette never approves: it moves to the button", async ({ operator: page, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(asked.console_url);
  const approve = page.getByRole("button", { name: /^Approve/ });
  await expect(approve).toBeEnabled({ timeout: 10_000 });
  await open(page);
  await page.keyboard.type("approve");
  await page.keyboard.press("Enter");
  await expect(approve).toBeFocused();
  await page.keyboard.press("Enter");
  expect((await acme.agent.call("GET", `/api/v1/approvals/${asked.id}`)).body.status).toBe("pending");
  await open(page);
  await page.keyboard.type("deny");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Reason" })).toBeVisible();
});

test("the palette finds the choices of the menu", async ({ queue: page }) => {
  await open(page);
  await page.keyboard.type("sound");
  await expect(option(page, /^Sound: off/)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-setting="sound"]')).toHaveAttribute("data-value", "critical");
});

test("the palette opens the handbook, and a page leads to what is written about it", async ({ queue: page }) => {
  await open(page);
  await page.keyboard.type("handbook polic");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/help\/policy$/);
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Versions", exact: true })).toBeInViewport();
  await looksRight(page, "handbook");
  await page.goBack();
  await page.goBack();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("link", { name: "About this page: What the approver reads" }).first().click();
  await page.waitForURL(/\/help\/reading$/);
});

test("palette and help look right", { tag: "@all" }, async ({ queue: page, acme }) => {
  await acme.agent.submit(actions.high);
  await page.reload();
  await open(page);
  await looksRight(page, "palette");
  await page.keyboard.press("Escape");
  await page.goto(`${new URL(page.url()).origin}/t/acme/help`);
  await expect(page.getByRole("row", { name: /HIGH.*three questions/ })).toBeVisible();
  await looksRight(page, "help");
});

test("a notification says how many and how high, and nothing that an agent wrote", async ({ operator: page, acme, server }) => {
  await page.addInitScript(() => {
    window.noted = [];
    window.Notification = class {
      static permission = "default";
      static async requestPermission() { return (this.permission = "granted"); }
      constructor(title, options) { window.noted.push({ title, ...options }); }
      addEventListener() {}
    };
    Object.defineProperty(document, "hidden", { get: () => window.away === true });
  });
  await acme.agent.submit(actions.medium); // in an empty queue arrivals show at once
  await openQueue(page, server);
  const arrive = async (n) => {
    await acme.agent.submit({ ...actions.high, arguments: { ...actions.high.arguments, user_id: `usr_12${n}` } }); // identical ones are one
    await expect(page.getByRole("button", { name: new RegExp(`^${n} new`) })).toBeVisible();
  };
  await page.evaluate(() => { window.away = true; });
  await arrive(1);
  expect(await page.evaluate(() => window.noted)).toEqual([]); // nobody asked for it
  await page.evaluate(() => { window.away = false; });
  await page.getByLabel(/^Signed in as/).click();
  await page.getByRole("button", { name: "Notify me in this browser" }).click();
  await expect(page.getByRole("button", { name: "Stop notifications" })).toBeVisible();
  await arrive(2);
  expect(await page.evaluate(() => window.noted)).toEqual([]); // somebody looks
  await page.evaluate(() => { window.away = true; });
  await arrive(3);
  const noted = await page.evaluate(() => window.noted);
  expect(noted).toHaveLength(1);
  expect(noted[0]).toMatchObject({ title: "3 new requests are waiting", body: "The highest is HIGH." });
  expect(JSON.stringify(noted)).not.toContain("usr_123");
});

test("a question mark explains a number where it stands", async ({ operator: page, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(asked.console_url);
  const mark = page.getByRole("button", { name: "What this means: Score" });
  await mark.press("Enter");
  await expect(page.getByRole("dialog", { name: "Score" })).toContainText("isn't a probability");
  await looksRight(page, "what a score means");
  await page.mouse.move(700, 20); // where the pointer goes, it stays
  await expect(page.getByRole("dialog", { name: "Score" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(mark).toBeFocused();
  const sealed = await acme.agent.submit(actions.high);
  await page.goto(sealed.console_url);
  await page.getByRole("button", { name: "What this means: Hidden score" }).click();
  await expect(page.getByRole("dialog", { name: "Hidden score" })).toBeVisible();
});
