import type { Client } from "./index.js";

/** For toolApproval of generateText, streamText and agents (AI SDK 7). Each tool runs only after its call was approved. */
export declare function approval(options?: { client?: Client; sessionId?: string; waitSeconds?: number }): (call: {
  toolCall: { toolCallId: string; toolName: string; input: unknown };
  tools?: Record<string, { description?: unknown }> | undefined;
}) => Promise<"approved" | { type: "denied"; reason: string }>;
