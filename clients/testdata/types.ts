// What a user of the package writes has types, and what is wrong does not compile.
import { Client, Denied, Problem, Unavailable, Unproven, canonical, digest, gate, parse, session, verifyGrant, type Approval, type Permit } from "countersign";
import { approval } from "countersign/ai-sdk";
import { decide as decideInterrupt, resume } from "countersign/langchain";
import { decide } from "countersign/openai-agents";

const client = new Client({ url: "https://approvals.example.com", key: "csk_acme_x", waitSeconds: 60 });

interface Removal {
  userId: string;
  notify?: boolean;
}
const remove = gate(async ({ userId, notify }: Removal, context: { trace: string }) => `${userId} ${notify} ${context.trace}`, {
  name: "delete_user",
  description: "Permanently remove a user account.",
  riskHints: { production: true, affected: 12 },
  risk: "high",
  client,
});
const removed: Promise<string> = remove({ userId: "usr_1" }, { trace: "t" });
const plain: Promise<number> = gate((args: { n: bigint }) => Number(args.n), { name: "pay" })({ n: 10n ** 21n });
// @ts-expect-error the arguments are those of the function
remove({ user: "usr_1" }, { trace: "t" });
// @ts-expect-error the context is asked for, too
remove({ userId: "usr_1" });
// @ts-expect-error a misspelt option
gate(async (args: object) => args, { names: "x" });
// @ts-expect-error arguments have names
gate(async (id: string) => id, { name: "x" });
// @ts-expect-error no such level
gate(async (args: object) => args, { name: "x", risk: "severe" });

async function all(): Promise<void> {
  const a: Approval = await client.submit({ function: "pay", arguments: { wei: 10n ** 21n }, session_id: "s", attach: true }, { consume: true });
  // @ts-expect-error no such member
  await client.submit({ function: "pay", args: {} });
  const done = await client.wait(a.id, { waitSeconds: 10, signal: AbortSignal.timeout(10) });
  const { act, digest: spend } = await client.verify(done, { function: "pay" });
  const { replayed } = await client.consume(done, spend);
  await client.report(done, "succeeded", String(replayed) + act.function);
  for (const q of done.questions) if (q.answer === null) await client.answer(done, q.id, `about ${q.text}`);
  // @ts-expect-error no such outcome
  await client.report(done, "done");
  const permit: Permit<{ function: string; arguments: { id: string } }> = await client.authorize({ function: "f", arguments: { id: "1" } }, { about: { docstring: "d" }, edits: false });
  const id: string = permit.act.arguments.id;
  const { name, scopes } = await client.agent();
  await session("ticket-1", async () => client.cancel(id + name + scopes.join()));
  const status: "pending" | "approved" | "blocked" | "denied" | "changes_requested" | "expired" | "cancelled" = done.status;
  const dry = await client.assess({ function: "f" });
  console.log(status, dry.level, removed, plain, canonical([1n]), parse("1"), digest({ function: "f" }));
  verifyGrant("t", "d", { jwks: { keys: [] }, tenant: "acme" });
  const said = await approval({ client })({ toolCall: { toolCallId: "c", toolName: "t", input: {} } });
  if (said !== "approved") console.log(said.reason);
  const { decisions } = await decideInterrupt({ actionRequests: [{ name: "t", args: {} }] });
  for (const d of decisions) if (d.type === "edit") console.log(d.editedAction.args);
  await resume({}, { sessionId: "s" });
  const state: { approve(): void } = await decide({ interruptions: [], state: { approve() {} } });
  state.approve();
}

all().catch((e: unknown) => {
  if (e instanceof Denied) console.log(e.status, e.reason, e.approval?.console_url);
  else if (e instanceof Problem) console.log(e.code, e.errors[0]?.pointer);
  else if (e instanceof Unproven) console.log(e.check);
  else if (e instanceof Unavailable) console.log(e.message);
});
