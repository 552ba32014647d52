// AI SDK 7: generateText({ …, toolApproval: approval() }) asks the console before each tool runs.
import { Denied } from "./errors.js";
import { defaultClient } from "./gate.js";

// A tool runs with the model's own input there. So an edited approval is a denial that tells the
// model which arguments to call with; that call is approved already.
export function approval({ client, sessionId, waitSeconds } = {}) {
  return async ({ toolCall, tools }) => {
    const description = tools?.[toolCall.toolName]?.description;
    const about = { docstring: typeof description === "string" ? description : undefined, tool_call_id: toolCall.toolCallId, session_id: sessionId };
    try {
      await (client ?? defaultClient()).authorize({ function: toolCall.toolName, arguments: toolCall.input }, { about, edits: false, waitSeconds });
      return "approved";
    } catch (e) {
      if (!(e instanceof Denied || e instanceof TypeError)) throw e; // what cannot be sent, nobody can approve
      return { type: "denied", reason: e.message };
    }
  };
}
