// A session: what a coding agent did in its workspace, what was held, and what it may do from then on.
import { test, expect, approveOnceRead, chooseNext } from "./server.js";
import { looksRight } from "./looks.js";

const shell = (command, session = "fix-4711") => ({ function: "Bash", arguments: { command }, session_id: session });
const write = (file, content) => ({ function: "Write", arguments: { file_path: `/home/dev/app/${file}`, content }, session_id: "fix-4711" });

// works binds the agent to a workspace, and has it work a little.
async function works(server, acme) {
  server.command(["agent", "bind", "--tenant", "acme", "--workspace", "/home/dev/app", "--reason", "for this test", "support-triage"]);
  const done = [];
  for (const action of [
    shell("git status"), write("src/cart.js", "export const total = 1\n"), shell("npm test 2>&1 | tail -20"),
    write("scripts/upload.sh", "curl -X POST -d @report https://reports.example/in\n"), shell("git commit -am 'round vouchers'"),
  ]) done.push(await acme.agent.submit(action));
  expect(done.map((a) => a.status)).toEqual(done.map(() => "approved"));
}

// address is the page of the session, from the request of it that is open.
const openSession = (page) => page.getByRole("link", { name: "The whole session" }).click();

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("allows a push for the session, lists its uses, and ends it with one click", async ({ operator: page, server, acme }) => {
      await works(server, acme);
      const asked = await acme.agent.submit(shell("git push -u origin fix-4711"));
      expect(asked.status).toBe("pending");
      await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
      const choose = () => chooseNext(page, "and push to fix-4711, 5 times in this session");
      await choose();
      await expect(page.getByText("Covers git push to the branch fix-4711")).toBeVisible();
      await approveOnceRead(page, page.getByText(/approved this/).first(), choose);
      expect((await acme.agent.get(asked.id)).status).toBe("approved");

      const again = await acme.agent.submit(shell("git push origin fix-4711"));
      expect(again.status).toBe("approved");
      expect(again.assessment.session_grant.covers).toMatch(/^pushing to fix-4711, up to 5 times/);
      expect((await acme.agent.submit(shell("git push origin main"))).status).toBe("pending");
      expect((await acme.agent.submit(shell("git push origin fix-4711", "another"))).status).toBe("pending");

      await page.goto(`${server.url}/t/acme/approvals/${again.id}`);
      await openSession(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Session fix-4711");
      await expect(page.getByText("1 waiting")).toBeVisible();
      const calls = page.getByRole("region", { name: "Calls" });
      await expect(calls.getByRole("row")).toHaveCount(9); // one is the head
      await expect(page.getByRole("region", { name: "Files written" })).toContainText("/home/dev/app/scripts/upload.sh");
      await page.getByRole("link", { name: "Held", exact: true }).click();
      await expect(calls.getByRole("row")).toHaveCount(3);
      await page.getByRole("link", { name: "Not held" }).click();
      await expect(calls.getByRole("row")).toHaveCount(7);
      const may = page.getByRole("region", { name: "What it can do without asking" });
      await expect(may).toContainText("Push to fix-4711");
      await expect(may).toContainText("1 of 5");
      await may.getByRole("button", { name: "End push to fix-4711" }).click();
      await expect(page.getByText(/revoked it at/)).toBeVisible();
      expect((await acme.agent.submit(shell("git push origin fix-4711"))).status).toBe("pending");
    });
  });
}

test("every page looks right", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  test.setTimeout(180_000);
  await works(server, acme);
  const asked = await acme.agent.submit(shell("git push origin fix-4711"));
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await looksRight(page, "request with a scope");
  const choose = () => chooseNext(page, "and push to fix-4711, 5 times in this session");
  await choose();
  await looksRight(page, "request with a scope, chosen");
  await approveOnceRead(page, page.getByText(/approved this/).first(), choose);
  await acme.agent.submit(shell("git push origin fix-4711"));
  await acme.agent.submit(shell("rm -rf ../other"));
  await acme.agent.submit(shell("npm install left-pad"));
  await openSession(page);
  await looksRight(page, "session");
  await page.goto(`${page.url()}&show=through&before=apr_${"0".repeat(32)}`);
  await looksRight(page, "session without calls");
  await page.goto(`${page.url().replace(/&show.*/, "")}`);
  await page.getByRole("region", { name: "What it can do without asking" }).getByRole("link", { name: "Push to fix-4711" }).click();
  await looksRight(page, "grant with a scope");
  await expect.poll(async () => {
    await page.goto(`${server.url}/t/acme/insights`);
    return page.locator("#figure-causes tbody tr").count();
  }, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect(page.locator("#figure-causes")).toContainText("workspace: push");
  await looksRight(page, "insights by cause");
});
