import type { Client } from "./index.js";

export interface Options {
  client?: Client;
  sessionId?: string;
  waitSeconds?: number;
  /** The agent's tools, so that people read what each of them does. */
  tools?: readonly { name: string; description?: string }[];
}
export type Decision = { type: "approve" } | { type: "edit"; editedAction: { name: string; args: Record<string, unknown> } } | { type: "reject"; message: string };

/** The answer to the value of one interrupt of humanInTheLoopMiddleware. */
export declare function decide(
  request: { actionRequests: { name: string; args: Record<string, unknown> }[]; reviewConfigs?: { actionName: string; allowedDecisions: string[] }[] },
  options?: Options,
): Promise<{ decisions: Decision[] }>;
/** What Command({ resume }) takes, for all interrupts of a result. */
export declare function resume(result: object, options?: Options): Promise<any>;
