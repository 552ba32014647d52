// A large act is read in sections, each acknowledged, before it can be approved;
// how it was reviewed is on its page afterwards.
import { test, expect, actions, approveOnceRead, setPolicy } from "./server.js";
import { looksRight } from "./looks.js";

const manifest = Array.from({ length: 600 }, (_, n) => `line ${n}: Deployment checkout-${n}, replicas ${n % 7}, image registry.example/checkout:4.18.${n}, ratio ${n * n}, تم <b>`).join("\n");
const large = { ...actions.medium, arguments: { ...actions.medium.arguments, manifest } };

// value is what a page shows of an argument, with the documented escapes undone.
const value = (page, name) => page.evaluate((wanted) => {
  let text = "";
  for (const row of document.querySelectorAll("tr[data-act=argument]")) {
    if (row.querySelector("th").textContent !== wanted) continue;
    const copy = row.querySelector("td.value bdi.text").cloneNode(true);
    for (const mark of copy.querySelectorAll("[data-char]")) mark.replaceWith(String.fromCodePoint(parseInt(mark.dataset.char.slice(2), 16)));
    for (const mark of copy.querySelectorAll("[data-fold]")) mark.replaceWith(mark.dataset.fold);
    text += copy.textContent;
  }
  return text;
}, name);

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", { tag: javaScriptEnabled ? [] : "@all" }, () => {
    test.use({ javaScriptEnabled });

    test("an act of 60 KiB is read in sections, then approved", async ({ operator: page, server, acme }) => {
      test.setTimeout(120_000);
      const asked = await acme.agent.submit(large);
      expect(asked.level).toBe("MEDIUM");
      expect(new TextEncoder().encode(manifest).length).toBeGreaterThan(60 << 10);
      const url = `${server.url}/t/acme/approvals/${asked.id}`;
      await page.goto(url);
      const approve = page.getByRole("button", { name: /^Approve/ });
      const sections = page.getByRole("navigation", { name: "Sections of this action" });
      const of = await sections.getByRole("listitem").count();
      expect(of).toBeGreaterThan(7);
      let shown = "";
      for (let n = 1; n <= of; n++) {
        await expect(sections.getByText(`Section ${n} of ${of}`, { exact: true })).toBeVisible();
        await expect(sections.getByText(`${n - 1} of ${of} sections read`)).toBeVisible();
        await expect(approve).toHaveCount(0); // the decision says what is left to read
        await expect(page.getByRole("button", { name: /^Deny/ }).first()).toBeEnabled();
        if (javaScriptEnabled) shown += await value(page, "manifest");
        if (n === 2) { // whoever sends the form all the same is refused
          const decision = await page.context().request.post(`${url}/decide`, {
            headers: { Origin: server.url },
            form: { verdict: "approve", version: "1", digest: await page.locator("input[name=digest]").first().inputValue() },
          });
          expect(decision.status()).toBe(425);
          expect(await decision.text()).toContain("acknowledged sections 2, 3");
        }
        await page.getByRole("button", { name: `I've read section ${n} of ${of}` }).click();
      }
      if (javaScriptEnabled) expect(shown === manifest).toBe(true);
      await expect(sections.getByText(`${of} of ${of} sections read`)).toBeVisible();
      expect((await acme.agent.get(asked.id)).status).toBe("pending");
      const approved = page.locator("[data-request]").getByText(/Priya approved this at/);
      if (javaScriptEnabled) {
        await expect(approve).toBeEnabled({ timeout: 30_000 });
        await approve.click();
        await expect(approved).toBeVisible();
      } else {
        await approveOnceRead(page, approved);
      }
      expect((await acme.agent.get(asked.id)).status).toBe("approved");

      const review = page.locator("details.reviewed");
      await expect(page.getByRole("heading", { name: "How it was reviewed" })).toBeVisible();
      await expect(review).not.toHaveAttribute("open", /.*/);
      await expect(review.getByText("First opened")).toBeHidden();
      await review.locator("summary").click();
      await expect(review.getByText(`${of} of ${of} sections acknowledged`)).toBeVisible();
      await expect(review.locator(".reviewed-sections li")).toHaveCount(of);
      await expect(review.getByText("The text on this page has the same SHA-256.")).toBeVisible();
      expect(JSON.stringify(await acme.agent.get(asked.id))).not.toContain("text_sha256");
    });
  });
}

test("every section looks right", { tag: "@all" }, async ({ operator: page, server, acme }) => {
  test.setTimeout(120_000);
  const asked = await acme.agent.submit({ ...large, arguments: { ...large.arguments, manifest: "long".repeat(2500) + "\n" + manifest.slice(0, 9 << 10) } });
  const url = `${server.url}/t/acme/approvals/${asked.id}`;
  await page.goto(url);
  await looksRight(page, "first section");
  const read = page.getByRole("button", { name: /^I've read section/ });
  await read.click();
  await expect(page.getByText(/^1 of \d+ sections read$/)).toBeVisible();
  await looksRight(page, "second section");
  await page.goto(`${url}?section=json`);
  await looksRight(page, "json");
  await page.goto(url);
  const sections = page.getByRole("navigation", { name: "Sections of this action" });
  const of = await sections.getByRole("listitem").count();
  expect(of).toBeGreaterThan(2);
  for (let n = 1; n < of; n++) { // the first is read; each step waits for the page that the one before it brings
    await expect(sections.getByText(`${n} of ${of} sections read`, { exact: true })).toBeVisible();
    await read.click();
  }
  await expect(read).toHaveCount(0);
  await looksRight(page, "all read");
  await expect(page.getByRole("button", { name: /^Approve/ })).toBeEnabled({ timeout: 30_000 });
  await page.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.locator("[data-request]").getByText(/Priya approved this at/)).toBeVisible();
  await page.locator("details.reviewed summary").click();
  await looksRight(page, "reviewed");
});

test("two people approve, and the page tells of both reviews", async ({ operator: page, server, acme, colleague }) => {
  setPolicy(server, "acme", "approvals_required: {critical: 2}\nmin_review_seconds: {critical: 0}\n");
  const ben = await colleague("ben@acme.test", { roles: "operator" });
  const asked = await acme.agent.submit(actions.critical);
  expect(asked.level).toBe("CRITICAL");
  const url = `${server.url}/t/acme/approvals/${asked.id}`;
  const target = "billing.invoices_2023";
  const approve = async (one) => {
    await one.goto(url);
    await one.getByRole("textbox", { name: /^Type .* to confirm/ }).fill(target);
    for (const tick of await one.getByRole("checkbox").all()) await tick.check();
    await one.getByRole("button", { name: /^Approve/ }).click();
  };
  await approve(page);
  await expect(page.getByText(/1 of 2/).first()).toBeVisible();
  expect((await acme.agent.get(asked.id)).status).toBe("pending");
  await approve(ben);
  await expect.poll(async () => (await acme.agent.get(asked.id)).status).toBe("approved");

  await page.goto(url);
  const reviews = page.locator("details.reviewed");
  await expect(reviews).toHaveCount(2);
  for (const [n, name] of ["Priya", "Ben"].entries()) {
    const one = reviews.nth(n);
    await expect(one.locator("summary")).toContainText(`${name} approved`);
    await one.locator("summary").click();
    await expect(one.getByText("First opened")).toBeVisible();
    await expect(one.getByText(target, { exact: true })).toBeVisible();
    await expect(one.getByText("Accepted consequences")).toBeVisible();
    await expect(one.getByText("The text on this page has the same SHA-256.")).toBeVisible();
  }
  await looksRight(page, "two reviews");
  const agents = JSON.stringify(await acme.agent.get(asked.id));
  for (const secret of ["text_sha256", "first_viewed", "reviewed"]) expect(agents).not.toContain(secret);
});
