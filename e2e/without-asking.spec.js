// "And the next n like it in this session", and the page of what runs without asking.
import { test, expect, actions, approveOnceRead, chooseNext } from "./server.js";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("a decision lets the next ones of its session through, until it is ended", async ({ operator: page, server, acme }) => {
      const deploy = (version, change = {}) => ({ ...actions.medium, arguments: { ...actions.medium.arguments, version }, ...change });
      const status = async (action) => (await acme.agent.submit(action)).status;
      const asked = await acme.agent.submit(deploy("4.18.2"));
      await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
      const next = page.getByLabel("How many", { exact: true });
      await expect(next).toHaveValue(""); // only this one, unless somebody chooses
      await approveOnceRead(page, page.locator("[data-request]").getByText(/approved this at/), () => chooseNext(page, "This and the next 3 like it in this session"));
      expect((await acme.agent.get(asked.id)).status).toBe("approved");

      const through = await acme.agent.submit(deploy("4.18.2", { justification: "once more" }));
      expect(through.status).toBe("approved");
      expect(through.assessment.session_grant.covers).toContain("deploy_service");
      expect(await status(deploy("4.18.2", { session_id: "another" }))).toBe("pending");
      expect(await status(deploy("4.18.2", { arguments: { ...actions.medium.arguments, force: true } }))).toBe("pending");

      await page.goto(`${server.url}/t/acme/settings/agents`);
      await page.getByRole("link", { name: "support-triage", exact: true }).click();
      await page.getByRole("link", { name: "What runs without asking" }).click();
      const grants = page.getByRole("region", { name: "Standing and session approvals" }).getByRole("row").filter({ hasText: "deploy_service" });
      await expect(grants).toContainText("one session, allowed by");
      await expect(grants).toContainText("1 of 3");
      await grants.getByRole("button", { name: /^End / }).click();
      expect(await status(deploy("4.18.2"))).toBe("pending");
      const spent = await acme.agent.call("POST", `/api/v1/approvals/${through.id}/consume`, { digest: through.digest });
      expect(spent.body.type).toBe("urn:countersign:problem:grant-void");
    });
  });
}
