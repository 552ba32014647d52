// Boots the real binary on a free port with an empty database, and gives tests
// what a user would have: the first-run link, agent keys, and a way to submit.
import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test as base, expect } from "@playwright/test";

const binary = new URL("../bin/countersign", import.meta.url).pathname;

export class Server {
  // start has an empty database, or a copy of another server's data.
  static async start(from) {
    const server = new Server();
    server.dir = mkdtempSync(join(tmpdir(), "countersign-e2e-"));
    if (from) cpSync(from, server.dir, { recursive: true });
    await server.boot("127.0.0.1:0", !from);
    return server;
  }

  // boot starts the process and waits until it says where people reach it.
  async boot(addr, empty, env = {}) {
    this.process = spawn(binary, ["serve", "--addr", addr, "--data-dir", this.dir, "--log-level", "warn"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, COUNTERSIGN_AGENT_RATE: "0", COUNTERSIGN_NOTICE_NETWORKS: "127.0.0.1", ...env }, // a flood is as fast as the machine, and receivers are beside it
    });
    this.log = "";
    this.url = undefined; // a server that did not come up says nothing of where it listens
    this.process.stderr.on("data", (text) => { this.log += text; });
    const lines = createInterface({ input: this.process.stdout });
    this.exited = new Promise((resolve) => this.process.once("exit", resolve));
    await new Promise((resolve, reject) => {
      this.exited.then((code) => reject(new Error(`the server ended with ${code}: ${this.log}`)));
      lines.on("line", (line) => {
        this.url = /listens on (\S+)/.exec(line)?.[1] ?? this.url;
        this.firstRun = /(\S+\/first-run\?token=\S+)/.exec(line)?.[1] ?? this.firstRun;
        if (this.url && (this.firstRun || !empty)) resolve(); // an empty database always prints the link
      });
    });
  }

  async stop(signal = "SIGTERM") {
    this.process.kill(signal);
    await this.exited;
  }

  async end() {
    await this.stop("SIGKILL"); // nobody needs what it would put in order
    rmSync(this.dir, { recursive: true, force: true });
  }

  command(args, input = "") {
    return execFileSync(binary, [...args, "--data-dir", this.dir, "--log-level", "error"], { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] }).trim();
  }

  createTenant(slug) { this.command(["tenant", "create", slug]); }

  createPerson(tenant, email, password, roles = "operator,compliance,admin") {
    this.command(["person", "create", "--tenant", tenant, "--roles", roles, "--password-stdin", email], password + "\n");
  }

  // grant makes somebody whom the seed knows a member, with these roles.
  grant(email, roles = "operator,compliance,admin") { this.command(["person", "grant", "--tenant", "acme", "--roles", roles, email]); }

  createAgent(tenant, name) { return new Agent(this, this.command(["agent", "create", "--tenant", tenant, name])); }
}

export class Agent {
  constructor(server, key) { this.server = server; this.key = key; }

  async call(method, path, body) {
    const answer = await fetch(this.server.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.key}`, ...(body ? { "Content-Type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    return { status: answer.status, body: await answer.json() };
  }

  async submit(action, wait = 0) {
    const { status, body } = await this.call("POST", `/api/v1/approvals?wait=${wait}`, action);
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  get(id, wait = 0) { return this.call("GET", `/api/v1/approvals/${id}?wait=${wait}`).then(({ body }) => body); }

  // answer asks again whenever a wait ends without a decision, as agents do.
  answer(id) {
    const told = this.get(id, 30).then((asked) => (asked.status === "pending" ? this.answer(id) : asked));
    told.catch(() => {}); // it is for who awaits it; a test that failed before has said why
    return told;
  }
}

export const password = "correct horse battery";

export async function signIn(page, server, email) {
  await page.goto(server.url + "/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/queue$/);
}

export const openQueue = (page, server) => page.goto(`${server.url}/t/acme/queue`);

// setPolicy changes a policy past the console.
export function setPolicy(server, tenant, yaml) {
  const file = join(server.dir, "policy.yaml");
  writeFileSync(file, yaml);
  server.command(["policy", "import", "--tenant", tenant, "--reason", "for this test", file]);
}

// approveOnceRead presses Approve until the page shows what follows: without script
// nothing keeps the button back, and the server refuses what comes too early.
export async function approveOnceRead(page, done, prepare = async () => {}) {
  await expect(async () => {
    if (!(await done.count())) {
      await prepare();
      await page.getByRole("button", { name: /^Approve/ }).click({ timeout: 2000 });
    }
    await expect(done).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 30_000 });
}

// chooseNext chooses what else an approval of this request lets through.
export async function chooseNext(page, label) {
  const next = page.getByRole("combobox", { name: "How many" });
  if (!(await next.isVisible())) await page.getByRole("button", { name: "Calls like this one" }).click({ timeout: 2000 });
  await next.selectOption({ label }, { timeout: 2000 });
}

// answerTo is the place of the option that somebody chooses who read a request, as the API tells of it.
export async function answerTo(page, asked, args) {
  const { facts } = asked.assessment;
  const said = (value) => (value && typeof value === "object" ? Object.entries(value).flatMap(([name, inner]) => [name, ...said(inner)]) : [String(value)]);
  const truths = [
    ...said(args), ...facts.map((fact) => fact.value), ...asked.headline.parts.map((part) => part.text), asked.headline.consequence,
  ];
  const labels = (await page.getByRole("radiogroup").locator("label").allInnerTexts()).map((text) => text.split("\n")[0].trim());
  let right = labels.flatMap((text, at) => (truths.includes(text) ? [at] : []));
  if (!right.length) right = labels.flatMap((text, at) => (truths.some((truth) => truth.split(/[^\w.@/-]+/).includes(text)) ? [at] : [])); // a word of what runs
  expect(right, `one of ${labels.join(" | ")} is right`).toHaveLength(1);
  return { option: right[0], of: labels.length };
}

// giveAnswer answers the question that is shown, right or wrong.
export async function giveAnswer(page, asked, args, right = true) {
  const { option, of } = await answerTo(page, asked, args);
  await page.getByRole("radiogroup").getByRole("radio").nth(right ? option : (option + 1) % of).check();
  await page.getByRole("button", { name: "Answer" }).click();
}

// With TEST_ALL set every test runs in full. Without it those that are tagged @all don't, and loops are shorter.
export const all = !!process.env.TEST_ALL;

// One server, one organisation, one operator and one agent a test. The page
// fails its test on any violation of the content security policy and on any
// error of a script.
export const test = base.extend({
  // What the server begins with: "quick" asks nobody to read for a while, "shipped" has the policy of
  // a new organisation as its only version, and "empty" has nothing.
  begin: ["quick", { option: true }],
  // See seed.js.
  seed: [async ({}, use) => { await use(JSON.parse(process.env.E2E_SEED)); }, { scope: "worker" }],
  server: async ({ begin, seed }, use, info) => {
    const server = await Server.start(begin === "empty" ? undefined : join(seed.root, begin));
    await use(server);
    if (info.status !== info.expectedStatus) info.attach("server log", { body: server.log, contentType: "text/plain" });
    await server.end();
  },
  acme: async ({ server, seed }, use) => {
    await use({ agent: new Agent(server, seed.key) });
  },
  page: async ({ page }, use) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("console", (message) => { if (/Content.Security.Policy|Trusted ?Type/i.test(message.text())) wrong.push(message.text()); });
    await use(page);
    expect(wrong, "script errors and policy violations").toEqual([]);
  },
  // enter signs somebody in without the form. Before CRITICAL a sign-in must not be old: after a while
  // the form makes another.
  enter: async ({ server, seed }, use) => {
    await use(async (page, email = "priya@acme.test") => {
      if (Date.now() - seed.at > 600_000) return signIn(page, server, email);
      return page.context().addCookies(seed.cookies[email].map(([name, value]) => ({ name, value, url: server.url })));
    });
  },
  operator: async ({ page, acme, enter }, use) => {
    void acme;
    await enter(page);
    await use(page);
  },
  // What comes while a queue is open is drawn there, so only tests that look at that begin with it.
  queue: async ({ operator: page, server }, use) => {
    await openQueue(page, server);
    await use(page);
  },
  // another opens a page in a browser that knows nothing of the others.
  another: async ({ browser }, use) => {
    const opened = [];
    await use(async (options) => {
      opened.push(await browser.newContext(options));
      return opened.at(-1).newPage();
    });
    await Promise.all(opened.map((context) => context.close()));
  },
  // colleague makes somebody a member, Ben or Olga, and gives a page of theirs.
  colleague: async ({ server, another, enter }, use) => {
    await use(async (email, { roles, ...options } = {}) => {
      server.grant(email, roles);
      const page = await another(options);
      await enter(page, email);
      return page;
    });
  },
});

export { expect };

// One action of each level that asks a person. The tests check the level, so a
// change of scoring shows here first.
export const actions = {
  low: { function: "get_user", arguments: { user_id: "usr_98" }, docstring: "Read one user." },
  medium: { function: "deploy_service", arguments: { service: "checkout-api", version: "4.18.2", env: "staging", replicas: 4 }, docstring: "Deploy to production.", session_id: "release-4.18" },
  high: { function: "delete_user", arguments: { user_id: "usr_123", env: "production", documents: 214, email: "dana@example.com", path: "/exports/dana-7" }, docstring: "Permanently remove a user account.", justification: "HR asked for it.", session_id: "offboarding" },
  critical: { function: "run_sql", arguments: { statement: "DROP TABLE billing.invoices_2023 CASCADE;", env: "production" }, docstring: "Run SQL.", session_id: "month-end" },
};
