// The client: submit, wait, verify, consume, report, and all of it at once (authorize).
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { setTimeout as pause } from "node:timers/promises";

import { actOf, canonical, digest as actDigest, parse, valueDigest } from "./canon.js";
import { CountersignError, Denied, Problem, Unavailable, Unproven } from "./errors.js";
import { findKey, keyID, verifyGrant } from "./grants.js";
import { load, place, samePlace } from "./settings.js";

export const VERSION = "0.1.0";
// What each method calls; a test compares it with the OpenAPI document.
export const OPERATIONS = {
  submit: "POST /api/v1/approvals", get: "GET /api/v1/approvals/{id}", consume: "POST /api/v1/approvals/{id}/consume",
  report: "POST /api/v1/approvals/{id}/result", cancel: "POST /api/v1/approvals/{id}/cancel",
  answer: "POST /api/v1/approvals/{id}/answers",
  assess: "POST /api/v1/assessments", agent: "GET /api/v1/agent",
};

const STATUSES = ["pending", "approved", "blocked", "denied", "changes_requested", "expired", "cancelled"];
const AGAIN = ["already-consumed", "grant-expired", "stricter-now"]; // nothing was run: the act is submitted anew
const LONGEST_WAIT = 50; // seconds: the server answers by then, whatever is asked for
const MAX_ANSWER = 8 << 20;
const MOST_EDITED = 100; // edited approvals that wait for their call
const KEYS_AGE = 15 * 60_000; // as docs/grants.md says

const sessions = new AsyncLocalStorage();
const PROCESS = "js-" + randomBytes(8).toString("hex");

// session runs fn; calls in it belong to the session of this name, else they belong to the process.
export const session = (name, fn) => sessions.run(name, fn);

class Lost extends Error {} // no usable answer to one request: it may or may not have been done

export class Client {
  #key;
  #jwks;
  #pinned;
  #fetched = 0;
  #edited = new Map();
  #trail = ""; // the newest signed head of the server's audit trail: a server that was set back hears of it
  #agent;
  #http;

  constructor({ url, key, ca, waitSeconds, jwks, allowHTTP = false } = {}) {
    const known = load(url, key);
    this.url = place(known.url, allowHTTP);
    this.tenant = known.key.split("_")[1];
    this.waitSeconds = waitSeconds ?? known.wait_seconds ?? 3600;
    if (typeof this.waitSeconds !== "number" || !(this.waitSeconds >= 0 && this.waitSeconds < 1e9)) throw new CountersignError("waitSeconds is not a number of seconds");
    this.#key = known.key;
    this.#jwks = jwks ?? null;
    this.#pinned = jwks != null;
    this.#http = this.url.startsWith("https:") ? https : http;
    const trusted = ca ?? known.ca;
    this.#agent = new this.#http.Agent({ keepAlive: true, ...(trusted ? { ca: readFileSync(trusted) } : {}) });
  }

  // The operations, in the order in which they are used. index.d.ts says what each promises.

  async submit(action, { consume = false, idempotencyKey = nonce(), signal } = {}) {
    return (await this.#submit(action, consume, idempotencyKey, this.#deadline(), signal)).answer;
  }

  wait(approval, { waitSeconds, signal } = {}) {
    return this.#wait(idOf(approval), this.#deadline(waitSeconds), signal);
  }

  async get(approval) {
    return (await this.#ask("GET", `/api/v1/approvals/${idOf(approval)}`, this.#deadline(), { good: isApproval })).answer;
  }

  async verify(approval, act, { waitSeconds } = {}) {
    const own = actDigest(act);
    const decision = approval?.decision;
    if (approval?.status !== "approved" || typeof decision?.grant !== "string") throw new Unproven("approval", "it is not approved, or has no grant");
    if (approval.digest !== own) throw new Unproven("digest", `the answer is about ${approval.digest}, not about ${own}`);
    let [run, spend] = [actOf(act), own];
    if (decision.effective != null) {
      const edited = typeof decision.effective === "object" ? actOf(decision.effective) : {};
      if (canonical({ ...edited, arguments: null }) !== canonical({ ...run, arguments: null })) throw new Unproven("digest", "more than the arguments was changed");
      if (approval.assessment?.rewrites === true) {
        if (!onlyMasked(run, edited)) throw new Unproven("digest", "more than secrets was taken out");
      } else {
        spend = actDigest(edited);
      }
      run = edited;
    }
    if (![undefined, null, spend].includes(decision.digest)) throw new Unproven("digest", `${decision.digest} is to be consumed, and ${spend} would run`);
    const jwks = await this.#keys(keyID(decision.grant), this.#deadline(waitSeconds));
    const claims = verifyGrant(decision.grant, spend, { jwks, tenant: this.tenant, approval: idOf(approval) });
    if (!samePlace(String(claims.iss), this.url)) {
      throw new Unproven("issuer", `the grant is of ${claims.iss}, and ${this.url} was asked: set the url to the server's public one`);
    }
    return { act: run, digest: spend };
  }

  consume(approval, digest, { idempotencyKey = nonce(), signal } = {}) {
    return this.#consume(idOf(approval), digest, idempotencyKey, this.#deadline(), signal);
  }

  async report(approval, status, detail = "", { waitSeconds } = {}) {
    const cut = new TextDecoder().decode(Buffer.from(detail.toWellFormed()).subarray(0, 4096)).replace(/\uFFFD$/, "");
    return (await this.#ask("POST", `/api/v1/approvals/${idOf(approval)}/result`, this.#deadline(waitSeconds), { body: { status, detail: cut } })).answer;
  }

  async answer(approval, question, text) {
    return (await this.#ask("POST", `/api/v1/approvals/${idOf(approval)}/answers`, this.#deadline(), { body: { question, text } })).answer;
  }

  async cancel(approval) {
    return (await this.#ask("POST", `/api/v1/approvals/${idOf(approval)}/cancel`, this.#deadline(), { body: {} })).answer;
  }

  async assess(action) {
    return (await this.#ask("POST", "/api/v1/assessments", this.#deadline(), { body: action })).answer;
  }

  async agent() {
    return (await this.#ask("GET", "/api/v1/agent", this.#deadline())).answer;
  }

  async authorize(act, { about = {}, edits = true, waitSeconds, signal } = {}) {
    const own = actDigest(act);
    const body = { ...actOf(act), ...about, attach: true, client: { name: "countersign-typescript", version: VERSION } };
    body.session_id ??= sessions.getStore() ?? PROCESS;
    const deadline = this.#deadline(waitSeconds);
    const remembered = (spend) => `${spend} ${body.session_id}`;
    let approval = null;
    try {
      for (let round = 0; round < 3; round++) {
        let [spent, lost, run, spend] = [false, false, actOf(act), own];
        const key = nonce();
        approval = this.#edited.get(remembered(own)) ?? null; // an operator wrote exactly this act, and its grant is unspent
        this.#edited.delete(remembered(own));
        if (approval === null) {
          ({ answer: approval, spent, lost } = await this.#submit(body, true, key, deadline, signal));
          if (approval.status === "pending") approval = await this.#wait(idOf(approval), deadline, signal);
          if (approval.status !== "approved") throw new Denied(approval.status, reason(approval), approval);
          ({ act: run, digest: spend } = await this.verify(approval, act, { waitSeconds: (deadline - performance.now()) / 1000 }));
          if (!edits && valueDigest(run) !== own) {
            if (spend !== own) this.#edited.set(remembered(spend), approval);
            if (this.#edited.size > MOST_EDITED) this.#edited.delete(this.#edited.keys().next().value);
            throw new Denied("edited", `It was approved with other arguments. Call it again with exactly these: ${canonical(run.arguments)}`, approval);
          }
        }
        try {
          if (!spent) await this.#consume(idOf(approval), spend, key, deadline, signal, lost);
          return { approval, act: run };
        } catch (e) {
          if (!(e instanceof Problem && AGAIN.includes(e.code))) throw e;
        }
      }
      throw new Unproven("approval", "its grant was spent by somebody else, three times");
    } catch (e) {
      if (!(e instanceof CountersignError) || e instanceof Denied) throw e;
      const status = e instanceof Problem ? e.code : e instanceof Unproven ? "unproven" : "unavailable";
      throw new Denied(status, e instanceof Problem ? e.detail : e.message, approval, { cause: e });
    }
  }

  // One request, and the rules for another.

  // spent is whether this very request spent the grant. It does not wait, so nobody else can
  // have spent what a new approval (201) says is spent.
  async #submit(action, consume, key, deadline, signal) {
    const path = "/api/v1/approvals" + (consume ? "?consume=true" : "");
    const { status, answer, lost } = await this.#ask("POST", path, deadline, { body: action, key, good: isApproval, signal });
    const spent = consume && status === 201 && answer.execution?.state === "consumed" && answer.execution.status == null;
    return { answer, spent, lost };
  }

  async #wait(id, deadline, signal) {
    for (;;) {
      const held = Math.max(0, Math.min(LONGEST_WAIT, Math.floor((deadline - performance.now()) / 1000) - 1));
      const { answer } = await this.#ask("GET", `/api/v1/approvals/${id}` + (held ? `?wait=${held}` : ""), deadline, { held, good: isApproval, signal });
      if (answer.id !== id) throw new Unproven("approval", "the answer is about another approval");
      const left = deadline - performance.now();
      if (answer.status !== "pending" || left <= 0) return answer;
      if (!held) await rest(Math.min(left, 500), signal);
    }
  }

  // lost is whether an answer to a submission with this key was: then it may have spent the grant.
  async #consume(id, digest, key, deadline, signal, lost = false) {
    const good = (a) => typeof a.status === "string" && typeof a.replayed === "boolean";
    const { answer, lost: again } = await this.#ask("POST", `/api/v1/approvals/${id}/consume`, deadline, { body: { digest }, key, good, signal });
    if (answer.status !== "consumed" || (answer.replayed && !lost && !again)) {
      throw new Unproven("replayed", "the grant was not spent by this call: the action may have run already");
    }
    return answer;
  }

  // keys is the JWK set: the pinned one, or that of the server, at most 15 minutes old.
  async #keys(kid, deadline) {
    const now = performance.now();
    const known = this.#jwks !== null && findKey(this.#jwks, kid) !== null;
    if (this.#pinned || (known && now - this.#fetched < KEYS_AGE)) return this.#jwks;
    try {
      const until = known ? Math.min(now + 5000, deadline) : deadline;
      this.#jwks = (await this.#ask("GET", "/.well-known/jwks.json", until, { good: (a) => Array.isArray(a.keys) })).answer;
      this.#fetched = now;
    } catch (e) {
      if (!known || now - this.#fetched > 3_600_000 - KEYS_AGE) throw new Unproven("keys", `the keys of grants cannot be had: ${e.message}`);
    }
    return this.#jwks;
  }

  #deadline(waitSeconds = this.waitSeconds) {
    return performance.now() + 1000 * waitSeconds;
  }

  // ask asks until there is a usable answer or the patience ends; lost is whether an answer was lost before.
  async #ask(method, path, deadline, { body, key, held = 0, good = () => true, signal } = {}) {
    const data = body === undefined ? null : Buffer.from(canonical(body));
    for (let attempt = 0; ; attempt++) {
      if (signal?.aborted) throw new Unavailable("nobody waits for the answer any more");
      const seconds = held ? held + 10 : Math.min(30, Math.max((deadline - performance.now()) / 1000, 2));
      try {
        const { status, answer } = await this.#once(method, path, data, key, seconds, signal);
        if (!good(answer)) throw new Lost("the answer is not the API's");
        return { status, answer, lost: attempt > 0 };
      } catch (e) {
        if (!(e instanceof Lost)) throw e;
        const ms = e.after ?? Math.min(250 * 2 ** attempt, 10_000) * (1 + Math.random() / 4);
        if (ms >= deadline - performance.now()) throw new Unavailable(`${this.url} gave no usable answer: ${e.message}`);
        await rest(ms, signal);
      }
    }
  }

  // once is one request. Lost is worth another; a Problem is an answer.
  async #once(method, path, data, key, seconds, signal) {
    const headers = { Authorization: "Bearer " + this.#key, Accept: "application/json", "User-Agent": "countersign-typescript/" + VERSION };
    if (data) Object.assign(headers, { "Content-Type": "application/json", "Content-Length": data.length });
    if (key) headers["Idempotency-Key"] = key;
    if (this.#trail) headers["Countersign-Checkpoint"] = this.#trail;
    const ends = AbortSignal.timeout(Math.ceil(1000 * seconds));
    let response;
    const pieces = [];
    try {
      response = await new Promise((resolve, reject) => {
        const request = this.#http.request(this.url + path, { method, headers, agent: this.#agent, signal: signal ? AbortSignal.any([signal, ends]) : ends }, resolve);
        request.on("error", reject).end(data);
      });
      let size = 0;
      for await (const piece of response) {
        pieces.push(piece);
        if ((size += piece.length) > MAX_ANSWER) throw new Error("the answer does not end");
      }
    } catch (e) {
      if (/CERT|SIGNATURE/.test(e.code)) throw new Unavailable(`the certificate of ${this.url} isn't good: ${e.message}`); // it will not hold later, either
      throw new Lost(ends.aborted ? "no answer in time" : e.code || e.message);
    }
    const head = response.headers["countersign-checkpoint"];
    if (head && reachesFurther(head, this.#trail)) this.#trail = head;
    const status = response.statusCode;
    if (status >= 300 && status < 400) {
      throw new Problem("redirect", status, `${this.url} redirects to another place, which is not followed: set the url to the server's public one`);
    }
    let answer = null;
    try {
      answer = parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces)));
    } catch {
      // not JSON: no answer of the API
    }
    const object = answer !== null && typeof answer === "object" && !Array.isArray(answer);
    if (status === 200 || status === 201) {
      if (!object) throw new Lost(`the answer (${status}) is not the API's`);
      return { status, answer };
    }
    const document = object ? answer : {};
    const code = /urn:countersign:problem:(.+)$/.exec(document.type)?.[1] ?? `http-${status}`;
    const detail = String(document.detail || document.title || `the server answered ${status}`);
    if (status < 400 || status >= 500 || status === 429 || code === "in-progress") {
      const after = response.headers["retry-after"];
      throw Object.assign(new Lost(detail), /^\d{1,5}$/.test(after) ? { after: 1000 * after } : {});
    }
    throw new Problem(code, status, detail, document);
  }
}

// reachesFurther compares two signed heads: by the restores of their trail, then by its events.
function reachesFurther(head, than) {
  const reach = (text) => {
    if (!/^[A-Za-z0-9+/]+=*$/.test(text)) return [-1, -1];
    const lines = Buffer.from(text, "base64").toString().split("\n");
    return [Number(lines.find((line) => line.startsWith("epoch "))?.slice(6) ?? 0), Number(lines[1] ?? -1)];
  };
  const [[epoch, size], [was, had]] = [reach(head), reach(than)];
  return epoch > was || (epoch === was && size > had);
}

function idOf(approval) {
  const id = typeof approval === "string" ? approval : approval?.id;
  if (!/^apr_[0-9a-f]{32}$/.test(id)) throw new TypeError("that is not the id of an approval");
  return id;
}

// isApproval: an answer with a member missing or of another type is not a yes, and not a no.
function isApproval(a) {
  return /^apr_[0-9a-f]{32}$/.test(a.id) && STATUSES.includes(a.status) && typeof a.digest === "string";
}

function reason(approval) {
  if (approval.status !== "pending") return String(approval.decision?.reason ?? "");
  return `nobody decided in time; it stays open at ${approval.console_url}, and the same call goes on with it`;
}

// onlyMasked is whether masked is own with [REDACTED:…] in place of parts of its texts, and nothing else.
function onlyMasked(own, masked) {
  if (typeof own === "string" && typeof masked === "string") {
    const parts = masked.split(/\[REDACTED:[^\]]*\]/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    return new RegExp(`^${parts.join("[^]*")}$`).test(own);
  }
  const object = (v) => v !== null && typeof v === "object";
  if (!object(own) || !object(masked)) return canonical(own) === canonical(masked);
  const names = (v) => canonical([Array.isArray(v), ...Object.keys(v).sort()]);
  return names(own) === names(masked) && Object.keys(own).every((name) => onlyMasked(own[name], masked[name]));
}

// nonce is an idempotency key that nobody else has: only what this call sent has it.
const nonce = () => `${PROCESS}-${randomBytes(16).toString("hex")}`;

async function rest(ms, signal) {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    throw new Unavailable("nobody waits for the answer any more");
  }
}
