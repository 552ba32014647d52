// What axe cannot see of WCAG 2.2 AA, on every page of the console: zoom and reflow, text
// spacing, focus that is seen, forced colours, reduced motion, agents' text of either
// direction. docs/accessibility.md lists every criterion with its test.
import { test, expect, actions } from "./server.js";
import { everyPage, hostile } from "./pages.js";

test.use({ begin: "shipped" });

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// structure is what is wrong on a page that axe has no rule for.
function structure() {
  const wrong = [], all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const say = (e) => `${e.tagName.toLowerCase()}#${e.id}.${e.className} “${(e.innerText ?? "").trim().slice(0, 30)}”`;
  const stops = all("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']");
  const skips = stops.slice(0, stops.findIndex((e) => !e.matches(".skip"))).map((e) => e.hash);
  if (!skips.includes("#main") || !skips.every((hash) => document.querySelector(hash)) || (document.querySelector("main #request") && skips[0] !== "#request")) wrong.push(`it begins with ${skips.join(" ") || "no skip link"}`);
  for (const cell of all("thead :is(td, th)")) if (cell.innerText.trim() && !(cell.matches("th") && cell.scope)) wrong.push(`${say(cell)} is no header cell`);
  for (const table of document.querySelectorAll("table")) if (!table.querySelector("th")) wrong.push(`${say(table)} has no header cell`);
  // What is seen is in the name that is heard and spoken.
  const seen = (e) => {
    const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), parts = [];
    for (let n = texts.nextNode(); n; n = texts.nextNode()) if (!n.parentElement.closest("[aria-hidden=true], .visually-hidden, svg, kbd, select") && n.parentElement.checkVisibility()) parts.push(n.data);
    return parts.join(" ").replace(/\s+/g, " ").trim().toLowerCase();
  };
  for (const e of all(":is(a, button, summary, [role=button])[aria-label]")) if (!e.ariaLabel.toLowerCase().includes(seen(e))) wrong.push(`${say(e)} is named ${e.ariaLabel}`);
  for (const e of all("input[type=password]")) {
    if (!/^(current|new)-password$/.test(e.autocomplete)) wrong.push(`${say(e)} is not filled in`);
    if (!e.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: new DataTransfer() }))) wrong.push(`${say(e)} takes no paste`);
  }
  for (const e of all("button, .btn, summary.select")) {
    const { width, height } = e.getBoundingClientRect();
    if (height < 24 || width < 24) wrong.push(`${say(e)} has ${Math.round(width)} × ${Math.round(height)} px`);
  }
  for (const e of all(".btn, .icon-btn, [role=button]")) if (!e.matches("a[href], button, summary")) wrong.push(`${say(e)} is no button`);
  const before = new Map(all("body *").map((e) => [e, parseFloat(getComputedStyle(e).fontSize)]));
  document.documentElement.style.fontSize = "200%";
  for (const [e, size] of before) {
    if (e.innerText?.trim() && !e.closest("svg, .sentence") /* which is large, and gives way in a narrow column */ && parseFloat(getComputedStyle(e).fontSize) < size * 1.95) wrong.push(`${say(e)} stays at ${size} px`);
    const style = getComputedStyle(e);
    if (style.animationName !== "none" && style.animationIterationCount === "infinite") wrong.push(`${say(e)} moves for ever`);
    if (style.order !== "0" || style.flexDirection.endsWith("reverse") || e.tabIndex > 0) wrong.push(`${say(e)} is not where it is read`);
  }
  document.documentElement.style.fontSize = "";
  return wrong;
}

// acts is what happens before somebody asked for it: when a control gets the focus, when a press
// begins, when a list has another value.
function acts() {
  const wrong = [], say = (e) => `${e.tagName.toLowerCase()}#${e.id}.${e.className} “${(e.innerText ?? e.name ?? "").trim().slice(0, 30)}”`;
  let doing;
  const acted = (event) => { if (doing) { wrong.push(doing); event.preventDefault(); event.stopImmediatePropagation(); } };
  for (const type of ["submit", "click"]) addEventListener(type, acted, true);
  navigation.addEventListener("navigate", acted);
  for (const e of document.querySelectorAll("a[href], button, summary, select, input:not([type=hidden]), textarea")) {
    if (!e.checkVisibility() || e.disabled) continue;
    doing = `${say(e)} acts when it gets the focus`;
    e.focus();
    if (e.matches("a, button, summary")) {
      doing = `${say(e)} acts when a press begins`;
      e.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, cancelable: true }));
      e.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }));
    }
    if (e.matches("select")) {
      doing = `${say(e)} acts when something is chosen`;
      const was = e.selectedIndex;
      for (const n of [e.options.length - 1, was]) {
        e.selectedIndex = n;
        for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true }));
      }
    }
  }
  doing = undefined;
  document.activeElement.blur();
  return [...new Set(wrong)];
}

test("nothing scrolls sideways at 320 px, at 200 % and 400 %, and on a phone held sideways", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  const wide = [];
  await everyPage(page, server, acme, async (path) => {
    for (const [width, height] of [[320, 640], [320, 256], [667, 375], [812, 375], [720, 450], [360, 225]]) {
      await page.setViewportSize({ width, height });
      const over = await sideways(page);
      if (over > 0) wide.push(`${path} at ${width} × ${height}: ${over} px`);
      if (!(await page.evaluate(() => document.querySelector("main").innerText.trim()))) wide.push(`${path} at ${width} × ${height}: nothing is there`);
    }
  });
  expect(wide).toEqual([]);
});

test("wider spacing of text cuts nothing off", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  const cut = [];
  await page.setViewportSize({ width: 768, height: 1024 });
  await everyPage(page, server, acme, async (path) => {
    const clipped = () => page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => {
      const style = getComputedStyle(e);
      return e.checkVisibility() && !e.closest(".visually-hidden, svg, textarea, select") && /hidden|clip/.test(style.overflowX + style.overflowY)
        && style.textOverflow !== "ellipsis" && style.webkitLineClamp === "none" && e.innerText?.trim()
        && (e.scrollWidth > e.clientWidth + 2 || e.scrollHeight > e.clientHeight + 2);
    }).map((e) => `${e.tagName.toLowerCase()}.${e.className}`));
    // What leaves its own box lies over something else.
    const spilt = () => page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())
      && e.checkVisibility() && !e.closest(".visually-hidden, svg, textarea, select") && e.clientHeight > 2 && getComputedStyle(e).overflowY === "visible" && e.scrollHeight > e.clientHeight + 2)
      .map((e) => `${e.tagName.toLowerCase()}.${e.className} “${e.innerText.slice(0, 30)}” leaves its box`));
    const before = await clipped();
    // As a reader's own style sheet does; the policy of content holds for pages, not for readers.
    await page.evaluate(() => {
      const spacing = new CSSStyleSheet();
      spacing.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }");
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, spacing];
    });
    for (const one of await clipped()) if (!before.includes(one)) cut.push(`${path}: ${one}`);
    for (const one of await spilt()) cut.push(`${path}: ${one}`);
    if ((await sideways(page)) > 0) cut.push(`${path} scrolls sideways`);
  });
  expect(cut).toEqual([]);
});

test("focus goes through every page, is seen, and nothing lies over it", async ({ operator: page, server, acme }) => {
  test.setTimeout(480_000);
  const lost = [];
  await everyPage(page, server, acme, async (path) => {
    await page.setViewportSize({ width: 1024, height: 600 });
    const seen = new Set();
    let last;
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        window.stops ??= 0; // counted here: what the feed draws anew loses its number
        e.dataset.stop ??= String(window.stops++);
        const style = getComputedStyle(e), around = [e, ...(e.labels ?? []), e.closest("label, .q-row, li")].filter(Boolean);
        // A ring or a shadow that is not there without the focus.
        const rings = () => around.flatMap((a) => [null, "::after"].map((part) => { const s = getComputedStyle(a, part); return `${s.outlineStyle === "none" || parseFloat(s.outlineWidth) === 0 ? "" : s.outline} ${s.boxShadow}`; }));
        const with_ = rings(), parts = /^(date|time|datetime-local)$/.test(e.type); // each of its parts is a stop, and losing the focus leads back to the first
        if (!parts) e.blur();
        const without = rings();
        if (!parts) e.focus({ preventScroll: true });
        const shown = parts ? with_.some((ring) => ring !== " none") : with_.some((ring, n) => ring !== without[n] && ring !== " none");
        const box = e.getBoundingClientRect();
        const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
        // Some of it must be seen: of several points one is not covered by anything else.
        let free = style.opacity === "0" || box.width < 2 || box.height < 2;
        for (const [x, y] of [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]]) {
          const over = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
          free ||= !!over && (e.contains(over) || over.contains(e) || (e.labels && [...e.labels].some((l) => l.contains(over))));
        }
        return { stop: e.dataset.stop, what: `${e.tagName.toLowerCase()}#${e.id}.${e.className} “${(e.innerText ?? e.name ?? "").slice(0, 30)}”`, shown, inside, free };
      });
      if (!at) break; // around once
      if (at.stop === last) continue;
      if (seen.has(at.stop)) {
        if (at.stop !== "0") lost.push(`${path}: the focus goes back to ${at.what} before it was everywhere`);
        break;
      }
      seen.add(last = at.stop);
      if (!at.shown) lost.push(`${path}: ${at.what} shows no focus`);
      if (!at.inside) lost.push(`${path}: ${at.what} has the focus out of sight`);
      if (!at.free) lost.push(`${path}: ${at.what} is covered`);
    }
    if (seen.size < 3) lost.push(`${path}: ${seen.size} stops only`);
  });
  expect([...new Set(lost)]).toEqual([]);
});

test("with forced colours what is chosen is marked, buttons have borders, and all texts can be read", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  const plain = [];
  await page.emulateMedia({ forcedColors: "active" });
  await everyPage(page, server, acme, async (path) => {
    plain.push(...(await page.evaluate(() => {
      const look = (e) => { const s = getComputedStyle(e); return [s.outlineStyle, s.outlineWidth, s.borderTopWidth, s.borderBottomWidth, s.borderLeftWidth, s.fontWeight, s.textDecorationLine, s.backgroundColor].join(); };
      const wrong = [];
      for (const e of document.querySelectorAll("[aria-current]:not([aria-current=false]), [aria-pressed=true], [aria-selected=true]")) {
        const row = e.closest(".q-row") ?? e, other = [...(row.parentElement?.children ?? [])].map((s) => (s.matches(row.tagName) ? s : s.querySelector(e.tagName))).find((s) => s && s !== row && !s.contains(e) && !s.querySelector("[aria-current]"));
        if (e.checkVisibility() && other && look(row) === look(other)) wrong.push(`${e.className || e.tagName} “${e.innerText.slice(0, 20)}” looks like the others`);
      }
      for (const e of document.querySelectorAll("button.btn, a.btn")) {
        const s = getComputedStyle(e);
        if (e.checkVisibility() && parseFloat(s.borderTopWidth) === 0) wrong.push(`${e.className} “${e.innerText.slice(0, 20)}” has no border`);
      }
      return wrong;
    })).map((one) => `${path}: ${one}`));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, forcedColors: "active" });
      plain.push(...(await page.evaluate(unreadable)).map((one) => `${path}, ${colorScheme}: ${one}`));
    }
  });
  expect([...new Set(plain)]).toEqual([]);
});

// The texts whose colour is next to that of their ground.
function unreadable() {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.background = "Canvas";
  const canvas = parse(getComputedStyle(probe).backgroundColor);
  probe.remove();
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if ((c[3] ?? 1) > 0.5) return c; } return canvas; };
  const found = new Set();
  const hold = (e, text, color, back) => {
    const [a, b] = [light(parse(color)), light(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`<${e.localName} class="${e.className}"> “${text.slice(0, 20)}” can't be read`);
  };
  for (const e of document.body.querySelectorAll("*")) {
    if (!e.checkVisibility() || e.closest("svg, :disabled, .visually-hidden")) continue;
    const text = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data.trim()).join("");
    if (text) hold(e, text, getComputedStyle(e).color, ground(e));
    for (const pseudo of ["::before", "::after"]) { // the numbers of marks
      const { content, color, backgroundColor } = getComputedStyle(e, pseudo), own = parse(backgroundColor);
      const drawn = /[\p{L}\p{N}]/u.exec(content.match(/^"(.*?)"/)?.[1] ?? "");
      if (drawn) hold(e, content, color, (own[3] ?? 1) > 0.5 ? own : ground(e));
    }
  }
  return [...found];
}

test("nothing moves for who asked for less motion", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  const moves = [];
  await page.emulateMedia({ reducedMotion: "reduce" });
  await everyPage(page, server, acme, async (path) => {
    moves.push(...(await page.evaluate(() => [...document.querySelectorAll("*")].filter((e) => {
      const s = getComputedStyle(e), long = (list) => list.split(",").some((t) => (t.trim().endsWith("ms") ? parseFloat(t) / 1000 : parseFloat(t)) > 0.01);
      return (s.transitionProperty !== "none" && long(s.transitionDuration)) || (s.animationName !== "none" && long(s.animationDuration) && s.animationIterationCount === "infinite");
    }).map((e) => `${e.tagName.toLowerCase()}.${e.className}`))).map((one) => `${path}: ${one}`));
  });
  expect([...new Set(moves)]).toEqual([]);
});

test("an agent's text keeps its own direction, and turns nothing else around", async ({ operator: page, server, acme }) => {
  const asked = await acme.agent.submit(hostile);
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  const isolated = await page.evaluate(() => {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), loose = [];
    for (let n = all.nextNode(); n; n = all.nextNode()) {
      if (!/[\u0590-\u06ff]/.test(n.data) || !n.parentElement.checkVisibility()) continue;
      if (!n.parentElement.closest("bdi, [dir=auto], textarea, code, pre") && !/isolate|plaintext/.test(getComputedStyle(n.parentElement).unicodeBidi)) loose.push(n.data.slice(0, 40));
    }
    return loose;
  });
  expect(isolated).toEqual([]);
  expect(await page.evaluate(() => document.body.innerText.includes("\u202e"))).toBe(false);
});

test("every page has a title, a language, one main part and an order, and does nothing unasked", async ({ operator: page, server, acme }) => {
  test.setTimeout(240_000);
  const titles = new Map(), wrong = [], bars = new Map();
  await everyPage(page, server, acme, async (path) => {
    wrong.push(...(await page.evaluate(structure)).map((one) => `${path}: ${one}`));
    wrong.push(...(await page.evaluate(acts)).map((one) => `${path}: ${one}`));
    bars.set(await page.evaluate(() => [...document.querySelectorAll(".topbar :is(.nav a, .topbar-help)")].map((e) => {
      const box = e.getBoundingClientRect();
      return e.matches(".nav a") ? e.firstChild.data.trim() : `help at ${Math.round(document.documentElement.clientWidth - box.right)}`; // the number beside Queue moves the others
    }).join(", ")), path);
    const title = (await page.title()).replace(/^\(\d+\) /, ""), at = new URL(page.url()).pathname; // a queue filtered is the queue
    if (!titles.has(title)) titles.set(title, at);
    expect.soft(titles.get(title), `the title “${title}”`).toBe(at);
    expect(await page.locator("html[lang]").count(), path).toBe(1);
    expect(await page.locator("main").count(), path).toBe(1);
    expect(await page.locator("h1").count(), path).toBe(1);
  });
  expect([...new Set(wrong)]).toEqual([]);
  bars.delete(""); // the sign-in page
  expect([...bars], "one navigation, and help in one place").toHaveLength(1);
});

test("single keys can be switched off, and stay off", async ({ queue: page, server, acme }) => {
  await acme.agent.submit(actions.medium);
  await page.reload();
  const focused = () => page.evaluate(() => document.activeElement.closest(".q-row") !== null);
  await page.keyboard.press("j");
  expect(await focused()).toBe(true);
  await page.keyboard.press("Escape");
  const hint = page.getByText("for keyboard shortcuts.");
  await expect(hint).toBeVisible();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await expect(hint).toBeHidden();
  await page.goto(`${server.url}/t/acme/queue`);
  await expect(hint).toBeHidden();
  await page.keyboard.press("j");
  expect(await focused()).toBe(false);
  const { console_url: critical } = await acme.agent.submit(actions.critical);
  await page.goto(critical);
  await expect(page.locator(".btn kbd").first()).toBeAttached();
  for (const name of await page.locator(".btn kbd").all()) await expect(name).toBeHidden();
  await page.keyboard.press("1"); // would check the first box
  await expect(page.locator("#gate [type=checkbox]:checked")).toHaveCount(0);
  await page.keyboard.press("?");
  await expect(page.getByRole("checkbox", { name: "Single-key shortcuts" })).toBeHidden();
});

test("arrivals, outcomes and errors are told to screen readers, with the focus where one goes on", async ({ queue: page, server, acme }) => {
  await acme.agent.submit(actions.critical);
  await expect(page.locator("#status")).toContainText(/CRITICAL/);
  const asked = await acme.agent.submit(actions.medium);
  await expect(page.locator("#status")).toContainText(/^New request, MEDIUM: /); // the one that came, not the list's first
  await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Not this week.");
  await page.getByRole("button", { name: /^Deny/ }).last().click();
  await expect(page).toHaveTitle(/Denied/);
  expect(await page.evaluate(() => document.activeElement.innerText)).toMatch(/denied/i);
  await page.goto(`${server.url}/t/acme/settings/people`);
  await page.context().clearCookies();
  await page.goto(`${server.url}/sign-in`);
  await page.getByLabel("Email").fill("priya@acme.test");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeFocused();
});

test("borders of fields and the ring of the focus stand out, in both themes", async ({ operator: page, server }) => {
  const weak = [];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const path of ["account", "t/acme/queue", "t/acme/audit", "t/acme/settings/policy", "t/acme/settings/agents"]) {
      await page.goto(`${server.url}/${path}`);
      weak.push(...(await page.evaluate(() => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const luminance = (colour) => {
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => { const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
        const behind = (e) => { for (let up = e; up; up = up.parentElement) { const c = getComputedStyle(up).backgroundColor; if (!/, 0\)|transparent/.test(c)) return c; } return "white"; };
        const wrong = [];
        for (const field of document.querySelectorAll("input.input, textarea, .select, input[type=checkbox]")) {
          if (!field.checkVisibility()) continue;
          const around = behind(field.parentElement);
          const border = contrast(getComputedStyle(field).borderTopColor, around);
          if (border < 3) wrong.push(`the border of ${field.name || field.type}: ${border.toFixed(2)}`);
          field.focus();
          const ring = contrast(getComputedStyle(field).outlineColor, around);
          if (ring < 3) wrong.push(`the focus of ${field.name || field.type}: ${ring.toFixed(2)}`);
        }
        return wrong;
      })).map((one) => `${path}, ${colorScheme}: ${one}`));
    }
    expect(await page.locator("input.input").count()).toBeGreaterThan(0);
  }
  expect(weak).toEqual([]);
});
