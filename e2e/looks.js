// How a page looks to everybody: in both themes, from phone to desktop, axe finds
// nothing and nothing scrolls sideways. The page stays as it is in between, so a state
// that took ten clicks is reached once.
import axe from "axe-core";
import { expect } from "./server.js";

export const widths = [360, 768, 1440];

// What axe finds on a page, as one line for each rule that is broken. It runs in the
// page itself: @axe-core/playwright opens another page to collect the results of
// frames, of which there are none, and takes twice as long.
export async function violations(page) {
  await page.waitForLoadState(); // a page that is still read has elements without their text
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source); // it takes as long to read as to run
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

// looksRight holds what a page shows now to all of it, and leaves the page at the width
// and theme that it had. SHOTS=folder keeps a picture of each.
export async function looksRight(page, what) {
  const before = page.viewportSize();
  await page.mouse.move(0, 0);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), `${what} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${what.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`, fullPage: true });
      expect.soft(await violations(page), `${what}, ${colorScheme}, ${width} px`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(before);
}
