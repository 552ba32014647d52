// A decision on a bad line: the page and what was typed stay, and "Retry" sends it.
import { test, expect, signIn, password } from "./server.js";

const mail = { function: "send_email", arguments: { to: "a@acme.test" }, environment: "staging" };

// denying opens the form of a request and types a reason.
async function denying(page, server, acme) {
  const asked = await acme.agent.submit(mail);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("typed before");
  return asked;
}
const submit = (page) => page.locator("#deny button[type=submit]").click();
const notSent = (page) => page.getByRole("alert").filter({ hasText: "Not sent." });

async function stays(page, asked, acme) {
  await expect(notSent(page)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${asked.id}$`));
  await expect(page.locator("#deny-reason")).toHaveValue("typed before");
  if (acme) expect((await acme.agent.get(asked.id)).status).toBe("pending");
}
async function sent(page, asked, acme) {
  await expect(page.getByText("You denied this").or(page.getByText(/denied this at/)).first()).toBeVisible();
  const { status, decision } = await acme.agent.get(asked.id);
  expect([status, decision.reason]).toEqual(["denied", "typed before"]);
}

test("without a connection nothing is lost, and Retry sends it", async ({ operator: page, server, acme }) => {
  const asked = await denying(page, server, acme);
  await page.context().setOffline(true); // no feed has noticed yet
  await submit(page);
  await stays(page, asked, acme);
  await page.getByRole("button", { name: "Retry" }).click(); // still offline
  await stays(page, asked, acme);
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Retry" }).click();
  await sent(page, asked, acme);
});

test("a server that goes down in the middle loses nothing", async ({ operator: page, server, acme }) => {
  const asked = await denying(page, server, acme);
  const addr = new URL(server.url).host;
  server.process.kill("SIGKILL"); // its sockets close
  await server.exited;
  await submit(page);
  await stays(page, asked);
  await server.boot(addr, false);
  await page.getByRole("button", { name: "Retry" }).click();
  await sent(page, asked, acme);
});

// answerLost has the server get the form, and the page no answer.
const answerLost = (page) => page.route("**/decide", async (route) => { await route.fetch({ maxRedirects: 0 }); await route.abort("connectionreset"); }, { times: 1 });

test("what is being sent is not said to be lost when the feed is first", async ({ operator: page, server, acme }) => {
  const asked = await denying(page, server, acme);
  let answered;
  const answer = new Promise((resolve) => { answered = resolve; });
  await page.route("**/decide", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await expect(page.locator("[data-outcome][data-closed]")).toBeVisible();
    await expect(page.locator("#kept")).toBeHidden();
    await route.fulfill({ response });
    answered();
  });
  await submit(page);
  await answer; // the feed says it before
  await sent(page, asked, acme);
});

test("where the answer to a decision is lost, the feed tells how it ended", async ({ operator: page, server, acme }) => {
  const asked = await denying(page, server, acme);
  await answerLost(page);
  await submit(page);
  await sent(page, asked, acme);
});

test("without a feed Retry asks again, and the decision is made once", async ({ operator: page, server, acme }) => {
  await page.routeWebSocket(/\/live/, (socket) => socket.close());
  const asked = await denying(page, server, acme);
  await answerLost(page);
  await submit(page);
  await stays(page, asked);
  await page.getByRole("button", { name: "Retry" }).click();
  await sent(page, asked, acme);
});

// signInThere answers the dialog on the page.
async function signInThere(page) {
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  return dialog;
}

test("offline and signed out: Retry asks for the password on the page", async ({ operator: page, server, acme }) => {
  await page.clock.install();
  const asked = await denying(page, server, acme);
  await page.context().clearCookies({ name: "countersign_session" });
  await page.context().setOffline(true);
  await page.clock.fastForward("01:01:00");
  await submit(page);
  await stays(page, asked, acme);
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Retry" }).click();
  await signInThere(page);
  await sent(page, asked, acme);
});

test("signed out, then offline: the dialog stays until the line is back", async ({ operator: page, server, acme }) => {
  await page.clock.install();
  const asked = await denying(page, server, acme);
  await page.context().clearCookies({ name: "countersign_session" });
  const told = page.waitForResponse((answer) => answer.url().endsWith("/session") && answer.status() === 401);
  await page.clock.fastForward("01:01:00"); // the page asks whether the session goes on
  await told;
  await submit(page);
  await page.context().setOffline(true);
  const dialog = await signInThere(page);
  await expect(dialog.getByRole("alert")).toContainText("Check your connection");
  await page.context().setOffline(false);
  await signInThere(page);
  await sent(page, asked, acme);
});

test("a refusal is said on the page with what was typed, once", async ({ operator: page, server, acme }) => {
  const asked = await denying(page, server, acme);
  await page.getByRole("textbox", { name: "Reason" }).fill("x".repeat(2001));
  await submit(page);
  await expect(page.getByText("Enter a reason of 1 to 2,000 characters")).toHaveCount(2); // above the request and at its field
  await expect(page.getByRole("textbox", { name: "Reason" })).toHaveValue("x".repeat(2001));
  await expect(page).toHaveURL(new RegExp(`${asked.id}$`));
  await page.reload();
  await expect(page.getByText("Enter a reason of 1 to 2,000 characters")).toHaveCount(0);
});

test("what one person typed is not sent as another's, who signed in in another tab", async ({ operator: page, server, acme }) => {
  server.grant("olga@acme.test");
  const asked = await denying(page, server, acme);
  const other = await page.context().newPage();
  await signIn(other, server, "olga@acme.test");
  await submit(page);
  await expect(page.getByText("omeone else opened this page").first()).toBeVisible();
  expect((await acme.agent.get(asked.id)).status).toBe("pending");
  await expect(page.locator("#deny-reason")).toHaveValue("typed before");
  await submit(page); // the page is Olga's by now
  await sent(page, asked, acme);
  expect((await acme.agent.get(asked.id)).decision.decided_by.map(({ name }) => name)).toEqual(["Olga"]);
});
