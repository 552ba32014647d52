// The questions by the keyboard alone: where the focus is after each answer, after a set that
// failed and after one that passed, and what a screen reader says there.
import { test, expect, actions, answerTo } from "./server.js";

// tabTo presses Tab until an element has the focus.
async function tabTo(page, element) {
  for (let n = 0; n < 80; n++) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no Tab reaches ${element}`);
}

// atQuestion waits until the focus is on the question, which is said with its number.
async function atQuestion(page, n) {
  await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
  const question = page.locator("#quiz legend#question");
  await expect(question).toBeFocused();
  await expect(question).toHaveAccessibleDescription(new RegExp(`^Question ${n} of 3`));
}

// answer answers the question that has the focus, right or wrong: what is pressed is what the
// shortcuts page says.
async function answer(page, asked, right) {
  const { option } = await answerTo(page, asked, actions.high.arguments);
  await page.keyboard.press(String((right ? option : (option + 1) % 4) + 1));
  await page.keyboard.press("Enter");
}

async function start(page) {
  await tabTo(page, page.getByRole("button", { name: "Start questions" }));
  await page.keyboard.press("Enter");
}

test.beforeEach(({ page }) => {
  for (const gone of ["click", "dblclick", "hover", "tap"]) page[gone] = page.mouse[gone] = () => { throw new Error("a pointer was used"); };
});

test("the focus is on each question, on what a failure says, and on what is next", async ({ operator: page, server, acme }) => {
  test.slow();
  const asked = await acme.agent.submit(actions.high);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  for (const right of [false, true]) {
    await start(page);
    for (let n = 1; n <= 3; n++) {
      await atQuestion(page, n);
      await answer(page, asked, right || n < 3);
    }
    if (right) break;
    const failure = page.getByRole("alert").filter({ hasText: "attempt" });
    await expect(failure).toBeFocused();
  }
  await expect(page.getByText(asked.score.toFixed(3)).first()).toBeVisible();
  const next = page.locator("#missing").filter({ hasText: "press Space" });
  await expect(next).toBeFocused(); // and not the button: what is pressed once too often decides nothing
  const approve = page.getByRole("button", { name: /^Approve/ });
  await expect(approve).toBeEnabled({ timeout: 45_000 }); // after the minimum review time
  await expect(next).toBeFocused();
  await tabTo(page, approve);
});

test("the second failure says that someone else has to decide, with the focus on it", async ({ operator: page, server, acme }) => {
  test.slow();
  const asked = await acme.agent.submit(actions.high);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  for (let attempt = 1; attempt <= 2; attempt++) {
    await start(page);
    for (let n = 1; n <= 3; n++) {
      await atQuestion(page, n);
      await answer(page, asked, false);
    }
    await expect(page.getByRole("alert").filter({ hasText: "attempt" })).toBeFocused();
  }
  await expect(page.getByRole("button", { name: "Start questions" })).toHaveCount(0);
});

test("a CRITICAL request that comes while questions are open offers to leave them", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await start(page);
  await atQuestion(page, 1);
  const urgent = await acme.agent.submit(actions.critical);
  const leave = page.getByRole("button", { name: "Leave and open" });
  await expect(leave).toBeVisible();
  await expect(page.locator("#quiz")).toBeVisible(); // the questions go on
  await tabTo(page, leave);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/t/acme/approvals/${urgent.id}`);
  await expect(page.getByRole("button", { name: /^Approve/ })).toBeAttached();
});
