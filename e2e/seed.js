// What tests begin with, made once for a whole run: an organisation with one person and one agent,
// people of another organisation who may become colleagues, and a sign-in of each. Hashing a
// password takes as long as several pages. Each test's server gets a copy.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, password, setPolicy } from "./server.js";

const people = { "priya@acme.test": "acme", "ben@acme.test": "other", "olga@acme.test": "other" };

export default async function () {
  const root = mkdtempSync(join(tmpdir(), "countersign-e2e-seed-")), seed = new Server(), cookies = {};
  seed.dir = join(root, "shipped");
  for (const tenant of ["acme", "other"]) seed.createTenant(tenant);
  for (const [email, tenant] of Object.entries(people)) seed.createPerson(tenant, email, password);
  const { key } = seed.createAgent("acme", "support-triage");
  await seed.boot("127.0.0.1:0", false);
  const at = Date.now();
  for (const email of Object.keys(people)) cookies[email] = await signedIn(seed.url, email);
  await seed.stop();
  cpSync(seed.dir, join(root, "quick"), { recursive: true });
  seed.dir = join(root, "quick");
  setPolicy(seed, "acme", "min_review_seconds: {medium: 0, high: 0, critical: 0}\n");
  process.env.E2E_SEED = JSON.stringify({ root, key, cookies, at });
  return () => rmSync(root, { recursive: true, force: true });
}

// signedIn signs somebody in as the form does, and gives their cookies.
async function signedIn(url, email) {
  const answer = await fetch(url + "/sign-in", { method: "POST", redirect: "manual", headers: { Origin: url }, body: new URLSearchParams({ email, password }) });
  const cookies = answer.headers.getSetCookie().map((one) => /^([^=]+)=([^;]*)/.exec(one).slice(1));
  if (answer.status !== 303 || !cookies.some(([name]) => name === "countersign_session")) throw new Error(`no sign-in for ${email}: ${answer.status}`);
  return cookies;
}
