// A server's tools: imported for an agent, accepted by two admins, changed by the server.
import { test, expect } from "./server.js";

const frobs = (description) => JSON.stringify({ tools: [
  { name: "list_frobs", description: "Lists frobs.", inputSchema: { type: "object" } },
  { name: "frobnicate", description, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "delete_frob", description: "Deletes a frob.", inputSchema: { type: "object" }, annotations: { destructiveHint: true } },
] });

async function importTools(page, list) {
  await page.getByLabel("Server (optional)").fill("frobs");
  await page.getByLabel("Prefix (optional)").fill("mcp__frobs__");
  await page.getByLabel("Or paste the list").fill(list);
  await page.getByRole("button", { name: "Import", exact: true }).click();
}

test.use({ begin: "shipped" });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("what is accepted of an imported tool runs, until its server says something else", async ({ operator: page, server, acme, colleague }) => {
      const status = async (name, n) => (await acme.agent.submit({ function: `mcp__frobs__${name}`, arguments: { n } })).status;
      expect(await status("frobnicate", 1)).toBe("pending");

      await page.goto(`${server.url}/t/acme/settings/agents`);
      await page.getByRole("link", { name: "support-triage", exact: true }).click();
      await page.getByRole("link", { name: /tools/i }).click();
      await importTools(page, "no list");
      await expect(page.getByRole("alert")).toBeVisible();
      await importTools(page, frobs("Looks at a frob."));
      const row = (name) => page.getByRole("row", { name: `mcp__frobs__${name} ` });
      await expect(row("list_frobs")).toContainText("LOW");
      await expect(row("frobnicate")).toContainText("MEDIUM");
      await expect(row("delete_frob")).toContainText("HIGH");
      expect(await status("frobnicate", 2)).toBe("pending"); // an import lets nothing through

      // The second admin accepts.
      const olga = await colleague("olga@acme.test", { javaScriptEnabled });
      await expect(page.getByLabel("Effect of mcp__frobs__frobnicate")).toHaveValue("read"); // suggested
      await page.getByRole("button", { name: "Preview and propose" }).click();
      await page.getByRole("button", { name: "Send to a second admin" }).click();
      await expect(page.getByRole("heading", { level: 1, name: /^Proposal by/ })).toBeVisible();
      expect(await status("frobnicate", 3)).toBe("pending");
      await olga.goto(page.url());
      await olga.getByRole("checkbox", { name: /I've read the 1 setting/ }).check();
      await olga.getByRole("button", { name: "Accept as version 2" }).click();
      await expect(olga.getByRole("heading", { level: 1, name: "Policy, version 2" })).toBeVisible();
      expect(await status("frobnicate", 4)).toBe("approved");
      expect(await status("delete_frob", 1)).toBe("pending");

      // The server describes it otherwise.
      await page.goto(`${server.url}/t/acme/settings/agents`);
      await page.getByRole("link", { name: "support-triage", exact: true }).click();
      await page.getByRole("link", { name: /tools/i }).click();
      await importTools(page, frobs("Sells a frob."));
      await expect(row("frobnicate")).toContainText("changed");
      expect(await status("frobnicate", 5)).toBe("pending");
    });
  });
}
