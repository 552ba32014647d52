/** JSON, and bigint for integers beyond ±(2^53−1), which are sent and read with all digits. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** What a digest covers: what will be run. null and undefined are the same as absent. */
export interface Act {
  function?: string | null;
  arguments?: object | null;
  code?: string | null;
  action_type?: string | null;
  environment?: string | null;
  content?: unknown;
}

/** What people and policies read besides the act. The digest does not cover it. */
export interface About {
  docstring?: string | null;
  justification?: string | null;
  hints?: object | null;
  metadata?: object | null;
  session_id?: string | null;
  tool_call_id?: string | null;
  lifecycle_point?: "pre-agent-start" | "pre-tool-call" | "post-tool-result" | null;
}

export interface Submission extends Act, About {
  expires_in_seconds?: number | null;
  revises?: string | null;
  /** Go on with the agent's own approval of the same act and session, where there is one. */
  attach?: boolean | null;
  client?: { name?: string; version?: string; subagent?: string } | null;
}

export type Status = "pending" | "approved" | "blocked" | "denied" | "changes_requested" | "expired" | "cancelled";
export type Level = "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";

export interface Approval {
  id: string;
  status: Status;
  level: Level;
  score: number;
  digest: string;
  shown_digest: string;
  created_at: string;
  expires_at: string;
  /** In the answer that creates a request which asked for more time than the policy gives. */
  expiry_limited?: { asked_seconds: number; seconds: number };
  decided_at: string | null;
  decision: {
    verdict: "approve" | "deny" | "request_changes" | "block" | "expire" | "cancel";
    reason: string;
    decided_by: { kind: "person" | "policy" | "agent" | "clock"; id: string; name: string; for?: { id: string; name: string } }[];
    effective: (Act & About) | null;
    grant: string | null;
    digest?: string | null;
    /** The grant became void before it was used: someone withdrew the approval, or it needs stricter review. */
    voided?: { at: string; reason: string } | null;
  } | null;
  execution: { state?: "consumed" | "reported"; status: "succeeded" | "failed" | null; detail: string } | null;
  /** What people ask about it while it is pending; see Client.answer. */
  questions: { id: string; text: string; asked_by: { kind: "person"; id: string; name: string }; asked_at: string; answer: string | null; answered_at: string | null }[];
  console_url: string;
  revises: string | null;
  /** Of the newest request for the same function and target; else null. */
  newer?: string | null;
  /** headline, assessment, challenge, extension, waiting and what newer servers add. */
  [member: string]: unknown;
}

export interface ClientOptions {
  /** Base URL; else COUNTERSIGN_URL, else the settings file. https, or http to this machine. */
  url?: string;
  /** The agent's key; else COUNTERSIGN_KEY, else the settings file (mode 0600). */
  key?: string;
  /** A file with the certificates to trust. */
  ca?: string;
  /** Patience for people and for a server that is away; 3600. */
  waitSeconds?: number;
  /** Pins the keys of grants; else they are fetched from the server and kept for 15 minutes. */
  jwks?: { keys: object[] };
  allowHTTP?: boolean;
}

export interface Wait {
  waitSeconds?: number;
  /** Ends the waiting, before anything is spent. */
  signal?: AbortSignal;
}

/** Leave to run act, once, now. Report the result to approval. */
export interface Permit<A = Act> {
  approval: Approval;
  act: A;
}

export declare class Client {
  constructor(options?: ClientOptions);
  readonly url: string;
  readonly tenant: string;
  readonly waitSeconds: number;
  /** Submits an action; the answer is often still pending. With consume the grant of what the policy approves at once is spent in the same call. */
  submit(action: Submission, options?: { consume?: boolean; idempotencyKey?: string; signal?: AbortSignal }): Promise<Approval>;
  /** Waits until the status is final, through restarts; resumes with an id alone. Still pending where the patience ends first. */
  wait(approval: string | Approval, options?: Wait): Promise<Approval>;
  get(approval: string | Approval): Promise<Approval>;
  /** What to run of an approved approval of this act, and the digest to consume; throws Unproven where the yes does not hold. */
  verify(approval: Approval, act: Act, options?: Pick<Wait, "waitSeconds">): Promise<{ act: Act; digest: string }>;
  /** Spends the grant, right before the action. It answers only where the action may run. */
  consume(approval: string | Approval, digest: string, options?: { idempotencyKey?: string; signal?: AbortSignal }): Promise<{ status: "consumed"; replayed: boolean }>;
  /** Says how the action went. The server masks secrets in the detail. */
  report(approval: string | Approval, status: "succeeded" | "failed", detail?: string, options?: Pick<Wait, "waitSeconds">): Promise<Approval>;
  /** Answers one of the questions of a pending approval, once, by its id. */
  answer(approval: string | Approval, question: string, text: string): Promise<Approval>;
  cancel(approval: string | Approval): Promise<Approval>;
  /** A dry run. The key needs the scope assess. */
  assess(action: Act & About): Promise<Record<string, unknown>>;
  agent(): Promise<{ name: string; tenant: string; scopes: string[]; server_version: string; [member: string]: unknown }>;
  /**
   * From the question to the spent grant; throws Denied where the act must not run. Where the caller cannot
   * run other arguments than its own, edits is false: an edited approval is then Denied with status "edited",
   * and spent by the same call once it comes with the edited arguments.
   */
  authorize<A extends Act>(act: A, options?: Wait & { about?: About; edits?: boolean }): Promise<Permit<A>>;
}

export interface GateOptions {
  /** The function's name if left out. */
  name?: string;
  /** What the function does, as people and policies read it. */
  description?: string;
  /** What you know about the risk; it can raise the level only. */
  riskHints?: Record<string, Json>;
  /** Kept with the request for rules of your own; the server decides the level. */
  risk?: "low" | "medium" | "high" | "critical";
  environment?: string;
  sessionId?: string;
  metadata?: Record<string, Json>;
  waitSeconds?: number;
  client?: Client;
}

/**
 * Holds each call of fn until it is approved; throws Denied where it is not. The first argument is an object that
 * names the arguments: it is what is asked for, and fn gets a copy of it, or what an operator put in its place.
 * Further arguments (contexts, options) are passed on and not sent, so nobody approves them.
 */
export declare function gate<A extends object, R extends unknown[], T>(fn: (args: A, ...rest: R) => T, options?: GateOptions): (args: A, ...rest: R) => Promise<Awaited<T>>;

/** The client of the environment's settings, made when it is first needed. */
export declare function defaultClient(): Client;
/** Runs fn; calls in it belong to the session of this name, else they belong to the process. */
export declare function session<T>(name: string, fn: () => T): T;

/** The RFC 8785 text of a value; TypeError says what cannot be sent. */
export declare function canonical(value: unknown): string;
/** Reads JSON strictly; integers beyond ±(2^53−1) are bigint. */
export declare function parse(text: string): Json;
export declare function digest(act: Act): string;
/** The part of a whole action that a digest covers. */
export declare function actOf(action: object): Act;
export declare function verifyGrant(
  token: string,
  digest: string,
  options: { jwks: { keys: object[] }; issuer?: string; tenant: string; agent?: string; approval?: string; now?: number },
): { iss: string; sub: string; tenant: string; agent: string; digest: string; exp: number; jti: string };
export declare const VERSION: string;

export declare class CountersignError extends Error {}
/**
 * The action was not approved, or nobody could say that it was. status is that of the approval ("pending" when the
 * patience ended first), "unproven" for a yes that does not hold, "edited", "unavailable", or the code of a problem.
 */
export declare class Denied extends CountersignError {
  constructor(status: string, reason: string, approval?: Approval | null, options?: ErrorOptions);
  readonly status: string;
  readonly reason: string;
  readonly approval: Approval | null;
}
/** A refusal of the server (RFC 9457). code is the end of its type; see docs/problems.md. */
export declare class Problem extends CountersignError {
  constructor(code: string, status: number, detail: string, document?: object);
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string | null;
  readonly errors: { pointer?: string; parameter?: string; detail: string }[];
}
/** No usable answer came until the patience ended. */
export declare class Unavailable extends CountersignError {}
/** A yes that does not hold: another act, a grant that does not verify, a replay. check names what failed. */
export declare class Unproven extends CountersignError {
  constructor(check: string, message: string);
  readonly check: string;
}
