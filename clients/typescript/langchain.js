// LangChain's humanInTheLoopMiddleware: its interrupts are decided in the console.
import { Denied } from "./errors.js";
import { defaultClient } from "./gate.js";

// decide answers one interrupt's value: a decision for each of its actionRequests, in order.
export async function decide(request, { client, sessionId, waitSeconds, tools = [] } = {}) {
  const decisions = [];
  for (const { name, args } of request.actionRequests) {
    const may = request.reviewConfigs?.find((c) => c.actionName === name)?.allowedDecisions ?? ["approve", "edit", "reject"];
    const about = { docstring: tools.find((t) => t.name === name)?.description, session_id: sessionId };
    const act = { function: name, arguments: args };
    try {
      if (!may.includes("approve")) throw new Denied("unproven", `${name} may not be approved here`);
      const permit = await (client ?? defaultClient()).authorize(act, { about, edits: may.includes("edit"), waitSeconds });
      const same = permit.act.arguments === act.arguments;
      decisions.push(same ? { type: "approve" } : { type: "edit", editedAction: { name, args: permit.act.arguments } });
    } catch (e) {
      if (!(e instanceof Denied || e instanceof TypeError)) throw e; // what cannot be sent, nobody can approve
      decisions.push({ type: "reject", message: e.message });
    }
  }
  return { decisions };
}

// resume is what Command({ resume }) takes, for all interrupts of a result.
export async function resume(result, options) {
  const interrupts = result.__interrupt__;
  if (interrupts.length === 1) return decide(interrupts[0].value, options);
  return Object.fromEntries(await Promise.all(interrupts.map(async (i) => [i.id, await decide(i.value, options)])));
}
