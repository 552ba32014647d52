// What is allowed ahead; denying several at once; one yes for identical requests.
import { test, expect, actions, approveOnceRead, giveAnswer } from "./server.js";
import { looksRight } from "./looks.js";

const named = (service) => ({ ...actions.medium, arguments: { ...actions.medium.arguments, service } });

// allowAhead makes a standing approval from a request that waits.
async function allowAhead(page, server, asked, { uses, services }) {
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("link", { name: "New standing approval" }).click();
  await page.getByLabel("Rule for /service").selectOption("one_of");
  await page.getByLabel("Values for /service").fill(services.join("\n"));
  await page.getByLabel("Rule for /replicas").selectOption("at_most");
  await page.getByLabel("Values for /replicas").fill("4");
  await page.getByLabel("How many times").fill(String(uses));
  await page.getByLabel("Reason").fill("Nightly deployments");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText("Would have matched")).toBeVisible();
  await page.getByRole("button", { name: /^Create: / }).click();
  await page.waitForURL(/standing-grants\/stg_/);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("allows calls ahead, as often as it says, until it is revoked", async ({ operator: page, server, acme }) => {
      const asked = await acme.agent.submit(named("checkout-api"));
      await allowAhead(page, server, asked, { uses: 2, services: ["checkout-api", "basket-api"] });
      expect((await acme.agent.get(asked.id)).status).toBe("pending");
      const through = await acme.agent.submit(named("basket-api"));
      expect(through.status).toBe("approved");
      expect(through.decision.decided_by[0].kind).toBe("policy");
      expect(through.decision.decided_by[0].name).toMatch(/^standing grant of /);
      expect((await acme.agent.submit(named("payments-api"))).status).toBe("pending");
      expect((await acme.agent.submit({ ...named("basket-api"), arguments: { ...named("basket-api").arguments, replicas: 5 } })).status).toBe("pending");
      await page.reload();
      await expect(page.getByText("1 of 2")).toBeVisible();
      await page.getByRole("textbox", { name: "Reason" }).fill("The freeze began");
      await page.getByRole("button", { name: "Revoke" }).click();
      await expect(page.getByText(/revoked it at/)).toBeVisible();
      expect((await acme.agent.submit(named("basket-api"))).status).toBe("pending");
      const spent = await acme.agent.call("POST", `/api/v1/approvals/${through.id}/consume`, { digest: through.digest });
      expect(spent.status).toBe(409);
      expect(spent.body.type).toBe("urn:countersign:problem:grant-void");
    });

    test("denies what is ticked, and says what became of each", async ({ operator: page, server, acme }) => {
      const asked = [];
      for (const service of ["a", "b", "c"]) asked.push(await acme.agent.submit(named(service)));
      await page.goto(`${server.url}/t/acme/queue`);
      await page.getByLabel("More actions").click();
      await page.getByRole("link", { name: "Bulk deny" }).click();
      await page.getByRole("checkbox", { name: /service a\b/ }).check();
      await page.getByRole("checkbox", { name: /service b\b/ }).check();
      await acme.agent.call("POST", `/api/v1/approvals/${asked[1].id}/cancel`);
      await page.getByRole("textbox", { name: "Reason" }).fill("Not during the freeze");
      await page.getByRole("button", { name: /^Deny (selected|\d+) request/ }).click();
      await expect(page.getByRole("heading", { name: "1 request denied" })).toBeVisible();
      await expect(page.getByText("already decided")).toBeVisible();
      const [first, , third] = await Promise.all(asked.map(({ id }) => acme.agent.get(id)));
      expect(first.decision.reason).toBe("Not during the freeze");
      expect(third.status).toBe("pending");
    });

    test("one yes stands for identical requests only where it is ticked", async ({ operator: page, server, acme }) => {
      const asked = [];
      for (let n = 0; n < 3; n++) asked.push(await acme.agent.submit(actions.medium));
      await page.goto(`${server.url}/t/acme/approvals/${asked[0].id}`);
      const also = page.getByRole("checkbox", { name: "Approve the 2 identical requests too (runs 3 times)" });
      await expect(also).not.toBeChecked();
      await also.check();
      if (javaScriptEnabled) {
        await also.press("Enter");
        expect((await acme.agent.get(asked[0].id)).status).toBe("pending");
      }
      await approveOnceRead(page, page.getByRole("heading", { name: "3 of 3 identical requests approved" }), () => also.check({ timeout: 2000 }));
      for (const { id } of asked) expect((await acme.agent.get(id)).status).toBe("approved");
    });
  });
}

// Where a level asks more than a click, all that it asks comes before one yes for several.
test("identical requests at HIGH are approved together only after the questions", async ({ operator: page, server, acme }) => {
  const asked = [];
  for (let n = 0; n < 3; n++) asked.push(await acme.agent.submit(actions.high));
  await page.goto(`${server.url}/t/acme/queue`);
  await expect(page.getByRole("list", { name: "Pending approvals" }).getByRole("link")).toHaveCount(1);
  await expect(page.getByRole("button", { name: /^Approve/ })).toHaveCount(0);
  await page.locator(`#approval-${asked[0].id} a`).click();
  await page.waitForURL(new RegExp(asked[0].id));
  const all = page.getByRole("button", { name: /^Approve all/ }), also = page.getByRole("checkbox", { name: /identical/ });
  await expect(page.getByRole("button", { name: "Start questions" })).toBeVisible();
  await expect(also).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Approve/ })).toHaveCount(0);

  await page.getByRole("button", { name: "Start questions" }).click();
  for (let n = 1; n <= 3; n++) {
    await expect(page.getByText(`Question ${n} of 3`)).toBeVisible();
    await expect(also).toHaveCount(0);
    await expect(page.locator("#rows .q-row").filter({ hasText: "usr_123" })).toHaveCount(0);
    await giveAnswer(page, asked[0], actions.high.arguments);
  }
  await expect(also).not.toBeChecked();
  await expect(all).toHaveCount(0);
  await also.check();
  await expect(all).toHaveAccessibleName(/^Approve all 3:/);
  for (const { id } of asked) expect((await acme.agent.get(id)).status).toBe("pending");
  await expect(all).toBeEnabled();
  await all.click();
  await expect(page.getByRole("heading", { name: "3 of 3 identical requests approved" })).toBeVisible();
  for (const { id } of asked) expect((await acme.agent.get(id)).status).toBe("approved");
});

test("identical requests at CRITICAL want the target, each consequence and how often it runs", async ({ operator: page, server, acme }) => {
  const asked = [];
  for (let n = 0; n < 2; n++) asked.push(await acme.agent.submit(actions.critical));
  await page.goto(`${server.url}/t/acme/queue`);
  await expect(page.getByRole("list", { name: "Pending approvals" }).getByRole("link")).toHaveCount(1);
  await page.locator(`#approval-${asked[0].id} a`).click();
  await page.waitForURL(new RegExp(asked[0].id));
  const also = page.getByRole("checkbox", { name: /identical request too/ }), approve = page.getByRole("button", { name: /^Approve/ });
  await also.check();
  await page.getByRole("textbox", { name: /^Type .* to confirm/ }).fill("billing.invoices_2023");
  for (const box of await page.locator("input[name^=consequence-]:not(#also-runs)").all()) await box.check();
  await expect(page.locator("#missing")).toContainText("To approve: accept 1 consequence");
  await expect(approve).toBeDisabled();
  await page.getByRole("checkbox", { name: "It runs 2 times" }).check();
  await expect(approve).toHaveAccessibleName(/^Approve all 2: DROP TABLE/);
  await expect(approve).toBeEnabled({ timeout: 45_000 });
  await approve.click();
  await expect(page.getByRole("heading", { name: "2 of 2 identical requests approved" })).toBeVisible();
  for (const { id } of asked) expect((await acme.agent.get(id)).status).toBe("approved");
});

test("bulk deny lists each of identical requests, and each result by itself", async ({ operator: page, server, acme }) => {
  const asked = [];
  for (const action of [actions.medium, actions.medium, actions.high]) asked.push(await acme.agent.submit(action));
  await page.goto(`${server.url}/t/acme/queue?select=1`);
  await expect(page.getByRole("checkbox")).toHaveCount(3); // one row of the queue, two choices here
  await page.getByRole("button", { name: "Select all" }).click();
  await acme.agent.call("POST", `/api/v1/approvals/${asked[0].id}/cancel`, {});
  await page.getByRole("textbox", { name: "Reason" }).fill("Not during the freeze");
  await page.getByRole("button", { name: /^Deny 3 requests/ }).click();
  await expect(page.getByRole("heading", { name: "2 requests denied" })).toBeVisible();
  await expect(page.getByText("1 request wasn't denied")).toBeVisible();
  const results = page.getByRole("list", { name: "Results" });
  await expect(results.getByRole("listitem")).toHaveCount(3);
  const result = (id) => results.getByRole("listitem").filter({ has: page.locator(`a[href$="${id}"]`) });
  await expect(result(asked[0].id)).toContainText("already decided");
  await expect(result(asked[1].id)).toContainText("denied");
  await expect(result(asked[2].id)).toContainText("denied");
  const states = await Promise.all(asked.map(({ id }) => acme.agent.get(id)));
  expect(states.map(({ status }) => status)).toEqual(["cancelled", "denied", "denied"]);
  expect(states[1].decision.reason).toBe("Not during the freeze");
});

test("x ticks rows with the keyboard", async ({ operator: page, server, acme }) => {
  await acme.agent.submit(named("a"));
  await acme.agent.submit(named("b"));
  await page.goto(`${server.url}/t/acme/queue`);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.waitForURL(/select=1/);
  await expect(page.locator("[data-ticked]", { hasText: "1 selected" })).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await expect(page.locator("[data-ticked]", { hasText: /[02] selected/ })).toBeVisible();
  await page.getByRole("button", { name: "Select all" }).click();
  await expect(page.locator("[data-ticked]", { hasText: "2 selected" })).toBeVisible();
});

test("every page looks right", { tag: "@all" }, async ({ operator: page, acme, server }) => {
  test.setTimeout(180_000);
  const asked = await acme.agent.submit(actions.medium);
  await acme.agent.submit(actions.medium);
  const critical = await acme.agent.submit(actions.critical);
  await acme.agent.submit(actions.critical);
  await acme.agent.submit(named("payments-api"));
  const go = (path) => page.goto(`${server.url}/t/acme/${path}`);
  await go("queue");
  await looksRight(page, "queue");
  await go("settings/standing-grants");
  await looksRight(page, "none yet");
  await go(`settings/standing-grants/new?from=${asked.id}`);
  await looksRight(page, "form");
  await page.getByLabel("Rule for /service").selectOption("prefix");
  await page.getByLabel("Values for /service").fill("checkout");
  await page.getByLabel("Reason").fill("Nightly deployments");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("button", { name: /^Create: / })).toBeVisible();
  await looksRight(page, "preview");
  await page.getByRole("button", { name: /^Create: / }).click();
  await page.waitForURL(/standing-grants\/(?!new)/);
  await acme.agent.submit(actions.medium);
  await page.reload();
  await looksRight(page, "one");
  await go("settings/standing-grants");
  await looksRight(page, "list");
  await go(`approvals/${asked.id}`);
  await looksRight(page, "identical");
  await go(`approvals/${critical.id}`);
  await looksRight(page, "identical critical");
  await go("queue?select=1");
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await looksRight(page, "select");
  await page.getByRole("textbox", { name: "Reason" }).fill("Not now");
  await page.getByRole("button", { name: /^Deny (selected|\d+) request/ }).click();
  await expect(page.getByRole("textbox", { name: "Reason" })).toHaveCount(0);
  await looksRight(page, "denied");
});
