// Somebody gets called: an admin adds a webhook, and the published library for npm checks
// what arrives. The request says that it was delivered.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { test, expect, actions } from "./server.js";

test("a held request arrives at a receiver with the library of Standard Webhooks", async ({ operator: page, acme, server }) => {
  const calls = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => { calls.push({ headers: request.headers, body }); response.writeHead(204).end(); });
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    await page.goto(server.url + "/t/acme/settings/notices");
    await page.getByRole("link", { name: "Webhook", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("#ops");
    await page.getByLabel("Address", { exact: true }).fill(`http://127.0.0.1:${receiver.address().port}/hook`);
    await page.getByRole("button", { name: "Add channel" }).click();
    const secret = await page.locator("#secret").innerText();
    const hook = new Webhook(secret);
    await page.getByRole("link", { name: "To the channel" }).click();
    await page.getByRole("button", { name: "Rotate" }).click();
    const rotated = new Webhook(await page.locator("#secret").innerText());
    const held = await acme.agent.submit(actions.medium);
    await expect.poll(() => calls.length).toBe(1);
    for (const one of [hook, rotated]) {
      const said = one.verify(calls[0].body, calls[0].headers);
      expect(said.type).toBe("request.held");
      expect(said.data.id).toBe(held.id);
      expect(said.data.link).toBe(`${server.url}/t/acme/approvals/${held.id}`);
    }
    expect(() => new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").verify(calls[0].body, calls[0].headers)).toThrow();
    await expect(async () => {
      await page.goto(`${server.url}/t/acme/approvals/${held.id}`);
      await expect(page.getByRole("complementary", { name: "Context" })).toContainText(/#ops: delivered \d\d:\d\d:\d\d/, { timeout: 1000 });
    }).toPass();
  } finally {
    receiver.close();
  }
});
