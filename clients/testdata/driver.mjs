// Does with the TypeScript client what the Go test says: a JSON command a line in, an answer a line out.
import { createInterface } from "node:readline";

import { Client, CountersignError, Denied, Problem, Unproven, canonical, digest, gate, parse, session, verifyGrant } from "countersign";
import { approval } from "countersign/ai-sdk";
import { resume } from "countersign/langchain";
import { decide } from "countersign/openai-agents";

const clients = new Map();
function client(c) {
  const key = canonical([c.url, c.key, c.wait ?? null, c.ca ?? null]);
  if (!clients.has(key)) clients.set(key, new Client({ url: c.url, key: c.key, waitSeconds: c.wait, ca: c.ca }));
  return clients.get(key);
}

const ops = {
  vector(c) {
    if (c.token === undefined) return { canonical: canonical(parse(c.text)) };
    let of;
    try {
      of = digest(parse(c.action));
    } catch {
      return { result: "action" };
    }
    try {
      verifyGrant(c.token, of, c);
      return { result: "good" };
    } catch (e) {
      return { result: e.check };
    }
  },

  unsendable() {
    const cycle = [];
    cycle.push(cycle);
    const bad = {
      nan: NaN, infinity: Infinity, "-infinity": -Infinity, "minus zero": -0, bytes: new Uint8Array(1), buffer: Buffer.from("x"),
      "half a pair": "a\ud800", "half a pair as a name": { "\udc00": 1 }, "a map": new Map([[1, 2]]), "a set": new Set([1]), "a date": new Date(0),
      "a function": () => 1, "a symbol": Symbol("x"), "an object": new (class Thing {})(), "41 digits": 10n ** 40n, "a cycle": cycle, "a hole": [, 1], "undefined in a list": [undefined],
    };
    const taken = [];
    for (const [name, value] of Object.entries(bad)) {
      for (const make of [(v) => v, (v) => [v], (v) => ({ a: { b: v } })]) {
        try {
          canonical(make(value));
          taken.push(name);
        } catch (e) {
          if (!(e instanceof TypeError)) throw e;
        }
      }
    }
    return { taken, tried: Object.keys(bad).length };
  },

  async gate(c) {
    const ran = [];
    const call = gate(
      async ({ first, rest, flag, more }) => {
        ran.push([first, rest, flag, more]);
        if (c.fails) throw new Error("it broke");
        return "done";
      },
      { name: c.function, description: c.doc, client: client(c), riskHints: c.options?.risk_hints, risk: c.options?.risk, environment: c.options?.environment },
    );
    const args = { first: c.args[0], rest: c.args.slice(1), flag: c.kwargs?.flag ?? false, more: Object.fromEntries(Object.entries(c.kwargs ?? {}).filter(([name]) => name !== "flag")) };
    const answer = { ran, ticks: 0 };
    const ticking = setInterval(() => answer.ticks++, 10);
    try {
      const running = c.session ? session(c.session, () => call(args)) : call(args);
      if (c.mutate) args.first.id = "usr_2"; // somebody changes an argument while people read
      answer.result = await running;
    } catch (e) {
      if (e instanceof Denied) answer.denied = { status: e.status, reason: e.reason, approval: e.approval?.id ?? null };
      else answer.raised = `${e.name}: ${e.message}`;
    } finally {
      clearInterval(ticking);
    }
    return answer;
  },

  async call(c) {
    let args = c.args ?? [];
    if (["submit", "assess"].includes(c.method)) {
      const { consume, idempotency_key: idempotencyKey, ...members } = c.kwargs ?? {};
      args = [{ function: args[0], arguments: args[1], ...members }, { consume, idempotencyKey }];
    } else if (c.kwargs) args.push({ idempotencyKey: c.kwargs.idempotency_key, waitSeconds: c.kwargs.wait_seconds });
    try {
      const result = await client(c)[c.method](...args);
      return { result: c.method === "verify" ? [result.act, result.digest] : result };
    } catch (e) {
      if (e instanceof Problem) return { problem: { code: e.code, status: e.status, detail: e.detail, instance: e.instance, errors: e.errors } };
      if (e instanceof CountersignError || e instanceof TypeError) return { raised: `${e.name}: ${e.message}` };
      throw e;
    }
  },

  settings(c) {
    const said = c.cases.map((env) => {
      Object.assign(process.env, env);
      try {
        const made = new Client();
        return { url: made.url, tenant: made.tenant, wait: made.waitSeconds, shown: JSON.stringify(made) };
      } catch (e) {
        if (!(e instanceof CountersignError)) throw e;
        return { refused: e.message };
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
      }
    });
    return { said };
  },

  // With the packages of the framework: see agents_test.go.
  async framework(c) {
    const frameworks = await import("./frameworks.mjs");
    return frameworks[c.framework]({ name: c.function, args: c.args, client: client(c), sessionId: c.session });
  },

  async ai_sdk(c) {
    const tools = { delete_user: { description: "Permanently remove a user." } };
    return { said: await approval({ client: client(c), sessionId: c.session })({ toolCall: c.toolCall, tools }) };
  },

  async langchain(c) {
    return { resume: await resume({ __interrupt__: c.interrupts }, { client: client(c), sessionId: c.session, tools: [{ name: "delete_user", description: "Permanently remove a user." }] }) };
  },

  async openai_agents(c) {
    const said = [];
    const state = { approve: () => said.push("approved"), reject: (item, { message }) => said.push(message) };
    const got = await decide({ interruptions: c.items.map((rawItem) => ({ rawItem })), state }, { client: client(c), sessionId: c.session });
    return { said: got === state ? said : null };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const c = parse(line);
  Promise.resolve()
    .then(() => ops[c.op](c))
    .catch((e) => ({ failed: e.stack }))
    .then((out) => process.stdout.write(canonical({ n: c.n, ...out }) + "\n"));
}
