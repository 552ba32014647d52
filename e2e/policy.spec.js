// The policy: an admin tightens it and sees what it would have done, an operator
// proposes to loosen it, and nothing is loosened until an admin accepts.
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

const open = (page, server) => page.goto(`${server.url}/t/acme/settings/policy`);
const challenge = (page, level, name) => page.getByRole("radiogroup", { name: `Challenge at ${level}` }).getByRole("radio", { name, exact: true });
const preview = (page) => page.getByRole("button", { name: "Preview and replay" }).click();
const difference = (page) => page.getByRole("region", { name: /^What .*, table$/ }).getByRole("row");

test.use({ begin: "shipped" });

test("an admin tightens the policy after a replay, and the next action is asked as a quiz", async ({ queue: page, server, acme }) => {
  for (let n = 0; n < 3; n++) await acme.agent.submit({ ...actions.medium, session_id: `s${n}` });
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy" })).toBeVisible();
  await expect(page.getByText("Version 1, in force since")).toBeVisible();
  for (const [level, seconds] of Object.entries({ medium: "3", high: "10", critical: "30" })) await expect(page.locator(`[id="min_review_seconds.${level}"]`)).toHaveValue(seconds);
  await expect(challenge(page, "MEDIUM", "Confirm")).toBeChecked();
  await challenge(page, "MEDIUM", "Quiz").check();
  await preview(page);
  await expect(difference(page).filter({ hasText: "Challenge at MEDIUM" })).toContainText(/Confirm.*Quiz.*stricter/s);
  await expect(page.getByText("of the last 3 actions would change level")).toBeVisible();
  await expect(page.getByText("Stricter", { exact: true }).locator("..")).toContainText("3");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("link", { name: /^Enter a reason/ })).toBeVisible(); // it is asked for
  await page.getByRole("textbox", { name: "Reason" }).fill("People clicked too fast");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  await expect(page.getByText("People clicked too fast")).toBeVisible();
  const asked = await acme.agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, ticket: "OPS-48213", window: "2026-04-03T22:00" } }); // what the row does not say
  expect(asked.level).toBe("MEDIUM");
  expect(asked.challenge.kind).toBe("quiz");
});

test("an operator proposes to loosen, an admin sees the difference and accepts", async ({ operator: admin, server, acme, colleague }) => {
  const operator = await colleague("ben@acme.test", { roles: "operator" });
  await acme.agent.submit(actions.medium);
  await open(operator, server);
  await challenge(operator, "MEDIUM", "Approve automatically").check();
  await operator.getByRole("textbox", { name: "Reason" }).fill("Deployments to staging are harmless");
  await preview(operator);
  await expect(difference(operator).filter({ hasText: "Challenge at MEDIUM" })).toContainText("weaker");
  await expect(operator.getByRole("textbox", { name: "Reason" })).toHaveValue("Deployments to staging are harmless");
  await expect(operator.getByRole("button", { name: /^Save as/ })).toHaveCount(0);
  await operator.getByRole("button", { name: "Propose" }).click();
  await expect(operator.getByRole("heading", { level: 1, name: /^Proposal by/ })).toBeVisible();
  await expect(operator.getByRole("button", { name: /^(Accept|Reject)/ })).toHaveCount(0);
  await expect(operator.getByRole("button", { name: "Withdraw" })).toBeVisible();
  expect((await acme.agent.submit({ ...actions.medium, session_id: "before" })).status).toBe("pending");

  await open(admin, server);
  await admin.getByRole("region", { name: "Open proposals" }).getByRole("link").click();
  await expect(difference(admin).filter({ hasText: "Challenge at MEDIUM" })).toContainText(/Confirm.*Approve automatically.*weaker/s);
  await admin.getByRole("button", { name: "Accept as version 2" }).click();
  await expect(admin.getByRole("link", { name: /confirm that you.ve read/i })).toBeVisible(); // that it was read
  await admin.getByRole("checkbox", { name: /I've read the 1 setting/ }).check();
  await admin.getByRole("button", { name: "Accept as version 2" }).click();
  await expect(admin.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  expect((await acme.agent.submit({ ...actions.medium, session_id: "after" })).status).toBe("approved");
});

test("the marks of the scale move by pointer and keyboard, and never past each other", async ({ operator: page, server }) => {
  await open(page, server);
  const input = (level) => page.locator(`[id="thresholds.${level}"]`);
  const mark = (level) => page.getByRole("slider", { name: new RegExp(`${level} from`) });
  await mark("HIGH").focus();
  await page.keyboard.press("ArrowRight");
  await expect(input("high")).toHaveValue("0.61");
  await expect(mark("HIGH")).toHaveAttribute("aria-valuenow", "0.61");
  await page.keyboard.press("End");
  await expect(input("high")).toHaveValue("0.79"); // CRITICAL from 0.80
  await page.keyboard.press("Home");
  await expect(input("high")).toHaveValue("0.31");
  const box = await mark("CRITICAL").boundingBox(), scale = await page.locator("[data-scale]").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(scale.x + scale.width * 0.7, box.y + 4, { steps: 5 });
  await expect(input("critical")).toHaveValue("0.70");
  await page.mouse.move(scale.x, box.y + 4, { steps: 5 });
  await page.mouse.up();
  await expect(input("critical")).toHaveValue("0.32");
  await input("medium").fill("0.2");
  await expect(mark("MEDIUM")).toHaveAttribute("aria-valuenow", "0.2");
  await page.getByRole("button", { name: "Deny all" }).click();
  await expect(challenge(page, "LOW", "Deny")).toBeChecked();
  await expect(page.getByRole("button", { name: "Deny all" })).toHaveAttribute("aria-pressed", "true");
  await expect(input("medium")).toHaveValue("0.2");
});

test("what is wrong is said at its field, and nothing that was typed is lost", async ({ operator: page, server }) => {
  await open(page, server);
  await page.locator('[id="expiry_seconds"]').fill("10000000");
  await page.locator('[id="thresholds.medium"]').fill("0.9");
  await page.getByRole("textbox", { name: "Reason" }).fill("for\nlater");
  await page.locator('[id="grant_seconds"]').press("Enter"); // previews, and presses no preset
  await expect(page.locator("#errors")).toBeFocused();
  await expect(page.locator('[id="expiry_seconds"]')).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator('[id="expiry_seconds"]')).toHaveAccessibleDescription(/from 1 to 2,?592,?000/); // what would be accepted
  await page.locator("#errors").getByRole("link", { name: /expire after/ }).click();
  await expect(page.locator('[id="expiry_seconds"]')).toBeFocused();
  await expect(page.locator('[id="expiry_seconds"]')).toHaveValue("10000000");
  await expect(page.locator('[id="thresholds.medium"]')).toHaveValue("0.9");
  await expect(page.getByRole("textbox", { name: "Reason" })).toHaveValue("for\nlater");
});

test("only working hours count: their fields show with the box, and a clock that never runs is refused", async ({ operator: page, server, acme }) => {
  await open(page, server);
  const day = (name) => page.getByRole("textbox", { name, exact: true });
  await expect(day("Monday")).toBeHidden();
  await page.getByRole("checkbox", { name: "Only working hours count" }).check();
  for (const name of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]) await day(name).fill("");
  await preview(page);
  await expect(day("Monday")).toHaveAccessibleDescription(/hours on at least one day/);
  const tomorrow = new Date(Date.now() + 86_400_000).getUTCDay(); // and with it the next seven days are one
  await day(["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][tomorrow]).fill("00:00-24:00");
  await page.getByRole("textbox", { name: "Holidays" }).fill("2030-12-25 Christmas Day");
  await page.getByRole("textbox", { name: "Reason" }).fill("We sleep at night");
  await preview(page);
  await expect(difference(page).filter({ hasText: "Holidays" })).toContainText("2030-12-25 Christmas Day");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  const { id, expires_at } = await acme.agent.submit(actions.medium);
  expect(new Date(expires_at).getUTCDay()).toBe(tomorrow);
  await page.goto(`${server.url}/t/acme/approvals/${id}`);
  await expect(page.getByText(/With no decision, it's denied on .*Only working hours count/)).toBeVisible();
});

test("two admins at once: the second sees what changed, and keeps the draft", async ({ operator: page, server, colleague }) => {
  const other = await colleague("olga@acme.test", { roles: "admin" });
  await open(page, server);
  await open(other, server);
  await other.locator('[id="min_review_seconds.high"]').fill("20");
  await preview(other);
  await other.getByRole("textbox", { name: "Reason" }).fill("slower");
  await other.getByRole("button", { name: "Save as version 2" }).click();
  await expect(other.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  await page.locator('[id="grant_seconds"]').fill("120");
  await preview(page);
  await expect(page.getByText("The policy has changed")).toBeVisible();
  await expect(page.getByRole("region", { name: "What changed meanwhile, table" })).toContainText("Minimum review time at HIGH");
  await expect(page.locator('[id="grant_seconds"]')).toHaveValue("120");
  await expect(page.locator('[id="min_review_seconds.high"]')).toHaveValue("20");
  await preview(page);
  await expect(difference(page).filter({ hasText: "Approval valid for" })).toContainText("stricter");
  await expect(page.getByRole("button", { name: "Save as version 3" })).toBeVisible();
});

test("a draft is not lost by a wrong click", async ({ operator: page, server }) => {
  const asked = [];
  page.on("dialog", (dialog) => { asked.push(dialog.type()); return dialog.dismiss(); });
  const away = () => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "History" }).click();
  await open(page, server);
  await page.locator('[id="grant_seconds"]').fill("120");
  await away();
  await expect.poll(() => asked.length).toBe(1);
  await preview(page); // what is sent asks nothing
  await away();
  await expect.poll(() => asked.length).toBe(2);
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.locator('[id="grant_seconds"]')).toHaveValue("120");
  await away();
  await expect.poll(() => asked.length).toBe(3);
  await preview(page);
  await page.getByRole("textbox", { name: "Reason" }).fill("shorter");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  await open(page, server);
  await page.locator('[id="grant_seconds"]').fill("110");
  await page.locator('[id="grant_seconds"]').fill("120"); // as it is stored
  await away();
  await expect(page).toHaveURL(/[/]history$/);
  expect(asked).toEqual(["beforeunload", "beforeunload", "beforeunload"]);
});

test("the only admin types the organisation's name to loosen, and the version says so", async ({ operator: page, server }) => {
  await open(page, server);
  await page.locator('[id="grant_seconds"]').fill("3600");
  await page.getByRole("textbox", { name: "Reason" }).fill("slow agents");
  await preview(page);
  await page.getByRole("button", { name: "Save as version 2" }).click();
  const typed = page.getByRole("textbox", { name: /^Type acme to confirm/ });
  await expect(typed).toHaveAttribute("aria-invalid", "true");
  await typed.fill("acme");
  await typed.press("Enter"); // confirms nothing
  await expect(page.getByRole("button", { name: "Save as version 2" })).toBeVisible();
  await page.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByText("One person alone")).toBeVisible();
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  test("the numbers and a preset suffice", async ({ operator: page, server }) => {
    await open(page, server);
    await expect(page.getByRole("slider")).toHaveCount(0);
    await page.locator('[id="thresholds.high"]').fill("0.5");
    await page.getByRole("button", { name: "Deny all" }).click();
    await expect(challenge(page, "CRITICAL", "Deny")).toBeChecked();
    await expect(page.locator('[id="thresholds.high"]')).toHaveValue("0.5");
    await page.getByRole("textbox", { name: "Reason" }).fill("an incident");
    await preview(page);
    await expect(difference(page)).toHaveCount(6); // the head, four challenges, one threshold
    await page.getByRole("button", { name: "Keep editing" }).click();
    await expect(challenge(page, "LOW", "Deny")).toBeChecked();
    await expect(page.getByRole("textbox", { name: "Reason" })).toHaveValue("an incident");
    await preview(page);
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
  });
});

test("every policy page looks right", { tag: "@all" }, async ({ operator: page, server, acme, colleague }) => {
  test.setTimeout(240_000); // axe on eight pages
  await acme.agent.submit(actions.medium);
  const operator = await colleague("ben@acme.test", { roles: "operator" });
  await open(operator, server);
  await challenge(operator, "HIGH", "Confirm").check();
  await operator.getByRole("textbox", { name: "Reason" }).fill("too many questions");
  await preview(operator);
  await operator.getByRole("button", { name: "Propose" }).click();
  const proposal = operator.url();
  const reader = await colleague("olga@acme.test", { roles: "compliance" });
  for (const [one, path, what] of [[page, "", "form"], [reader, "", "read-only"], [page, "/versions", "versions"], [page, "/versions/1", "version"]]) {
    await one.goto(`${server.url}/t/acme/settings/policy${path}`);
    await looksRight(one, what);
  }
  await expect(reader.locator("main").locator("input, button, textarea")).toHaveCount(0);
  await looksRight(operator, "own proposal");
  await page.goto(proposal);
  await looksRight(page, "proposal");
  await open(page, server);
  await page.locator('[id="grant_seconds"]').fill("1");
  await preview(page);
  await looksRight(page, "errors");
  await page.locator('[id="grant_seconds"]').fill("60");
  await preview(page);
  await looksRight(page, "preview");
});
