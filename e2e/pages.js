// Every page of the console, for tests that hold all of them to the same.
import { expect, actions } from "./server.js";

// hostile is a call whose texts are long, and run from right to left.
export const hostile = {
  function: "delete_" + "customer_record_".repeat(12),
  arguments: { name: "דנה כהן מחלקת משאבי אנוש", path: "/srv/" + "a".repeat(400), note: "الحساب مغلق. \u202eevil", env: "production", user_id: "usr_" + "9".repeat(120) },
  docstring: "W".repeat(600), justification: "ق".repeat(300), session_id: "s".repeat(100),
};

// everyPage opens each page of an organisation that has something on it, once.
export async function everyPage(page, server, acme, look) {
  const asked = [];
  for (const action of [...Object.values(actions), hostile]) asked.push(await acme.agent.submit(action));
  const at = `${server.url}/t/acme`;
  await page.goto(`${at}/settings/policy`);
  const settings = await page.locator(".subnav a").evaluateAll((all) => all.map((a) => a.pathname));
  await page.goto(`${at}/queue`);
  const rooms = await page.locator(".nav a").evaluateAll((all) => all.map((a) => a.pathname));
  const paths = [...asked.map((one) => `/t/acme/approvals/${one.id}`), ...rooms, ...settings, "/t/acme/audit/0", "/t/acme/help", "/account", "/t/acme/approvals/apr_none"];
  expect(settings.length).toBeGreaterThan(4);
  for (const path of new Set(paths)) {
    await page.goto(server.url + path);
    await page.waitForLoadState();
    await look(path);
  }
}
