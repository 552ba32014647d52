// The server under a path behind nginx, with the block of docs/operate.md: once the path is passed on, once nginx
// takes it off.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "../clients/typescript/index.js";
import { test as base, expect, actions, giveAnswer, openQueue, password, Server, signIn } from "./server.js";

const proxy = "/usr/sbin/nginx"; // Debian: apt-get install nginx-light

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => resolve(port)); });
});

const test = base.extend({
  pass: ["http://countersign", { option: true }],
  ignoreHTTPSErrors: true, // the certificate is made here
  launchOptions: async ({ launchOptions }, use) => use({ ...launchOptions, args: [...launchOptions.args, "--ignore-certificate-errors"] }), // of the service worker's script, too
  server: async ({ seed, pass }, use, info) => {
    const dir = mkdtempSync(join(tmpdir(), "countersign-nginx-")), [front, back] = [await freePort(), await freePort()];
    const server = new Server(), url = `https://localhost:${front}/countersign`;
    server.dir = join(dir, "data");
    cpSync(join(seed.root, "quick"), server.dir, { recursive: true });
    server.ca = join(dir, "cert.pem");
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", join(dir, "key.pem"), "-out", server.ca], { stdio: "ignore" });
    const changed = [
      ["server 127.0.0.1:8081;", `server 127.0.0.1:${back};`], ["server 127.0.0.1:8082;", ""], ["443 ssl", `127.0.0.1:${front} ssl`], ["approvals.example.com", "localhost"],
      ["/etc/ssl/approvals.pem", server.ca], ["/etc/ssl/approvals.key", join(dir, "key.pem")], ["location / {", "location /countersign/ {"], ["proxy_pass http://countersign;", `proxy_pass ${pass};`],
    ];
    const block = changed.reduce((text, [from, to]) => {
      expect(text, "docs/operate.md").toContain(from);
      return text.replace(from, to);
    }, /```nginx\n(.*?)```/s.exec(readFileSync(new URL("../docs/operate.md", import.meta.url), "utf8"))[1]);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join(" ");
    writeFileSync(join(dir, "nginx.conf"), `daemon off; pid ${dir}/pid; error_log stderr warn; events {} http { access_log ${dir}/access.log; ${temporary}\n${block} }`);
    const nginx = spawn(proxy, ["-p", dir, "-c", join(dir, "nginx.conf"), "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    nginx.stderr.on("data", (text) => { said += text; });
    const ended = new Promise((resolve) => nginx.once("exit", resolve));
    await server.boot(`127.0.0.1:${back}`, false, { COUNTERSIGN_PUBLIC_URL: url, COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1" });
    expect(server.url).toBe(url);
    await use(server);
    nginx.kill();
    await ended;
    if (info.status !== info.expectedStatus) info.attach("logs", { body: said + server.log, contentType: "text/plain" });
    expect(said, "what nginx says").toBe("");
    await server.end();
    rmSync(dir, { recursive: true, force: true });
  },
});

test.skip(!existsSync(proxy) && !process.env.CI, "nginx isn't installed");

for (const [how, pass] of Object.entries({ "passes the path on": "http://countersign", "takes the path off": "http://countersign/" })) {
  test.describe(() => {
    test.use({ pass });
    test(`a person decides, an agent asks, and nothing leads out of the path: nginx ${how}`, async ({ page, context, server, seed }) => {
      const outside = [];
      page.on("request", (request) => { if (!request.url().startsWith(server.url + "/") && request.url() !== server.url) outside.push(request.url()); });
      page.on("websocket", (socket) => { if (!socket.url().startsWith(server.url.replace("https", "wss") + "/")) outside.push(socket.url()); });
      page.on("response", (answer) => { if (answer.status() >= 400) outside.push(`${answer.status()} ${answer.url()}`); });
      const agent = new Client({ url: server.url, key: seed.key, ca: server.ca, waitSeconds: 120 });

      await expect(async () => expect((await page.request.get(server.url + "/readyz")).status()).toBe(200)).toPass();
      await page.goto(`${server.url}/t/acme/history`);
      await expect(page).toHaveURL(`${server.url}/sign-in?next=%2Ft%2Facme%2Fhistory`);
      await page.getByLabel("Email").fill("priya@acme.test");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page).toHaveURL(`${server.url}/t/acme/history`);
      const cookies = (await context.cookies()).filter(({ httpOnly }) => httpOnly);
      expect(cookies.map(({ name, path, secure }) => `${name} ${path} ${secure}`).sort()).toEqual(["__Host-countersign-device.countersign / true", "__Host-countersign.countersign / true"]);

      await openQueue(page, server);
      await expect(page.locator("#live[data-state=live]")).toBeVisible();
      const { function: name, arguments: args } = actions.medium, medium = agent.authorize({ function: name, arguments: args }), row = page.getByRole("list", { name: "Pending approvals" }).getByRole("link");
      await row.click(); // it came over the feed
      await page.getByRole("button", { name: /^Approve/ }).click();
      await expect(page).toHaveTitle(/Approved/);
      expect((await medium).approval.console_url).toContain(server.url);

      const asked = await agent.submit(actions.high);
      expect(asked.console_url).toBe(`${server.url}/t/acme/approvals/${asked.id}`);
      await page.goto(asked.console_url);
      await page.getByRole("button", { name: "Start questions" }).click();
      for (let n = 1; n <= 3; n++) {
        await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
        await giveAnswer(page, asked, actions.high.arguments);
      }
      await page.getByRole("button", { name: /^Approve/ }).click();
      await expect(page).toHaveTitle(/Approved/);
      expect((await agent.get(asked)).status).toBe("approved");

      const curl = execFileSync("curl", ["-sS", "-i", "--cacert", server.ca, "-H", `Authorization: Bearer ${seed.key}`, "--json", JSON.stringify(actions.low), `${server.url}/api/v1/approvals`], { encoding: "utf8" });
      expect(curl).toMatch(/^HTTP\/1.1 201 /);
      expect(curl).toMatch(/^Location: \/countersign\/api\/v1\/approvals\/apr_/im);

      await page.goto(`${server.url}/t/acme/help/operate`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const worker = await page.evaluate(() => navigator.serviceWorker.register(trustedTypes.createPolicy("push", { createScriptURL: String }).createScriptURL("/countersign/service-worker.js"), { scope: base.pathname }).then((one) => one.scope));
      expect(worker).toBe(server.url + "/");
      await page.goto(`${server.url}/account`);
      await page.getByRole("button", { name: "Sign out" }).first().click();
      await expect(page).toHaveURL(/\/countersign\/sign-in\?signed-out=/);
      await signIn(page, server, "priya@acme.test");
      expect(outside, "requests outside of the path, or refused").toEqual([]);
    });
  });
}
