// Every decision by the keyboard alone: no pointer, and no focus that a test sets. What
// is pressed is what the shortcuts page says, Tab, the arrows, Space and Enter.
import { test, expect, actions, answerTo, setPolicy } from "./server.js";

// tabTo presses Tab until an element has the focus, as somebody would who cannot point.
async function tabTo(page, element, key = "Tab") {
  for (let n = 0; n < 80; n++) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`no ${key} reaches ${element}`);
}

async function openFirst(page) {
  await page.reload();
  await expect(page.getByRole("list", { name: "Pending approvals" }).getByRole("link")).toHaveCount(1);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/approvals\//);
}

async function approve(page) {
  const button = page.getByRole("button", { name: /^Approve/ });
  await expect(button).toBeEnabled({ timeout: 45_000 });
  await page.keyboard.press("a");
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter"); // pressed once too often anywhere, it must not decide
  await page.keyboard.press("Space");
}

test.beforeEach(({ page }) => {
  for (const gone of ["click", "dblclick", "hover", "tap"]) page[gone] = page.mouse[gone] = () => { throw new Error("a pointer was used"); };
});

test("a denial", async ({ queue: page, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  await openFirst(page);
  await page.keyboard.press("d");
  await expect(page.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await page.keyboard.type("Not during the freeze");
  await tabTo(page, page.getByRole("button", { name: /^Deny:/ }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("Not during the freeze")).toBeVisible();
  const told = await acme.agent.get(asked.id);
  expect([told.status, told.decision.reason]).toEqual(["denied", "Not during the freeze"]);
});

test("a click that is deliberate", async ({ queue: page, acme }) => {
  const asked = await acme.agent.submit(actions.medium);
  const answer = acme.agent.answer(asked.id);
  await openFirst(page);
  await approve(page);
  expect((await answer).status).toBe("approved");
});

test("the key for Approve, pressed too early, leads there once it opens", async ({ operator: page, acme, server }) => {
  setPolicy(server, "acme", "min_review_seconds: {medium: 5}\n");
  const asked = await acme.agent.submit(actions.medium);
  await page.goto(asked.console_url);
  const button = page.getByRole("button", { name: /^Approve/ });
  await expect(button).toBeDisabled();
  await page.keyboard.press("a");
  await expect(page.getByRole("status")).toHaveText("Approve isn't available yet.");
  await expect(button).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.locator("[data-final]")).toBeVisible();
  expect((await acme.agent.get(asked.id)).status).toBe("approved");
});

test("a quiz", async ({ queue: page, acme }) => {
  const asked = await acme.agent.submit(actions.high);
  const answer = acme.agent.answer(asked.id);
  await openFirst(page);
  await tabTo(page, page.getByRole("button", { name: "Start questions" }));
  await page.keyboard.press("Enter");
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    const { option } = await answerTo(page, asked, actions.high.arguments);
    const group = page.getByRole("radiogroup");
    await tabTo(page, group.getByRole("radio").first());
    await page.keyboard.press("Space");
    for (let down = 0; down < option; down++) await page.keyboard.press("ArrowDown");
    await expect(group.getByRole("radio").nth(option)).toBeChecked();
    await tabTo(page, page.getByRole("button", { name: "Answer" }));
    await page.keyboard.press("Enter");
  }
  await expect(page.getByText(asked.score.toFixed(3)).first()).toBeVisible();
  await approve(page);
  expect((await answer).status).toBe("approved");
});

test("a typed confirmation", async ({ queue: page, acme }) => {
  const asked = await acme.agent.submit(actions.critical);
  const answer = acme.agent.answer(asked.id);
  await openFirst(page);
  await tabTo(page, page.getByRole("textbox", { name: /^Type .* to confirm/ }));
  await page.keyboard.type("billing.invoices_2023");
  for (const box of await page.getByRole("checkbox").all()) {
    await tabTo(page, box);
    await page.keyboard.press("Space");
  }
  await approve(page);
  expect((await answer).status).toBe("approved");
});
