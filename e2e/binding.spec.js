// An agent is bound to an environment: asked by one admin, accepted by another, ended by anybody.
import { test, expect } from "./server.js";

const update = (n) => ({ function: "update_record", arguments: { table: "orders", id: n } });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("a binding counts once another admin accepted it, and ends at once", async ({ operator: page, server, acme, colleague }) => {
      const olga = await colleague("olga@acme.test", { javaScriptEnabled });
      const before = await acme.agent.submit(update(1));
      expect([before.status, before.level]).toEqual(["pending", "MEDIUM"]);

      await page.goto(`${server.url}/t/acme/settings/agents`);
      await page.getByRole("link", { name: "support-triage", exact: true }).click();
      const agent = page.url();
      const form = page.getByRole("region", { name: "Bind", exact: true });
      await form.getByLabel("Environment (optional)").fill("staging");
      await form.getByLabel("Reason").fill("It works on staging only");
      await form.getByRole("button", { name: "See what would change" }).click();
      await expect(page.getByText("Another admin has to approve it.")).toBeVisible();
      await page.getByRole("button", { name: "Request", exact: true }).click();
      await expect(page.getByRole("region", { name: "Withdraw the request" })).toBeVisible();
      await expect(page.getByRole("region", { name: "Accept the binding" })).toHaveCount(0); // not by who asked
      expect((await acme.agent.submit(update(2))).status).toBe("pending");

      await olga.goto(agent);
      const asked = olga.getByRole("region", { name: "Accept the binding" });
      await expect(asked).toContainText("It works on staging only");
      await asked.getByRole("button", { name: /^Bind it to .*staging/ }).click();
      await expect(olga.getByRole("region", { name: "Accept the binding" })).toHaveCount(0);
      const bound = await acme.agent.submit(update(3));
      expect([bound.status, bound.assessment.inputs.environment]).toEqual(["approved", "staging"]);
      expect((await acme.agent.submit({ ...update(4), environment: "production" })).status).toBe("pending");

      // Ending it needs nobody else, and what was let through by it is not spent any more.
      await page.goto(agent);
      await form.getByLabel("Environment (optional)").fill("");
      await form.getByLabel("Reason").fill("It moved");
      await form.getByRole("button", { name: "See what would change" }).click();
      await page.getByRole("button", { name: "Bind", exact: true }).click();
      expect((await acme.agent.submit(update(5))).status).toBe("pending");
      const spent = await acme.agent.call("POST", `/api/v1/approvals/${bound.id}/consume`, { digest: bound.digest });
      expect(spent.body.type).toBe("urn:countersign:problem:stricter-now");
      expect(spent.body.detail).toContain("no longer bound to the environment staging");
    });
  });
}
