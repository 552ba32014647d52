// How many inputs a decision takes, counted in the browser: keys and clicks that a person makes,
// to the decision and on to the next request. A fresh sign-in is not counted. Characters of a
// typed answer or target are counted apart.
import { test, expect, actions, answerTo } from "./server.js";

// counted counts what people do, on every page from now on.
async function counted(page) {
  const inputs = { keys: 0, clicks: 0, typed: 0 };
  await page.exposeFunction("countInput", (kind) => { inputs[kind]++; });
  const count = () => {
    addEventListener("keydown", (event) => {
      if (!event.isTrusted || event.repeat) return;
      const character = event.key.length === 1 && event.target.matches?.("input:not([type=radio], [type=checkbox]), textarea");
      window.countInput(character ? "typed" : "keys");
    }, true);
    addEventListener("pointerdown", (event) => { if (event.isTrusted) window.countInput("clicks"); }, true);
  };
  await page.addInitScript(count);
  return inputs;
}

// between opens a request that another one waits behind.
async function between(page, acme, action) {
  const asked = await acme.agent.submit(action);
  await acme.agent.submit({ ...actions.medium, arguments: { ...actions.medium.arguments, version: "4.19.0" } });
  const inputs = await counted(page);
  await page.goto(asked.console_url);
  return { asked, inputs, approve: page.getByRole("button", { name: /^Approve/ }) };
}

// next waits for the decision and goes on with the key.
async function next(page, acme, asked, act) {
  await expect(page.locator("[data-request][data-final] > [data-outcome] > .notice")).toBeFocused(); // which its script does: keys work from then on
  expect((await acme.agent.get(asked.id)).status).toBe("approved");
  await act();
  await expect(page.locator(`[data-request]:not([data-request="${asked.id}"])`)).toBeVisible();
}

test("MEDIUM takes 3 keys, the next request included", async ({ operator: page, acme }) => {
  const { asked, inputs, approve } = await between(page, acme, actions.medium);
  await expect(approve).toBeEnabled();
  await page.keyboard.press("a");
  await page.keyboard.press("Space");
  await next(page, acme, asked, () => page.keyboard.press("n"));
  expect(inputs).toEqual({ keys: 3, clicks: 0, typed: 0 });
});

test("MEDIUM takes 2 clicks, the next request included", async ({ operator: page, acme }) => {
  const { asked, inputs, approve } = await between(page, acme, actions.medium);
  await expect(approve).toBeEnabled();
  await approve.click();
  await next(page, acme, asked, () => page.getByRole("link", { name: "Next request" }).click());
  expect(inputs).toEqual({ keys: 0, clicks: 2, typed: 0 });
});

test("HIGH takes 9 keys, the next request included", async ({ operator: page, acme }) => {
  const { asked, inputs, approve } = await between(page, acme, actions.high);
  await page.keyboard.press("a");
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    const { option } = await answerTo(page, asked, actions.high.arguments);
    await page.keyboard.press(String(option + 1));
    // The last answer with the key for Approve goes on to Approve where all were right.
    await page.keyboard.press(n === 3 ? "a" : "Enter");
    if (n === 3) await expect(approve).toBeEnabled();
  }
  await expect(approve).toBeFocused();
  await page.keyboard.press("Space");
  await next(page, acme, asked, () => page.keyboard.press("n"));
  expect(inputs.clicks).toBe(0);
  expect(inputs.keys).toBeLessThanOrEqual(9);
});

test("CRITICAL takes the target, a key for each box and 4 more, the next request included", async ({ operator: page, acme }) => {
  const { asked, inputs, approve } = await between(page, acme, actions.critical);
  const target = "billing.invoices_2023", boxes = await page.getByRole("checkbox").count();
  expect(boxes).toBeGreaterThan(0);
  await page.keyboard.press("a");
  await expect(page.getByRole("textbox", { name: /^Type .* to confirm/ })).toBeFocused();
  await page.keyboard.type(target);
  await page.keyboard.press("Enter");
  for (let n = 1; n <= boxes; n++) await page.keyboard.press(String(n));
  await expect(approve).toBeFocused();
  await page.keyboard.press("Space");
  await next(page, acme, asked, () => page.keyboard.press("n"));
  expect(inputs).toEqual({ keys: boxes + 4, clicks: 0, typed: target.length });
});
