// gate: a function that runs only after its call was approved.
import { copy } from "./canon.js";
import { Client } from "./client.js";
import { CountersignError, Denied } from "./errors.js";

const REPORT_SECONDS = 10; // a report is worth no longer delay of the caller
let made;

// defaultClient is that of the environment's settings, made when it is first needed.
export const defaultClient = () => (made ??= new Client());

export function gate(fn, options) {
  const { name = fn.name, description, riskHints, risk, environment, sessionId, metadata, waitSeconds, client } = options ?? {};
  if (!name) throw new TypeError("the function has no name: give one, gate(fn, { name })");
  const about = { docstring: description, hints: riskHints, session_id: sessionId, metadata: risk || metadata ? { ...(risk ? { risk } : {}), ...metadata } : undefined };
  return async function gated(args = {}, ...rest) {
    const c = client ?? defaultClient();
    const sent = copy(args);
    if (sent === null || typeof sent !== "object") throw new TypeError(`${name} is gated: its first argument is an object that names its arguments`);
    const permit = await c.authorize({ function: name, arguments: sent, environment }, { about, waitSeconds });
    const report = (status, detail) =>
      c.report(permit.approval, status, detail, { waitSeconds: REPORT_SECONDS }).catch((e) => {
        if (!(e instanceof CountersignError)) throw e; // the action has run: its result counts more than the report
        process.emitWarning(`the result of ${permit.approval.id} was not reported: ${e.message}`, "CountersignWarning");
      });
    let result;
    try {
      const names = (value) => (Array.isArray(value) ? "list" : Object.keys(value ?? {}).sort().join("\n"));
      if (names(permit.act.arguments) !== names(sent)) throw new Denied("edited", "the approved arguments are not those of the call", permit.approval);
      result = await fn.call(this, permit.act.arguments, ...rest);
    } catch (e) {
      await report("failed", String(e));
      throw e;
    }
    await report("succeeded", "");
    return result;
  };
}
