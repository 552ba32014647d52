// OpenAI Agents: tools with needsApproval: true are decided in the console.
import { canonical, parse } from "./canon.js";
import { Denied } from "./errors.js";
import { defaultClient } from "./gate.js";

// decide gives the state of a run with a decision for each interruption; run the agent with it.
// A tool runs with the model's own arguments there. So an edited approval is a rejection that
// tells the model which arguments to call with; that call is approved already.
export async function decide(result, { client, sessionId, waitSeconds, tools = [] } = {}) {
  for (const item of result.interruptions) {
    const { name, arguments: text, callId } = item.rawItem;
    const about = { docstring: tools.find((t) => t.name === name)?.description, tool_call_id: callId, session_id: sessionId };
    try {
      if (typeof name !== "string" || typeof text !== "string") throw new TypeError("it is not the call of a function");
      const args = parse(text || "{}");
      // The framework reads the text with JSON.parse: what it would round is not what is approved.
      if (canonical(args) !== canonical(JSON.parse(text || "{}"))) throw new TypeError("it has an integer beyond 2^53, which this framework rounds: take it as text");
      await (client ?? defaultClient()).authorize({ function: name, arguments: args }, { about, edits: false, waitSeconds });
      result.state.approve(item);
    } catch (e) {
      if (!(e instanceof Denied || e instanceof TypeError || e instanceof SyntaxError)) throw e;
      result.state.reject(item, { message: e.message });
    }
  }
  return result.state;
}
