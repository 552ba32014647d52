// Lighthouse on the queue, a request and the audit trail, as a phone and as a desktop,
// against a server of its own with some requests that wait. It fails below the limit.
// Readings of one page differ, so the one with the median performance of five counts, as
// Lighthouse's own page on variability advises. They mean something on a machine that does nothing
// else: Lighthouse takes a task that waits for a core for one that computes. So each line says how
// much of their time the tasks of the page computed: where it is half, others were at work.
import { chromium } from "@playwright/test";
import lighthouse, { desktopConfig } from "lighthouse";
import { launch } from "chrome-launcher";
import { Server, password, signIn, actions } from "../server.js";

const limit = 98, readings = 5;

// The headless shell draws pages as Chromium does and has no window of its own: tab strip and
// toolbar of the whole browser would be drawn on the cores that the page needs.
const chromePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";

// The share of their time in which the tasks of the page's main thread computed, in percent.
const computing = ({ traceEvents }) => {
  const { pid, tid } = traceEvents.findLast(({ name }) => name === "firstContentfulPaint");
  const tasks = traceEvents.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X" && event.name.endsWith("RunTask"));
  const sum = (key) => tasks.reduce((total, task) => total + (task[key] ?? 0), 0);
  return Math.round(100 * sum("tdur") / sum("dur"));
};

const server = await Server.start();
let below = 0, chrome;
try {
  server.createTenant("acme");
  server.createPerson("acme", "priya@acme.test", password);
  const agent = server.createAgent("acme", "support-triage");
  const asked = await agent.submit(actions.medium);
  for (let n = 0; n < 49; n++) await agent.submit({ ...actions.high, arguments: { ...actions.high.arguments, user_id: `usr_${n}` } });

  // Lighthouse opens a tab of its own, which is signed in, too. Whoever signed in is gone by then: a
  // second tab with its feed, and what watches it, would work on the same cores.
  chrome = await launch({ chromePath, chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const hand = await chromium.connectOverCDP(`http://127.0.0.1:${chrome.port}`);
  const page = await hand.contexts()[0].newPage();
  await signIn(page, server, "priya@acme.test");
  await page.close();
  await hand.close();

  for (const path of ["queue", `approvals/${asked.id}`, "audit"]) {
    for (const [form, config] of [["phone", undefined], ["desktop", desktopConfig]]) {
      const reports = [];
      // A reading in which the browser drew nothing has no figures: it is taken again, so often.
      for (let n = 0; reports.length < readings && n < 2 * readings; n++) {
        const flags = { port: chrome.port, logLevel: "error", onlyCategories: ["performance", "accessibility", "best-practices"] };
        const { lhr, artifacts } = await lighthouse(`${server.url}/t/acme/${path}`, flags, config);
        if (lhr.runtimeError || lhr.categories.performance.score === null) console.log(`  no reading: ${lhr.runtimeError?.message ?? "no score"}`);
        else reports.push({ ...lhr, computed: computing(artifacts.Trace) });
      }
      if (reports.length < readings) throw new Error(`${path}: the browser draws nothing`);
      reports.sort((a, b) => a.categories.performance.score - b.categories.performance.score);
      const lhr = reports[readings >> 1];
      const percent = (score) => Math.round(score * 100);
      const scores = Object.values(lhr.categories).map(({ id, score }) => `${id} ${percent(score)}`);
      const all = reports.map(({ categories }) => percent(categories.performance.score));
      console.log(`${path.replace(/apr_.*/, "…")} as a ${form}: ${scores.join(", ")} (performance of all readings: ${all.join(" ")}; its tasks computed for ${reports.map(({ computed }) => `${computed} %`).join(" ")} of the time)`);
      for (const category of Object.values(lhr.categories)) {
        if (category.score * 100 >= limit) continue;
        below++;
        for (const { id, weight } of category.auditRefs) {
          const { score, displayValue } = lhr.audits[id];
          if (weight > 0 && score !== null && score < 0.9) console.log(`  ${category.id}: ${id} ${displayValue ?? ""}`);
        }
      }
    }
  }
} finally {
  chrome?.kill();
  await server.end();
}
if (below > 0) {
  console.log(`${below} below ${limit}`);
  process.exitCode = 1;
}
