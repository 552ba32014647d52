// Push notifications from the server to the browser: a person turns them on, the server sends to
// a push service, which here is the test: it decrypts and hands the message to the browser as a
// push service does. The browser's own way to a push service is the only part that is made up.
import { createServer } from "node:http";
import { createDecipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import { test, expect, actions } from "./server.js";
import { looksRight } from "./looks.js";

// The whole browser: the headless shell shows no notifications.
test.use({ launchOptions: async ({ launchOptions }, use) => use({ ...launchOptions, executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...launchOptions.args, "--headless=new"] }) });

const mac = (key, ...parts) => parts.reduce((all, part) => all.update(part), createHmac("sha256", key)).digest();

// PushService is a push service with one browser (RFC 8030, RFC 8291).
class PushService {
  constructor() {
    this.browser = createECDH("prime256v1");
    this.browser.generateKeys();
    this.auth = randomBytes(16);
    this.got = [];
    this.server = createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => { this.got.push({ path: request.url, headers: request.headers, text: this.decrypt(Buffer.concat(parts)) }); response.writeHead(201).end(); });
    });
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  decrypt(body) {
    const salt = body.subarray(0, 16), sender = body.subarray(21, 86), sealed = body.subarray(86);
    const secret = mac(mac(this.auth, this.browser.computeSecret(sender)), "WebPush: info\0", this.browser.getPublicKey(), sender, "\x01");
    const start = mac(salt, secret);
    const open = createDecipheriv("aes-128-gcm", mac(start, "Content-Encoding: aes128gcm\0\x01").subarray(0, 16), mac(start, "Content-Encoding: nonce\0\x01").subarray(0, 12));
    open.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]);
    return text.subarray(0, text.lastIndexOf(2)).toString();
  }

  // subscribed makes the browser's own calls answer with this service.
  async subscribed(page, path = "/push/1") {
    await page.addInitScript(({ endpoint, p256dh, auth }) => {
      const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
      const read = () => { const kept = sessionStorage.getItem("subscription"); return kept && JSON.parse(kept); };
      const made = (kept) => kept && ({
        endpoint: kept.endpoint, options: { applicationServerKey: bytes(kept.key).buffer }, toJSON: () => ({ endpoint: kept.endpoint, keys: { p256dh, auth } }),
        unsubscribe: async () => { sessionStorage.removeItem("subscription"); return true; },
      });
      PushManager.prototype.getSubscription = async () => made(read());
      PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
        if (!userVisibleOnly) throw new Error("browsers refuse this");
        sessionStorage.setItem("subscription", JSON.stringify({ endpoint: endpoint, key: applicationServerKey }));
        return made(read());
      };
    }, { endpoint: this.url + path, p256dh: this.browser.getPublicKey("base64url"), auth: this.auth.toString("base64url") });
  }
}

const ownPage = (server) => server.url + "/t/acme/account/notices";

test("a person turns push on, is notified of a request and opens it from there", async ({ operator: page, acme, server, context }) => {
  const service = new PushService();
  await service.listen();
  try {
    await context.grantPermissions(["notifications"], { origin: server.url });
    await service.subscribed(page);
    const cdp = await context.newCDPSession(page);
    const registrations = [];
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: all }) => registrations.push(...all));
    await cdp.send("ServiceWorker.enable");

    await page.goto(ownPage(server));
    const panel = page.getByRole("region", { name: "Push notifications" });
    await expect(panel.getByRole("status")).toHaveText("Off in this browser.");
    const worker = context.waitForEvent("serviceworker");
    await panel.getByRole("button", { name: "Turn on in this browser" }).click();
    await expect(panel.getByRole("status")).toHaveText(/^On in this browser\./);
    const row = panel.getByRole("listitem");
    await expect(row).toHaveCount(1);
    await expect(row).toContainText("Chrome on Linux");
    await expect(row).toContainText("(this browser)");
    await expect(panel.getByRole("button", { name: "Turn on in this browser" })).toBeHidden();
    await looksRight(page, "own notices");

    await row.getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => service.got.length).toBe(1);
    expect(JSON.parse(service.got[0].text).title).toContain("test");

    // A request comes, and nobody has a page open that shows it.
    const held = await acme.agent.submit(actions.medium);
    await expect.poll(() => service.got.length).toBe(2);
    const sent = service.got[1];
    expect(sent.path).toBe("/push/1");
    expect(sent.headers["content-encoding"]).toBe("aes128gcm");
    expect(sent.headers.urgency).toBe("normal");
    expect(sent.headers.authorization).toMatch(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=[\w-]+$/);

    const scope = await worker;
    const shown = () => scope.evaluate(async () => (await registration.getNotifications()).map(({ title, body, tag, silent, data }) => ({ title, body, tag, silent, data })));
    const deliver = (text) => cdp.send("ServiceWorker.deliverPushMessage", { origin: server.url, registrationId: registrations.at(-1).registrationId, data: text });
    // A browser that is still closing the notification before it can drop the next one with its tag.
    const arrives = (text) => expect(async () => { await deliver(text); await expect.poll(shown, { timeout: 2000 }).toHaveLength(1); }).toPass({ timeout: 20_000 });
    await arrives(sent.text);
    expect(await shown()).toEqual([expect.objectContaining({ title: "MEDIUM request from support-triage is waiting for a decision", tag: held.id, silent: false, data: { link: `${server.url}/t/acme/approvals/${held.id}` } })]);
    expect((await shown())[0].body).toMatch(/^Expires at \d/);

    // A click opens the request, or goes to where it is open.
    const click = () => scope.evaluate(async () => {
      const done = [], [notification] = await registration.getNotifications();
      clients.openWindow = async (url) => { done.push(["open", url]); };
      WindowClient.prototype.focus = async function () { done.push(["focus", this.url]); };
      const waits = [], event = new NotificationEvent("notificationclick", { notification });
      event.waitUntil = (promise) => waits.push(promise);
      dispatchEvent(event);
      await Promise.all(waits);
      return done;
    });
    const link = `${server.url}/t/acme/approvals/${held.id}`;
    expect(await click()).toEqual([["open", link]]);
    await expect.poll(shown).toEqual([]);
    await arrives(sent.text);
    await page.goto(link);
    expect(await click()).toEqual([["focus", link]]);
    await expect.poll(shown).toEqual([]);

    // It is decided: the notification says so, without a sound, in place of the call.
    await arrives(sent.text);
    await deny(page, acme.agent, held.id);
    await expect.poll(() => service.got.length).toBe(3);
    expect(service.got[2].headers.topic).toBe(sent.headers.topic);
    await deliver(service.got[2].text);
    await expect.poll(shown).toEqual([expect.objectContaining({ title: "MEDIUM request from support-triage was denied", tag: held.id, silent: true, body: "" })]);

    // Nothing of the console is kept in the browser.
    expect(await scope.evaluate(() => caches.keys())).toEqual([]);
    await page.goto(ownPage(server));
    await panel.getByRole("button", { name: "Remove" }).click();
    await expect(panel.getByRole("listitem")).toHaveCount(0);
    await expect(panel.getByRole("status")).toHaveText("Off in this browser.");
  } finally {
    service.server.close();
  }
});

const deny = async (page, agent, id) => {
  await page.getByRole("button", { name: /^Deny/ }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not now");
  await page.getByRole("button", { name: /^Deny:/ }).click();
  await expect.poll(async () => (await agent.get(id)).status).toBe("denied");
};

test("an address that the browser changed by itself is followed by the next page", async ({ operator: page, acme, server, context }) => {
  const service = new PushService();
  await service.listen();
  try {
    await context.grantPermissions(["notifications"], { origin: server.url });
    await service.subscribed(page);
    await page.goto(ownPage(server));
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await expect(page.getByText("(this browser)")).toBeVisible();
    await page.evaluate(() => {
      const kept = JSON.parse(sessionStorage.getItem("subscription"));
      sessionStorage.setItem("subscription", JSON.stringify({ ...kept, endpoint: kept.endpoint.replace("/push/1", "/push/2") }));
    });
    const renewed = page.waitForResponse((answer) => answer.url().endsWith("/account/devices/renew"));
    await page.goto(server.url + "/t/acme/queue");
    expect((await renewed).status()).toBe(204);
    await acme.agent.submit(actions.medium);
    await expect.poll(() => service.got.map(({ path }) => path)).toEqual(["/push/2"]);
    await page.goto(ownPage(server));
    await expect(page.getByText("(this browser)")).toBeVisible();
  } finally {
    service.server.close();
  }
});

test("a browser that can't or may not says why", async ({ operator: page, server, context }) => {
  await page.goto(ownPage(server)); // nobody was asked yet; this browser refuses when it is asked
  const state = page.getByRole("region", { name: "Push notifications" }).getByRole("status");
  await page.addInitScript(() => Object.defineProperty(Notification, "permission", { get: () => "denied" }));
  await page.reload();
  await expect(state).toContainText("Notifications are blocked.");
  await expect(page.getByRole("button", { name: "Turn on in this browser" })).toBeHidden();
  await page.addInitScript(() => { delete window.PushManager; });
  await page.reload();
  await expect(state).toContainText("This browser can't get push notifications here.");
  const plain = await (await context.browser().newContext({ javaScriptEnabled: false, storageState: await context.storageState() })).newPage();
  await plain.goto(ownPage(server));
  await expect(plain.getByRole("region", { name: "Push notifications" }).getByRole("status")).toContainText("allow JavaScript");
  await plain.context().close();
});

test("the console can be installed", async ({ operator: page, server, context }) => {
  await page.goto(server.url + "/");
  const cdp = await context.newCDPSession(page);
  const { url, errors, data } = await cdp.send("Page.getAppManifest");
  expect(url).toContain("/static/manifest.webmanifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data);
  expect(manifest).toMatchObject({ name: "Countersign", display: "standalone" });
  const at = (address) => new URL(address, url).href;
  expect([manifest.start_url, manifest.scope].map(at)).toEqual([server.url + "/", server.url + "/"]);
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (address) => { const image = new Image(); image.src = address; await image.decode(); return `${image.naturalWidth}x${image.naturalHeight}`; }, at(src));
    expect(size).toBe(sizes);
  }
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
  await page.goto(at(manifest.start_url));
  await expect(page).toHaveURL(/\/t\/acme\/queue$/);
});
