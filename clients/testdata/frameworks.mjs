// The real frameworks with models that are told what to say. Each function runs an agent with
// one tool, held by the adapter, and answers how often the tool ran and what the model read.

// replies is a model that calls the tool, does what a denial says about other arguments, and ends.
function replies(args) {
  let calls = 0;
  return (said) => {
    if (said === undefined) return { id: `c${++calls}`, args };
    const again = /exactly these: (\{[^}]*\})/.exec(said);
    return again && calls < 2 ? { id: `c${++calls}`, args: JSON.parse(again[1]) } : null;
  };
}

export async function ai({ name, args, ...options }) {
  const { generateText, stepCountIs, tool } = await import("ai");
  const { MockLanguageModelV4 } = await import("ai/test");
  const { z } = await import("zod");
  const { approval } = await import("countersign/ai-sdk");
  const [ran, payloads, next] = [[], [], replies(args)];
  let read;
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      read = last.role === "tool" ? JSON.stringify(last.content.map((part) => part.output ?? part)) : undefined;
      const call = next(read && read.replaceAll('\\"', '"'));
      return {
        finishReason: { unified: call ? "tool-calls" : "stop", raw: "x" }, usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }, warnings: [],
        content: call ? [{ type: "tool-call", toolCallId: call.id, toolName: name, input: JSON.stringify(call.args) }] : [{ type: "text", text: "done" }],
      };
    },
  });
  const hold = approval(options);
  const tools = { [name]: tool({ description: says(name), inputSchema: z.object({ id: z.string() }), execute: async (a) => ran.push(a) && "ok" }) };
  const toolApproval = async (call) => {
    payloads.push({ toolCall: call.toolCall, tools: Object.fromEntries(Object.entries(call.tools).map(([n, t]) => [n, { description: t.description }])) });
    return hold(call);
  };
  await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(4), toolApproval });
  return { ran, read: read ?? "", payload: payloads[0] };
}

export async function langchain({ name, args, ...options }) {
  const { createAgent, humanInTheLoopMiddleware, tool } = await import("langchain");
  const { AIMessage } = await import("@langchain/core/messages");
  const { BaseChatModel } = await import("@langchain/core/language_models/chat_models");
  const { Command, MemorySaver } = await import("@langchain/langgraph");
  const { z } = await import("zod");
  const { resume } = await import("countersign/langchain");
  const [ran, next] = [[], replies(args)];
  let read;
  class Model extends BaseChatModel {
    _llmType() {
      return "told";
    }
    bindTools() {
      return this;
    }
    async _generate(messages) {
      const last = messages.at(-1);
      read = last.getType() === "tool" ? String(last.content) : undefined;
      const call = next(read);
      const message = new AIMessage(call ? { content: "", tool_calls: [{ name, args: call.args, id: call.id, type: "tool_call" }] } : "done");
      return { generations: [{ text: "", message }] };
    }
  }
  const one = tool(async (a) => ran.push(a) && "ok", { name, description: says(name), schema: z.object({ id: z.string() }) });
  const agent = createAgent({
    model: new Model({}), tools: [one], checkpointer: new MemorySaver(),
    middleware: [humanInTheLoopMiddleware({ interruptOn: { [name]: { allowedDecisions: ["approve", "edit", "reject"] } } })],
  });
  const config = { configurable: { thread_id: options.sessionId } };
  let result = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, config);
  const payload = result.__interrupt__?.[0];
  while (result.__interrupt__?.length) result = await agent.invoke(new Command({ resume: await resume(result, { ...options, tools: [one] }) }), config);
  return { ran, read: read ?? "", payload };
}

export async function openai({ name, args, ...options }) {
  const { Agent, Runner, RunState, Usage, setTracingDisabled, tool } = await import("@openai/agents");
  const { z } = await import("zod");
  const { decide } = await import("countersign/openai-agents");
  setTracingDisabled(true);
  const [ran, next] = [[], replies(args)];
  let read;
  const model = {
    async getResponse({ input }) {
      const last = Array.isArray(input) ? input.at(-1) : null;
      read = last?.type === "function_call_result" ? (last.output.text ?? JSON.stringify(last.output)) : undefined;
      const call = next(read);
      return {
        usage: new Usage(),
        output: call
          ? [{ type: "function_call", callId: call.id, name, status: "completed", arguments: JSON.stringify(call.args) }]
          : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] }],
      };
    },
    async *getStreamedResponse() {},
  };
  const one = tool({ name, description: says(name), parameters: z.object({ id: z.string() }), needsApproval: true, execute: async (a) => ran.push(a) && "ok" });
  const agent = new Agent({ name: "a", instructions: "x", model, tools: [one] });
  const runner = new Runner({ tracingDisabled: true });
  let result = await runner.run(agent, "go");
  const payload = result.interruptions[0]?.rawItem;
  while (result.interruptions.length) result = await runner.run(agent, await decide(result, { ...options, tools: [one] }));
  await RunState.fromString(agent, result.state.toString()); // what a program stores while people read
  return { ran, read: read ?? "", payload };
}

function says(name) {
  return name.startsWith("list") ? "Lists orders." : "Changes a thing.";
}
