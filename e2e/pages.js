// Every page of the console, for tests that hold all of them to the same.
import { expect, actions, all } from "./server.js";

// hostile is a call whose texts are long, and run from right to left.
export const hostile = {
  function: "delete_" + "customer_record_".repeat(12),
  arguments: { name: "דנה כהן מחלקת משאבי אנוש", path: "/srv/" + "a".repeat(400), note: "الحساب مغلق. \u202eevil", env: "production", user_id: "usr_" + "9".repeat(120) },
  docstring: "W".repeat(600), justification: "ق".repeat(300), session_id: "s".repeat(100),
};

const tools = JSON.stringify({ tools: [
  { name: "list_frobs", description: "Lists frobs.", inputSchema: { type: "object" } },
  { name: "frobnicate", description: "Looks at a frob.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
] });

// furnish gives an organisation one of each thing that has a page of its own: a channel, a team, a rule,
// tools, a proposal, and a request that was denied.
async function furnish(page, server, denied) {
  const at = `${server.url}/t/acme`, main = page.getByRole("main");
  server.grant("olga@acme.test");
  await page.goto(`${at}/settings/notices/new?kind=webhook`);
  await page.getByLabel("Name", { exact: true }).fill("#" + "operations-".repeat(6));
  await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:9/hook");
  await page.getByRole("button", { name: "Add channel" }).click();
  await expect(page.locator("#secret")).toBeVisible();
  await page.goto(`${at}/settings/notices/routing/teams/new`);
  await page.getByLabel("Name", { exact: true }).fill("Payments");
  await page.locator("#members").fill("1");
  await page.getByLabel("Length of a turn").fill("7");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Payments", level: 1 })).toBeVisible();
  await page.goto(`${at}/settings/notices/routing/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Production at night");
  await page.getByRole("region", { name: "Step 1" }).getByLabel("Everyone in Payments").check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Production at night" })).toBeVisible();
  await page.goto(`${at}/settings/agents`);
  await main.getByRole("link", { name: "support-triage", exact: true }).click();
  await page.getByRole("link", { name: /tools/i }).click();
  await page.getByLabel("Server (optional)").fill("frobs");
  await page.getByLabel("Or paste the list").fill(tools);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("button", { name: "Preview and propose" }).click();
  await page.getByRole("button", { name: "Send to a second admin" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /^Proposal by/ })).toBeVisible();
  await page.goto(denied.console_url);
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not this week: " + "w".repeat(200));
  await page.getByRole("button", { name: /^Deny/ }).last().click();
  await expect(page).toHaveTitle(/Denied/);
}

// shape is the same for pages that differ only in what they are about.
export const shape = (path) => path.replace(/\?.*/, "").split("/").map((part) => (/^[0-9]+$|^[a-z]{2,4}_[0-9a-zA-Z]+$|[0-9a-f-]{30}/.test(part) ? ":id" : part)).join("/");

// everyPage opens each page of an organisation that has something on it, once: each request, and
// whatever a link leads to from there. Of pages that differ only in an id it opens the first. The
// short run opens the main pages: a request of each level, the queue, the lists and the largest form.
export async function everyPage(page, server, acme, look) {
  const asked = [];
  for (const action of [...Object.values(actions), hostile, actions.medium]) asked.push(await acme.agent.submit(action));
  if (all) await furnish(page, server, asked[5]);
  const seen = new Set(), opened = [];
  const todo = !all ? [...asked.slice(0, 5).map((one) => `/t/acme/approvals/${one.id}`), ...["queue", "history", "audit", "settings/policy"].map((name) => `/t/acme/${name}`)] : [...asked.map((one) => `/t/acme/approvals/${one.id}`), "/t/acme/queue", "/t/acme/queue?select=1", `/t/acme/approvals/${asked[1].id}/edit`, "/t/acme/settings/policy/versions", "/t/acme/audit/verification", "/t/acme/approvals/apr_none"];
  const known = new Set(todo);
  while (todo.length) {
    const path = todo.shift();
    await page.goto(server.url + path);
    await page.waitForLoadState();
    opened.push(path);
    await look(path);
    if (!all) continue;
    const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].filter((a) => a.origin === location.origin && !a.hasAttribute("download")).map((a) => a.pathname + a.search));
    for (const link of links) {
      if (known.has(link) || seen.has(shape(link)) || /\.(csv|jsonl|yaml|json)$|\/checkpoint$|^\/static/.test(link.replace(/\?.*/, ""))) continue;
      seen.add(shape(link));
      known.add(link);
      todo.push(link);
    }
  }
  return opened;
}
