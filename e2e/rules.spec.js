// The pages of rules, patterns and functions: an admin adds a rule in CEL, tries it,
// saves it, and the next submission is held by it; the same without JavaScript and with
// the keyboard alone; axe finds nothing.
import { test, expect } from "./server.js";
import { looksRight, violations } from "./looks.js";

test.use({ begin: "shipped" });

const settings = (server, page) => `${server.url}/t/acme/settings/${page}`;
const copy = { function: "copy_files", code: "cp /backup/x /tmp", arguments: { a: 1, b: 2, c: 3, d: 4 }, docstring: "Copy." };

async function addRule(page) {
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("backup_copies");
  await page.getByRole("radio", { name: /^an expression/ }).check();
  await page.getByLabel("Pattern or expression").fill('action.cod.contains("/backup/")');
  await page.getByLabel("Level", { exact: true }).selectOption("HIGH");
  await page.getByLabel("Reason", { exact: true }).fill("Copies backups");
  await page.getByRole("button", { name: "Add to draft" }).click();
  await expect(page.getByRole("link", { name: /line 1, column 7: undefined field 'cod'/ })).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("backup_copies"); // nothing typed is lost
  await page.getByLabel("Pattern or expression").fill('action.code.contains("/backup/") && size(action.arguments) > 3');
  await page.getByRole("button", { name: "Add to draft" }).click();
  await expect(page.getByText("1 change in this draft")).toBeVisible();
}

async function tryIt(page) {
  await page.getByLabel("Function", { exact: true }).fill(copy.function);
  await page.getByLabel("Arguments", { exact: true }).fill(JSON.stringify(copy.arguments));
  await page.getByLabel("Code", { exact: true }).fill(copy.code);
  await page.getByRole("button", { name: "Try it", exact: true }).click();
  const said = page.getByRole("status", { name: "Result with this draft" });
  await expect(said).toContainText("would be held for a person");
  await expect(said.getByRole("link", { name: "backup_copies" })).toBeVisible();
}

async function save(page) {
  await page.getByRole("button", { name: "Preview and replay" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Preview of a draft" })).toBeVisible();
  await expect(page.getByRole("row", { name: /Custom rule backup_copies/ })).toContainText("stricter");
  await page.getByRole("textbox", { name: "Reason" }).fill("Backups are looked at");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
}

async function held(acme) {
  const asked = await acme.agent.submit(copy);
  expect(asked.status).toBe("pending");
  expect(asked.assessment.rules.triggered_rules).toContain("backup_copies");
}

test("an admin adds a rule in CEL, tries it, saves it, and it holds", async ({ operator: page, server, acme }) => {
  expect((await acme.agent.submit({ ...copy, session_id: "before" })).assessment.rules.triggered_rules).not.toContain("backup_copies");
  await page.goto(settings(server, "policy"));
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Rules" }).click();
  await addRule(page);
  await tryIt(page);
  await page.getByLabel("Code", { exact: true }).fill("ls"); // it answers while one types
  await expect(page.getByRole("status", { name: "Result with this draft" })).not.toContainText("backup_copies");
  await save(page);
  await held(acme);
  await page.goto(settings(server, "rules") + "?q=backup_copies");
  await expect(page.locator("details.list-row")).toHaveCount(1);
});

test("the same without JavaScript", async ({ another, enter, server, acme }) => {
  const page = await another({ javaScriptEnabled: false });
  await enter(page);
  await page.goto(settings(server, "rules"));
  await page.getByRole("searchbox", { name: "Search rules" }).fill("sudo");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page).toHaveURL(/\?q=sudo&/);
  await expect(page.getByText("rm_recursive")).toHaveCount(0);
  await page.getByRole("link", { name: "Show all" }).click();
  await addRule(page);
  await tryIt(page);
  await save(page);
  await held(acme);
});

test("a shipped rule is switched off with the keyboard, and that needs to be confirmed", async ({ operator: page, server, acme }) => {
  void acme;
  await page.goto(settings(server, "rules"));
  const row = page.locator("#rule-sudo_command");
  await row.locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(row.getByRole("button", { name: "Replace the rule sudo_command" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Turn off rule sudo_command: added (weaker)")).toBeVisible();
  await expect(row).toHaveAttribute("open", "");
  await expect(row).toContainText("off");
  await page.getByRole("button", { name: "Preview and replay" }).click();
  await expect(page.getByText("This weakens the policy, and you're the only admin")).toBeVisible();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.getByText("1 change in this draft")).toBeVisible();
});

test("patterns and functions are edited", async ({ operator: page, server, acme }) => {
  void acme;
  await page.goto(settings(server, "patterns") + "?q=jwt");
  await page.locator("#pattern-jwt summary").click();
  await page.getByRole("button", { name: "Severity and action of the pattern jwt" }).click();
  await page.getByLabel("Action", { exact: true }).selectOption("block");
  await page.getByRole("button", { name: "Add to draft" }).click();
  await expect(page.locator("#pattern-jwt")).toContainText("overridden");
  await page.goto(settings(server, "functions"));
  await page.getByRole("button", { name: "Add a function" }).click();
  await page.getByLabel("Name or glob").fill("copy_*");
  await page.getByLabel("Lowest level").selectOption("CRITICAL");
  await page.getByLabel("Hints").fill('{"irreversible": true}');
  await page.getByRole("button", { name: "Add to draft" }).click();
  await page.getByLabel("Function", { exact: true }).fill("COPY_files");
  await expect(page.getByRole("status", { name: "Result with this draft" })).toContainText("CRITICAL");
});

test("patterns are folded by category until somebody asks, and a draft stays", async ({ operator: page, server, acme }) => {
  void acme;
  await page.goto(settings(server, "patterns"));
  await expect(page.locator(".list-row")).toHaveCount(0);
  await page.getByRole("link", { name: "Show Secrets" }).click();
  await page.locator("#pattern-jwt summary").click();
  await page.getByRole("button", { name: "Turn off the pattern jwt" }).click();
  await expect(page.getByText("1 change in this draft")).toBeVisible();
  await page.getByRole("button", { name: "Show Injection" }).click();
  await expect(page.getByText("1 change in this draft")).toBeVisible();
  await expect(page.locator("#pattern-jwt")).toHaveCount(0);
  await page.getByLabel("Code", { exact: true }).fill("key = 'AKIAIOSFODNN7EXAMPLE'");
  await page.getByRole("button", { name: "Try it", exact: true }).click();
  const found = page.getByRole("status", { name: "Result with this draft" }).getByRole("button").first();
  const id = (await found.innerText()).trim();
  // A result that comes while the person presses the button leaves the button where it is.
  const button = await found.elementHandle();
  const swapped = page.evaluate(() => new Promise((done) => document.addEventListener("htmx:after:swap", () => done(), { once: true })));
  await page.getByRole("button", { name: "Try it", exact: true }).click();
  await swapped;
  expect(await button.evaluate((element) => element.isConnected)).toBe(true);
  await found.click();
  await expect(page.locator(`#pattern-${id}`)).toHaveAttribute("open");
  await expect(page.getByText("1 change in this draft")).toBeVisible();
});

test("patterns and rules are filtered by level and state, with a draft and without", async ({ operator: page, server, acme }) => {
  void acme;
  await page.goto(settings(server, "patterns"));
  await page.getByLabel("Filter by level").selectOption("CRITICAL");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const rows = page.locator(".list-row");
  await expect(rows).not.toHaveCount(0);
  await expect(page.locator('.list-row use[href$="#lv-2"], .list-row use[href$="#lv-3"]')).toHaveCount(0);
  await rows.first().locator("summary").click();
  await rows.first().getByRole("button", { name: /^Turn off/ }).click();
  await expect(page.getByText("1 change in this draft")).toBeVisible();
  await expect(page.getByLabel("Filter by level")).toHaveValue("CRITICAL");
  await page.getByLabel("Filter by state").selectOption("Off");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByText("1 change in this draft")).toBeVisible();

  await page.goto(settings(server, "rules?state=changed"));
  await expect(page.getByText("Nothing has this level and state.")).toBeVisible();
  await page.getByRole("link", { name: "Show all" }).click();
  await expect(rows).not.toHaveCount(0);
});

// The patterns are two hundred of the same rows, of which axe needs seconds for each
// look: it reads all of them once, and some of them in every look.
for (const place of ["rules", "patterns?q=token", "functions"]) {
  test(`${place} looks right`, { tag: "@all" }, async ({ operator: page, server, acme }) => {
    test.setTimeout(240_000);
    void acme;
    await page.goto(settings(server, place));
    const entry = page.locator("details.list-row summary").first();
    if (await entry.count()) await entry.click();
    await looksRight(page, place);
    await page.getByRole("button", { name: /^Add a (rule|pattern|function)$/ }).click();
    await page.getByRole("button", { name: "Add to draft" }).click();
    await expect(page.locator('main [aria-invalid="true"]').first()).toBeVisible();
    await looksRight(page, `${place}, refused`);
  });
}

test("all patterns, and a draft that was tried, look right", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  void acme;
  await page.goto(settings(server, "patterns"));
  await looksRight(page, "patterns, folded");
  await page.goto(settings(server, "patterns") + "?group=category-secrets");
  expect(await violations(page)).toEqual([]);
  await page.goto(settings(server, "rules"));
  await page.getByRole("button", { name: "Turn off the extended rules" }).click();
  await tryOnce(page);
  await looksRight(page, "rules, tried");
  await page.setViewportSize({ width: 360, height: 900 });
  for (const b of await page.locator("main button:visible, main summary:visible").all()) expect((await b.boundingBox()).height).toBeGreaterThanOrEqual(48);
});

async function tryOnce(page) {
  await page.getByLabel("Code", { exact: true }).fill("sudo rm -rf /srv");
  await page.getByRole("button", { name: "Try it", exact: true }).click();
  await expect(page.getByRole("status", { name: "Result with this draft" })).toContainText("sudo_command");
}
