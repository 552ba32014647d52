// What axe finds on a page, as one line for each rule that is broken. It runs in the
// page itself: @axe-core/playwright opens another page to collect the results of
// frames, of which there are none, and takes twice as long.
import axe from "axe-core";

export async function violations(page) {
  await page.waitForLoadState(); // a page that is still read has elements without their text
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}
