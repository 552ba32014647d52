import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The system's Chromium: no browser is downloaded. The headless shell is the same
// engine without the windows around it, and takes two thirds of the time.
const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
if (!chromium) throw new Error("No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path.");

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/seed.js",
  // The long run has every test in full: make test-all sets TEST_ALL.
  grepInvert: process.env.TEST_ALL ? undefined : /@all/,
  outputDir: "test-results",
  // Each spec boots servers of its own, so specs do not disturb each other; two
  // workers are what two cores carry.
  workers: 2,
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  retries: 0,
  timeout: 240_000, // a page and axe on it take seconds on a busy machine; every wait has its own, shorter limit
  expect: { timeout: 30_000 }, // how long a busy machine may take; what must be quick says so itself
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    trace: process.env.TRACE ? "retain-on-failure" : "off", // tracing takes a seventh of the time; make e2e TRACE=1 ARGS=e2e/… shows what happened
    launchOptions: { executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] },
  },
});
