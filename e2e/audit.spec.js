// Compliance: finds entries, checks one in the browser, verifies the trail, takes it out as a file and verifies that elsewhere.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test, expect, actions, signIn } from "./server.js";
import { looksRight } from "./looks.js";

const binary = new URL("../bin/countersign", import.meta.url).pathname;

async function decided(page, server, acme) {
  const asked = {};
  for (const [level, action] of Object.entries(actions)) asked[level] = await acme.agent.submit(action);
  await page.goto(`${server.url}/t/acme/approvals/${asked.medium.id}`);
  await page.getByRole("button", { name: /^Deny/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("=1+1, not „so“");
  await page.getByRole("button", { name: /^Deny:/ }).click();
  await expect(page.getByText("“=1+1, not „so“”", { exact: true })).toBeVisible();
  return asked;
}

test("filters the trail, and the address holds the filter", async ({ operator: page, server, acme }) => {
  const asked = await decided(page, server, acme);
  await page.goto(`${server.url}/t/acme/audit`);
  await page.getByRole("searchbox", { name: "Recorded text" }).fill("not „SO“");
  await page.locator("summary", { hasText: "All kinds" }).click();
  await page.getByRole("group", { name: "Request", exact: true }).getByLabel("denied").check();
  await page.keyboard.press("Escape");
  await page.getByLabel("Who").selectOption({ label: "Priya" });
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByText("Denied “Deploy service” “checkout-api” · replicas “4” · env “staging” · version “4.18.2”: “=1+1, not „so“”")).toBeVisible();
  expect(new URL(page.url()).search).toMatch(/^\?text=not.*&kind=approval\.denied&actor=person%3Aper_\w+$/);
  const address = page.url();
  await page.getByRole("link", { name: "Request of entry" }).click();
  await expect(page).toHaveURL(new RegExp(asked.medium.id));
  await page.goto(address);
  await expect(page.getByRole("searchbox", { name: "Recorded text" })).toHaveValue("not „SO“");
  await page.getByRole("link", { name: "Remove the filter Kind approval.denied" }).click();
  await expect(page.getByRole("link", { name: /Remove the filter Kind/ })).toHaveCount(0);
  await page.getByRole("link", { name: "Clear filters" }).click();
  expect(new URL(page.url()).search).toBe("");
  await page.goto(`${server.url}/t/acme/audit?text=kept&from=soon`);
  await expect(page.getByRole("alert")).toContainText("From: Write a time in UTC");
  await expect(page.getByRole("textbox", { name: "From (UTC)" })).toHaveValue("soon");
});

test("verifies an entry in this browser, and as the page says in a shell", async ({ operator: page, server, acme }) => {
  await decided(page, server, acme);
  await page.goto(`${server.url}/t/acme/audit?kind=approval.denied`);
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("button", { name: "Verify in this browser" }).click();
  await expect(page.locator("#verify-result")).toContainText("Verified: your browser hashed these bytes");
  const leaf = await page.locator("#proof").getAttribute("data-leaf");
  const command = await page.getByRole("region", { name: "Command for the hash" }).innerText();
  expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toContain(leaf);
  // One byte of what is shown, one hash of the way: no.
  for (const change of [
    () => { document.querySelector("#bytes .text").firstChild.data += " "; },
    () => { const li = document.querySelector("#proof [data-hash]"); li.dataset.hash = li.dataset.hash.replace(/^./, (c) => (c === "0" ? "1" : "0")); },
    () => { const li = document.querySelector("#proof [data-hash]"); li.dataset.side = li.dataset.side === "left" ? "right" : "left"; },
  ]) {
    await page.reload();
    await page.evaluate(change);
    await page.getByRole("button", { name: "Verify in this browser" }).click();
    await expect(page.locator("#verify-result")).toContainText("Failed:");
  }
});

test("verifies the trail, and takes it out as files", async ({ operator: page, server, acme }) => {
  const asked = await decided(page, server, acme);
  await page.goto(`${server.url}/t/acme/audit`);
  await expect(page.getByText("JSON lines end before the first request that you can still decide.")).toBeVisible(); // the HIGH that waits
  await acme.agent.call("POST", `/api/v1/approvals/${asked.high.id}/cancel`, {});
  await page.goto(`${server.url}/t/acme/audit`);
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(page.getByText(/Entries 0–\d+ verified/)).toBeVisible();
  const save = async (button) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
    return { name: file.suggestedFilename(), path: await file.path() };
  };
  const lines = await save("Export all as JSON lines");
  expect(lines.name).toMatch(/^acme-audit-\d{8}T\d{6}Z\.jsonl$/);
  expect(execFileSync(binary, ["audit", "verify", "--file", lines.path], { encoding: "utf8" })).toMatch(/^acme: holds, \d+ events/);
  const table = await save("Export all as CSV"); // a second file from the same page
  expect(readFileSync(table.path, "utf8")).toContain(`"Denied deploy_service: “=1+1, not „so“”"`);
  await page.goto(`${server.url}/t/acme/history?status=denied`);
  const decisions = await save("Export these as CSV");
  expect(readFileSync(decisions.path, "utf8")).toContain(`"'=1+1, not „so“"`);
  await page.goto(`${server.url}/t/acme/audit?kind=audit.exported`);
  await expect(page.getByText("Exported 1 entry of the history as CSV")).toBeVisible();
});

test("an operator reads, and takes nothing out", async ({ server, acme, colleague }) => {
  await acme.agent.submit(actions.low);
  const page = await colleague("olga@acme.test", { roles: "operator" });
  await page.goto(`${server.url}/t/acme/audit`);
  await expect(page.getByText("Signed in").first()).toBeVisible();
  await expect(page.getByText("Proposed “Get user”")).toHaveCount(0);
  await page.getByRole("navigation", { name: "Which entries" }).getByRole("link", { name: "Calls" }).click();
  await expect(page.getByRole("row")).toHaveCount(3); // the head, the call and its earlier entries
  await page.getByText(/earlier entr/).click();
  await expect(page.getByText("Proposed “Get user” “usr_98”")).toBeVisible();
  await expect(page.getByRole("button", { name: /Export|Verify/ })).toHaveCount(0);
});

test("the same without script", async ({ another, server, acme }) => {
  await acme.agent.submit(actions.low);
  const page = await another({ javaScriptEnabled: false });
  await signIn(page, server, "priya@acme.test");
  await page.goto(`${server.url}/t/acme/audit`);
  await page.locator("summary", { hasText: "All kinds" }).click();
  await page.getByRole("group", { name: "Request", exact: true }).getByLabel("submitted").check();
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL(/audit\?kind=approval\.submitted$/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(page.getByText(/Entries 0–\d+ verified/)).toBeVisible();
  await page.goto(`${server.url}/t/acme/audit/0`);
  await expect(page.getByRole("button", { name: "Verify in this browser" })).toBeHidden();
  await expect(page.getByText(/in a shell/).first()).toBeVisible();
});

test("the lists in every state, from phone to desktop", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000); // axe in six looks of six pages
  await decided(page, server, acme);
  for (const path of ["audit?text=denied&level=MEDIUM&from=2020-01-01T00%3A00", "audit?from=soon&colour=red", "audit?text=nothing-holds-this", "audit/3", "history?level=MEDIUM&status=denied", "history?function=none"]) {
    await page.goto(`${server.url}/t/acme/${path}`);
    await page.evaluate(() => document.querySelectorAll("details.picks").forEach((list) => { list.removeAttribute("name"); list.open = true; }));
    await looksRight(page, path);
  }
});
