// An admin makes an agent, changes its key, and stops it, or all of them.
import { test, expect, actions, Agent } from "./server.js";
import { looksRight } from "./looks.js";

const agents = (server) => `${server.url}/t/acme/settings/agents`;

const create = async (page, server, name) => {
  await page.goto(`${agents(server)}/new`);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create agent" }).click();
  await expect(page.getByRole("heading", { name: `API key for ${name}` })).toBeVisible();
  return new Agent(server, await page.locator("#key").innerText());
};

const status = async (agent) => (await agent.call("GET", "/api/v1/approvals")).status;

test("an agent is created, its key copied once, and what it submits arrives", async ({ operator: page, server, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  const agent = await create(page, server, "invoice-reader");
  expect(agent.key).toMatch(/^csk_acme_[\w-]{43}$/);
  await page.getByRole("button", { name: "Copy: API key" }).click();
  await expect(page.getByRole("status").first()).toHaveText("Copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(agent.key);
  expect(page.url()).not.toContain(agent.key.slice(-20));
  await page.getByRole("link", { name: "Done" }).click();
  await expect(page.getByRole("heading", { name: "invoice-reader" })).toBeVisible();
  expect(await page.content()).not.toContain(agent.key.slice(-20));

  await page.goto(`${server.url}/t/acme/queue`);
  const asked = await agent.submit(actions.high);
  await expect(page.getByRole("button", { name: /^1 new/ }).or(page.locator(`#approval-${asked.id}`)).first()).toBeVisible();
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await expect(page.getByRole("button", { name: "Start questions" })).toHaveCount(1); // the only operator: single-person
  await expect(async () => {
    await page.goto(agents(server));
    await expect(page.getByRole("row", { name: /invoice-reader/ })).toContainText("just now", { timeout: 500 });
  }).toPass();
});

test("a rotated key works beside the old one until that is revoked", async ({ operator: page, server }) => {
  const old = await create(page, server, "bot");
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByLabel("Old keys keep working for").selectOption({ label: "1 hour" });
  await page.getByRole("button", { name: "Rotate" }).click();
  await expect(page.getByText(/works until/)).toBeVisible();
  const fresh = new Agent(server, await page.locator("#key").innerText());
  expect([await status(old), await status(fresh)]).toEqual([200, 200]);
  await page.getByRole("link", { name: "Done" }).click();
  const row = page.getByRole("row").filter({ hasText: old.key.slice(0, 13) });
  await row.getByRole("button", { name: "Revoke" }).click();
  await expect(row).toContainText("revoked");
  expect([await status(old), await status(fresh)]).toEqual([401, 200]);
});

test("a waiting agent whose key is revoked is told nothing more", async ({ operator: page, server }) => {
  const agent = await create(page, server, "bot");
  const asked = await agent.submit(actions.medium);
  const waiting = agent.call("GET", `/api/v1/approvals/${asked.id}?wait=60`);
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("button", { name: "Revoke" }).click();
  expect((await waiting).status).toBe(401);
});

test("a stopped agent loses its key and what it waits for", async ({ operator: page, server }) => {
  const agent = await create(page, server, "bot");
  const asked = await agent.submit(actions.medium);
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("region", { name: "Stop this agent" }).getByLabel("Reason").fill("It leaks");
  await page.getByLabel("Stop bot and cancel its pending requests").check();
  await page.getByRole("button", { name: "Stop bot" }).click();
  await expect(page.getByText("This agent is stopped")).toBeVisible();
  expect(await status(agent)).toBe(401);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await expect(page.getByText(/stopped the agent at/)).toBeVisible();
  await page.goto(agents(server));
  await page.getByRole("link", { name: "bot", exact: true }).click();
  await page.getByRole("button", { name: "Restart with a new key" }).click();
  expect(await status(new Agent(server, await page.locator("#key").innerText()))).toBe(200);
});

test("the kill switch stops every agent at once, says so everywhere, and ends", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(actions.low);
  const open = await page.context().newPage(); // a colleague's queue, which nobody reloads
  await open.goto(`${server.url}/t/acme/queue`);
  await expect(open.locator("#live[data-state=live]")).toBeVisible();
  await page.goto(agents(server));
  await page.getByLabel("Type acme to confirm").fill("acne");
  await page.getByRole("button", { name: "Stop all agents" }).click();
  await expect(page.getByRole("alert")).toContainText("Type acme to confirm");
  expect((await acme.agent.call("POST", "/api/v1/approvals", actions.low)).status).toBe(201);
  await page.getByLabel("Type acme to confirm").fill("acme");
  await page.getByLabel(/^Reason/).fill("We do not know which one");
  await page.getByRole("button", { name: "Stop all agents" }).click();

  const banner = page.getByRole("region", { name: "All agents are stopped" });
  await expect(banner).toContainText("We do not know which one");
  await expect(open.getByRole("region", { name: "All agents are stopped" })).toContainText("Priya stopped them at");
  for (const [path, body] of [["/api/v1/approvals", actions.low], [`/api/v1/approvals/${asked.id}/consume`, { digest: asked.digest }]]) {
    const refused = await acme.agent.call("POST", path, body);
    expect([refused.status, refused.body.type]).toEqual([403, "urn:countersign:problem:agents-stopped"]);
    expect(refused.body.detail).toContain("We do not know which one");
  }
  expect((await acme.agent.get(asked.id)).status).toBe("approved"); // what is its own can be read
  for (const path of ["queue", "history", "audit"]) {
    await page.goto(`${server.url}/t/acme/${path}`);
    await expect(banner).toBeVisible();
  }
  await banner.getByRole("link", { name: "Resume agents" }).click();
  await expect(page.getByLabel("Reason")).toBeFocused();
  await page.keyboard.type("It was the tests");
  await page.keyboard.press("Enter");
  await expect(banner).toHaveCount(0);
  await expect(open.getByRole("region", { name: "Agents resumed" })).toContainText("It was the tests");
  await expect(open.getByRole("region", { name: "All agents are stopped" })).toHaveCount(0);
  expect((await acme.agent.call("POST", `/api/v1/approvals/${asked.id}/consume`, { digest: asked.digest })).status).toBe(200);
});

test("every page looks right", { tag: "@all" }, async ({ operator: page, server }) => {
  test.setTimeout(240_000); // axe on each page at three widths
  const check = async (what) => {
    await looksRight(page, what);
    for (const name of await page.getByRole("button").allInnerTexts()) expect(name).not.toMatch(/^Approve/);
  };
  await page.goto(`${agents(server)}/new`);
  await check("the form");
  await create(page, server, "bot");
  await check("the key");
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("link", { name: "Done" }).click();
  await check("the agent");
  await page.goto(agents(server));
  await page.getByRole("button", { name: "Stop all agents" }).click();
  await check("the list");
});

test("an agent's record shows what was denied, and an incident takes it away", async ({ operator: page, server }) => {
  test.setTimeout(240_000);
  const agent = await create(page, server, "bot");
  await page.getByRole("link", { name: "Done" }).click();
  const record = page.getByRole("region", { name: "Track record" });
  await expect(record).toContainText("No track record yet");
  const itself = page.url();
  const asked = await agent.submit(actions.medium);
  await page.goto(asked.console_url);
  await page.getByRole("button", { name: /^Deny/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not today");
  await page.getByRole("button", { name: /^Deny:/ }).click();
  await expect(page.getByText("Not today")).toBeVisible();

  await page.goto(itself);
  await expect(record.getByRole("row", { name: /deploy_service/ })).toContainText("No effect (off)");
  await looksRight(page, "an agent's record");
  await page.getByLabel("What happened").fill("It wrote to everybody");
  await page.getByRole("button", { name: "Record the incident" }).click();
  await expect(record).toContainText("Restarted on");
  await expect(record).toContainText("by Priya: It wrote to everybody");
  await expect(record.getByRole("row", { name: /deploy_service/ })).toHaveCount(0);
  await looksRight(page, "a record that began again");
  await page.goto(`${server.url}/t/acme/audit`);
  await expect(page.getByText("agent.incident_recorded").first()).toBeVisible();
});
