// An admin invites somebody, changes what they may, and takes it away again.
import { test, expect, signIn, password } from "./server.js";
import { looksRight } from "./looks.js";

const people = (server) => `${server.url}/t/acme/settings/people`;

const invite = async (page, server, email, ...roles) => {
  await page.goto(`${people(server)}/new`);
  await page.getByLabel("Email").fill(email);
  for (const role of roles) await page.getByRole("checkbox", { name: new RegExp(`^${role}`) }).check();
  await page.getByRole("button", { name: "Create invitation" }).click();
  await expect(page.getByRole("heading", { name: `Invitation for ${email}` })).toBeVisible();
  return page.locator("#link").innerText();
};

// join accepts an invitation in a browser of its own.
const join = async (another, link, name) => {
  const page = await another();
  await page.goto(link);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Join acme" }).click();
  await page.waitForURL(/\/queue$/);
  return page;
};

test("an invited person joins in another browser, with the roles they were given", async ({ operator: page, server, another }) => {
  const link = await invite(page, server, "omar@acme.test", "Operator", "Compliance");
  await page.goto(people(server));
  await expect(page.getByRole("region", { name: "Invitations" })).toContainText("omar@acme.test");
  const omar = await join(another, link, "Omar Diaz");
  await omar.goto(people(server));
  await expect(omar.getByRole("row", { name: /Omar Diaz/ })).toContainText("compliance");
  await expect(omar.getByRole("link", { name: "Invite a person" })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("row", { name: /Omar Diaz/ })).toContainText("operator");
  await expect(page.getByRole("region", { name: "Invitations" })).toHaveCount(0);
  const late = await another();
  expect((await late.goto(link)).status()).toBe(401);
});

test("a removed person's open page loses its access within seconds", async ({ operator: page, server, another }) => {
  const omar = await join(another, await invite(page, server, "omar@acme.test", "Operator"), "Omar Diaz");
  await expect(omar.locator("#live[data-state=live]")).toBeVisible();
  await page.goto(people(server));
  await page.getByRole("link", { name: "Omar Diaz" }).click();
  await page.getByLabel("Remove Omar Diaz from acme").check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByRole("row", { name: /Omar Diaz/ })).toHaveCount(0);
  await expect(omar.locator("#ended")).toBeVisible();
  expect((await omar.goto(`${server.url}/t/acme/queue`)).status()).toBe(404);
});

test("somebody who is signed out signs in again, and keeps their roles", async ({ operator: page, server, another }) => {
  const omar = await join(another, await invite(page, server, "omar@acme.test", "Operator"), "Omar Diaz");
  await expect(omar.locator("#live[data-state=live]")).toBeVisible();
  await page.goto(people(server));
  await page.getByRole("link", { name: "Omar Diaz" }).click();
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(omar.locator("#ended")).toBeVisible();
  await omar.goto(`${server.url}/t/acme/queue`);
  await expect(omar.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await signIn(omar, server, "omar@acme.test");
  await expect(omar.getByRole("heading", { name: "Queue" })).toBeVisible();
});

test("roles change at once, and the last admin stays", async ({ operator: page, server, another }) => {
  const omar = await join(another, await invite(page, server, "omar@acme.test", "Operator"), "Omar Diaz");
  expect((await omar.goto(people(server))).status()).toBe(403);
  await page.goto(people(server));
  await page.getByRole("link", { name: "Omar Diaz" }).click();
  await page.getByRole("checkbox", { name: /^Compliance/ }).check();
  await page.getByRole("button", { name: "Change roles" }).click();
  expect((await omar.goto(people(server))).status()).toBe(200);
  await page.goto(people(server));
  await page.getByRole("link", { name: "Priya" }).click();
  await page.getByRole("checkbox", { name: /^Admin/ }).uncheck();
  await page.getByRole("button", { name: "Change roles" }).click();
  await expect(page.getByRole("alert")).toContainText("is the only admin of acme");
});

test("a password link works once; one's own password and sign-outs", async ({ operator: page, server, another, colleague }) => {
  const omar = await join(another, await invite(page, server, "omar@acme.test", "Operator"), "Omar Diaz");
  await page.goto(people(server));
  await page.getByRole("link", { name: "Omar Diaz" }).click();
  await page.getByRole("button", { name: "Create a password link" }).click();
  const link = await page.locator("#link").innerText();

  // Whoever makes a link for somebody else could use it, so it works once another admin agrees.
  const olga = await colleague("olga@acme.test", { roles: "admin" });
  await olga.goto(`${server.url}/t/acme/settings/waiting`);
  await looksRight(olga, "waiting");
  await olga.getByRole("button", { name: /^Accept/ }).click();
  await expect(olga.getByRole("button", { name: /^Accept/ })).toHaveCount(0);

  await omar.goto(link);
  await omar.getByLabel("New password").fill("another horse battery");
  await omar.getByRole("button", { name: "Set the password" }).click();
  await expect(omar.getByText("Password set. Sign in with it.")).toBeVisible();
  await omar.getByLabel("Email").fill("omar@acme.test");
  await omar.getByLabel("Password").fill("another horse battery");
  await omar.getByRole("button", { name: "Sign in" }).click();
  await omar.waitForURL(/\/queue$/);
  await omar.locator("summary[aria-label^='Signed in as']").click();
  await omar.getByRole("link", { name: "Your account" }).click();
  await omar.getByLabel("Current password").fill("another horse battery");
  await omar.getByLabel("New password").fill(password);
  await omar.getByRole("button", { name: "Set the password" }).click();
  await expect(omar.getByText("Password set. You've been signed out everywhere else.")).toBeVisible();
  await omar.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(omar.getByText("You're signed out everywhere.")).toBeVisible();
  await signIn(omar, server, "omar@acme.test");
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  test("inviting, joining and making an agent work", async ({ operator: page, server, another }) => {
    const link = await invite(page, server, "omar@acme.test", "Admin");
    const omar = await another({ javaScriptEnabled: false });
    await omar.goto(link);
    await omar.getByLabel("Password").fill(password);
    await omar.getByRole("button", { name: "Join acme" }).click();
    await omar.goto(`${server.url}/t/acme/settings/agents/new`);
    await omar.getByLabel("Name").fill("bot");
    await omar.getByRole("button", { name: "Create agent" }).click();
    await expect(omar.locator("#key")).toHaveText(/^csk_acme_/);
    await expect(omar.getByRole("button", { name: /^Copy/ })).toHaveCount(0);
  });
});

test("every page looks right", { tag: "@all" }, async ({ operator: page, server }) => {
  test.setTimeout(240_000); // axe on each page at three widths
  const check = async (what) => {
    await looksRight(page, what);
    for (const name of await page.getByRole("button").allInnerTexts()) expect(name).not.toMatch(/^Approve/);
  };
  const link = await invite(page, server, "a-person-with-a-rather-long-address@department.acme.test", "Operator", "Compliance", "Admin");
  await check("the link");
  await page.goto(people(server));
  await check("the list");
  await page.getByRole("link", { name: "Priya" }).click();
  await check("a person");
  await page.goto(`${server.url}/account`);
  await check("the account");
  await page.goto(link);
  await check("joining");
});
