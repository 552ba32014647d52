// The adapters fit the types of the real frameworks; compiled in make agents.
import { Agent, Runner, tool as openaiTool } from "@openai/agents";
import { Command } from "@langchain/langgraph";
import { generateText, tool, type LanguageModel } from "ai";
import { createAgent, humanInTheLoopMiddleware, tool as langchainTool } from "langchain";
import { z } from "zod";
import { approval } from "countersign/ai-sdk";
import { resume } from "countersign/langchain";
import { decide } from "countersign/openai-agents";

export async function all(model: LanguageModel): Promise<void> {
  const tools = { remove: tool({ description: "Removes.", inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id }) };
  await generateText({ model, tools, prompt: "go", toolApproval: approval() });

  const one = langchainTool(async ({ id }: { id: string }) => id, { name: "remove", description: "Removes.", schema: z.object({ id: z.string() }) });
  const agent = createAgent({ model: "told", tools: [one], middleware: [humanInTheLoopMiddleware({ interruptOn: { remove: true } })] });
  const result = await agent.invoke({ messages: [] });
  await agent.invoke(new Command({ resume: await resume(result, { tools: [one] }) }));

  const removes = openaiTool({ name: "remove", description: "Removes.", parameters: z.object({ id: z.string() }), needsApproval: true, execute: async ({ id }) => id });
  const openai = new Agent({ name: "a", tools: [removes] });
  const run = await new Runner().run(openai, "go");
  await new Runner().run(openai, await decide(run, { tools: [removes] }));
}
