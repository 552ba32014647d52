import type { Client } from "./index.js";

/** The state of a run with a decision for each interruption: while (result.interruptions.length) result = await run(agent, await decide(result)). */
export declare function decide<S>(
  result: { interruptions: readonly unknown[]; state: S },
  options?: { client?: Client; sessionId?: string; waitSeconds?: number; tools?: readonly { name: string; description?: string }[] },
): Promise<S>;
