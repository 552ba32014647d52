// How a page looks to everybody: in both themes, from phone to desktop, axe finds
// nothing and nothing scrolls sideways. The short run has axe look at the main pages only
// (accessibility.spec.js), and holds the others to the width of a phone. The page stays as it is in between, so a state
// that took ten clicks is reached once.
import axe from "axe-core";
import { all, expect } from "./server.js";

const widths = all ? [360, 768, 1440] : [360];

// What axe finds on a page, as one line for each rule that is broken. It runs in the
// page itself: @axe-core/playwright opens another page to collect the results of
// frames, of which there are none, and takes twice as long.
export async function violations(page) {
  await page.waitForLoadState(); // a page that is still read has elements without their text
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source); // it takes as long to read as to run
  const found = await page.evaluate(async () => {
    const all = await window.axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } });
    const lines = all.violations.map((v) => ({ id: v.id, targets: v.nodes.map((n) => n.target.join(" ")) }));
    // What stays at the foot of the window may cover half of a target: that is measured where it is in view.
    const scroller = document.scrollingElement;
    for (const line of lines.filter((l) => l.id === "target-size")) {
      const small = [];
      for (const target of line.targets) {
        const before = [scroller, ...document.querySelectorAll("*")].filter((e) => e.scrollTop).map((e) => [e, e.scrollTop]);
        document.querySelector(target).scrollIntoView({ block: "center" });
        const again = await window.axe.run({ runOnly: ["target-size"], resultTypes: ["violations"] });
        if (again.violations.some((v) => v.nodes.some((n) => n.target.join(" ") === target))) small.push(target);
        for (const e of [scroller, ...document.querySelectorAll("*")]) if (e.scrollTop) e.scrollTop = before.find(([was]) => was === e)?.[1] ?? 0;
      }
      line.targets = small;
    }
    return lines.filter((l) => l.targets.length);
  });
  return found.map((v) => `${v.id}: ${v.targets.join(", ")}`);
}

// clean is that axe finds nothing on this page: in light as wide as a desk, in dark as a phone.
// Both themes have the same elements, and each width has its own.
export async function clean(page, what, colorScheme) {
  const before = page.viewportSize(), found = [], width = { light: 1440, dark: 360 }[colorScheme];
  await page.mouse.move(0, 0);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height: 900 });
  for (const one of await violations(page)) found.push(`${what} at ${width} px, ${colorScheme}: ${one}`);
  await page.setViewportSize(before);
  return found;
}

// looksRight holds what a page shows now to all of it, and leaves the page at the width
// and theme that it had. SHOTS=folder keeps a picture of each.
export async function looksRight(page, what) {
  const before = page.viewportSize();
  await page.mouse.move(0, 0);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), `${what} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    for (const colorScheme of all ? ["light", "dark"] : []) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${what.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`, fullPage: true });
      expect.soft(await violations(page), `${what}, ${colorScheme}, ${width} px`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(before);
}
