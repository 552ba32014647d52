// The console's script: what HTML cannot do. Every page works without it, except for live updates.
// Nothing here builds HTML from text: pushed rows come through htmx, words of ours go in as text.
// The server decides everything; what is enabled or counted here is a convenience.
(() => {
  const root = document.documentElement;

  /* clock: the server's, so that a wrong clock here shows no wrong time -------- */
  const skew = (Date.parse(document.body.dataset.now) || Date.now()) - Date.now();
  const now = () => Date.now() + skew;
  // The time of day by the reader's clock, with UTC on hover.
  const writeNow = (mark) => {
    if (!mark) return;
    const at = new Date(now()), utc = at.toISOString();
    mark.dateTime = utc;
    mark.title = say("utc", utc.slice(11, 19));
    mark.textContent = at.toTimeString().slice(0, 8);
  };

  /* theme ---------------------------------------------------------------------- */
  const switchTheme = () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    root.dataset.theme = theme;
    try { localStorage.setItem("theme", theme); } catch { /* storage is off: until the next page */ }
    announce(say(theme));
  };
  on(byId("theme"), "click", switchTheme);
  all("[data-theme-switch]").forEach((item) => on(item, "click", switchTheme));

  /* what the form before this page did: it is there from the beginning, which no screen reader reads out */
  const done = byId("done");
  if (done) announce(done.textContent.trim());

  /* on a narrow page the sections of the settings scroll sideways: the one that is open is in view */
  const section = document.querySelector(".subnav [aria-current]");
  if (section) section.parentElement.scrollLeft = section.offsetLeft - section.parentElement.offsetLeft - (section.parentElement.clientWidth - section.offsetWidth) / 2;

  /* menus: one click elsewhere, or Escape, closes them -------------------------- */
  const closeMenus = (except) => all("details:is(.menu, .picks)[open]").forEach((menu) => { if (menu !== except) menu.open = false; });
  on(document, "click", (event) => closeMenus(event.target.closest("details:is(.menu, .picks)")));
  on(document, "keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector("details:is(.menu, .picks)[open]");
    closeMenus();
    menu?.querySelector("summary").focus();
  });

  // What opens above the buttons of a decision is where one writes next.
  on(document, "toggle", ({ target }) => { if (target.matches?.("details.ask[open]")) target.querySelector("textarea").focus(); }, true);

  /* time left and the minimum review ------------------------------------------- */
  const twoDays = 172800; // from then on a time is told in days
  const digits = (seconds) => {
    if (seconds >= twoDays) return say("days", Math.floor(seconds / 86400));
    const two = (n) => String(n).padStart(2, "0");
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  };
  const write = (node, text) => {
    if (!node || node.textContent === text) return;
    if (node.firstChild?.nodeType === Node.TEXT_NODE && !node.firstChild.nextSibling) node.firstChild.data = text; // nothing is laid out anew but the text
    else node.textContent = text;
  };

  const tickTimes = () => all("[data-expires]").forEach((mark) => {
    const end = Date.parse(mark.dataset.expires), start = Date.parse(mark.dataset.start);
    if (Number.isNaN(end)) return;
    const left = Math.max(0, Math.ceil((end - now()) / 1000)), whole = (end - start) / 1000;
    write(mark.querySelector("[data-left]"), digits(left));
    if (!(whole > 0)) return;
    mark.toggleAttribute("data-soon", left < 120 || (left * 5 < whole && left < twoDays));
    const dash = `${Math.min(100, Math.round((left * 100) / whole))} 100`, ring = mark.querySelector(".ring-value");
    if (ring && ring.getAttribute("stroke-dasharray") !== dash) ring.setAttribute("stroke-dasharray", dash);
  });

  // Times far from now are told as people say them; the exact one stands behind.
  let relative; // made when it is needed: to make it costs a phone a fifth of a second
  const ago = (n, unit) => (relative ??= new Intl.RelativeTimeFormat(root.lang || "en", { numeric: "auto", style: "short" })).format(n, unit);
  const units = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  const tickAgo = () => all("time[data-ago]").forEach((mark) => {
    const seconds = (Date.parse(mark.dateTime) - now()) / 1000;
    if (Number.isNaN(seconds)) return;
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units.at(-1);
    write(mark, Math.abs(seconds) < 120 && seconds <= 0 ? say("just-now") : ago(Math.round(seconds / size), unit));
  });

  const approve = document.querySelector("[data-approve]");
  const gate = byId("gate"), target = byId("target");
  const typedRight = () => target.value.normalize("NFC") === target.dataset.say.normalize("NFC");
  const unticked = () => all("input[type=checkbox][required]", gate).filter((box) => !box.checked).length + (byId("also")?.checked && !byId("also-runs")?.checked ? 1 : 0);
  const gateComplete = () => !gate || (typedRight() && unticked() === 0);
  let lists; // made when it is needed
  const tickMissing = (left) => {
    const note = document.querySelector("#missing span");
    if (!note) return;
    if (!gate) { write(note, left > 0 ? say("unlocks", left) : say("complete")); return; }
    const boxes = unticked(), missing = [!typedRight() && say("missing-target"), boxes > 0 && say("missing-boxes", boxes), left > 0 && say("missing-reading", left)].filter(Boolean);
    write(note, missing.length ? say("missing", (lists ??= new Intl.ListFormat(root.lang || "en", { type: "unit" })).format(missing)) : say("complete"));
  };
  const tickApprove = () => {
    if (!approve) return;
    const open = Date.parse(approve.dataset.notBefore), wait = approve.querySelector("[data-wait]");
    const left = Number.isNaN(open) ? 0 : Math.max(0, Math.ceil((open - now()) / 1000));
    if (wait) { wait.hidden = left === 0; write(wait, left ? say("in-seconds", left) : ""); }
    tickMissing(left);
    const disabled = left > 0 || !gateComplete();
    if (approve.disabled !== disabled) approve.disabled = disabled;
  };

  /* CRITICAL: the typed target ---------------------------------------------------- */
  const showTyped = (state, text) => {
    byId("target-state").dataset.state = state;
    write(byId("target-state").querySelector("span"), text);
  };
  on(gate, "input", (event) => {
    const asked = target.dataset.say.normalize("NFC"), typed = target.value.normalize("NFC");
    const state = typed === "" ? "" : asked === typed ? "typed-same" : asked.startsWith(typed) ? "typed-so-far" : "typed-wrong";
    if (event.target === target) showTyped(state, state && say(state, [...typed].length, [...asked].length));
    if (target.getAttribute("aria-invalid") && asked.startsWith(typed)) target.removeAttribute("aria-invalid");
    tickApprove();
  });
  const noPaste = (event) => {
    if (target.hasAttribute("data-paste")) return;
    event.preventDefault();
    showTyped("", say("no-pasting"));
  };
  on(target, "paste", noPaste);
  on(target, "drop", noPaste);
  // Enter alone never approves: Space or a click does, once it is deliberate.
  on(document, "keydown", (event) => { if (event.key === "Enter" && event.target.closest?.("[data-approve]")) event.preventDefault(); });

  /* reasons, and one answer per page ---------------------------------------------- */
  on(document, "click", (event) => {
    const chip = event.target.closest("[data-fill]");
    if (!chip) return;
    const field = byId(chip.dataset.fill), text = field.value.trim();
    const chips = all(`[data-fill="${chip.dataset.fill}"]`).map((other) => other.textContent);
    field.value = !text || chips.includes(text) ? chip.textContent : `${text}\n${chip.textContent}`;
    field.focus();
  });
  /* what is shown once: copied, or at least selected where the browser forbids copying */
  on(document, "click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = byId(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      announce(say("copied"));
      button.dataset.copied = "";
      setTimeout(() => delete button.dataset.copied, 1500);
    } catch {
      getSelection().selectAllChildren(source);
      announce(say("selected"));
    }
  });
  /* several at once: how many are ticked -------------------------------------------- */
  const several = byId("select"), boxes = () => all(".pick-row input", several);
  const countTicked = () => {
    const mark = several?.querySelector("[data-ticked]");
    if (!mark) return;
    const n = boxes().filter((box) => box.checked).length, most = Number(mark.dataset.most);
    write(mark, n > most ? say("too-many", n, most) : say("ticked", n));
    const deny = several.querySelector("button[data-kind=danger]");
    deny.disabled = n === 0 || n > most;
    if (n > 0) write(deny, say("deny-selected", n));
  };
  on(several, "change", countTicked);
  on(several, "click", (event) => {
    const tick = event.target.closest("[data-tick]")?.dataset.tick;
    if (!tick) return;
    boxes().forEach((box) => { box.checked = tick === "all"; });
    countTicked();
    announce(several.querySelector("[data-ticked]").textContent);
  });
  countTicked();
  on(window, "pageshow", countTicked);

  /* a draft is in this page alone: leaving asks first. Marked are the parts whose fields are one;
     "changed" where it differs already from what is stored */
  const drafts = all("[data-draft]");
  const typedIn = (field) => {
    if (field.type === "radio" || field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (!field.options) return field.value !== field.defaultValue;
    return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  };
  const unsaved = () => drafts.some((draft) => draft.dataset.draft === "changed" || all("input:not([type=hidden]), select, textarea", draft).some(typedIn));
  let saving = false;
  on(document, "submit", (event) => {
    if (drafts.some((draft) => event.target.contains(draft)) && (event.submitter?.formMethod || event.target.method) === "post") saving = true;
  });
  on(window, "pageshow", () => { saving = false; });
  if (drafts.length > 0) on(window, "beforeunload", (event) => { if (!saving && unsaved()) event.preventDefault(); });

  const sent = new WeakSet();
  on(document, "submit", (event) => {
    if ((event.submitter?.formMethod || event.target.method) !== "post" || event.target.hasAttribute("data-again")) return;
    if (sent.has(event.target)) event.preventDefault();
    sent.add(event.target);
  });
  on(window, "pageshow", (event) => { if (event.persisted) location.reload(); });

  /* the queue: search, arrivals, what went away ------------------------------------ */
  const arrivals = byId("arrivals"), fresh = byId("new"), search = byId("search");
  const rows = () => all("#rows .q-row");
  const held = () => (arrivals ? [...arrivals.children] : []);

  // While somebody types, the rows that are here are narrowed; Enter asks the server, which searches
  // all of them. What it found is not narrowed again: it looks at more than a row shows.
  const filter = () => {
    if (!search || !byId("rows")) return;
    const asked = search.value.trim() === search.defaultValue.trim();
    const words = asked ? [] : search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let seen = 0;
    for (const row of rows()) {
      const text = words.length > 0 ? row.textContent.toLowerCase() : "";
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) seen++;
    }
    all("#rows [data-group]").forEach((group) => { group.hidden = !group.querySelector(".q-row:not([hidden])"); });
    const none = byId("no-match");
    none.hidden = seen > 0 || rows().length === 0;
    if (none.hidden) return;
    const more = byId("rows").hasAttribute("data-more");
    write(byId("no-match-title"), say(more ? "none-here" : "none", rows().length));
  };
  on(search, "input", filter);
  on(byId("clear-search"), "click", () => { search.value = ""; filter(); search.focus(); });

  // A row comes once: not if it is in the list, not twice while it waits, not when it is decided
  // already. A tab that nobody touches holds so many of them, and knows that there are more.
  const mostHeld = 50;
  const tidyArrivals = () => {
    const waiting = new Set(), folded = new Set(rows().filter((row) => !row.hasAttribute("data-done")).map((row) => row.dataset.fold));
    folded.delete(undefined);
    for (const row of held()) { // an identical one is in the number of the row that is here
      if (folded.has(row.dataset.fold)) row.remove(); else if (row.dataset.fold) folded.add(row.dataset.fold);
    }
    for (const row of held().reverse()) {
      const id = row.id.replace(/^(approval|sealed)-/, "");
      const listed = all(`#rows [id="approval-${CSS.escape(id)}"], #rows [id="sealed-${CSS.escape(id)}"]`).length > 0;
      if (listed || waiting.has(id) || row.hasAttribute("data-done")) row.remove();
      waiting.add(id);
    }
    for (const row of held().slice(mostHeld)) { row.remove(); fresh.dataset.more = ""; }
    const count = held().length, more = "more" in fresh.dataset;
    if (!count) delete fresh.dataset.more;
    const before = Number(fresh.dataset.count || 0);
    // Everything here is decided, and others wait behind it.
    const spent = !count && rows().length > 0 && rows().every((row) => row.hasAttribute("data-done")) && !byId("nav-count")?.hidden;
    fresh.dataset.count = count;
    fresh.hidden = count === 0 && !spent;
    write(byId("new-label"), spent ? say("show-waiting") : say(more ? "new-or-more" : "new", count));
    if (count <= before) return;
    if (rows().length === 0) { meanwhile(showFresh()); } // nothing can move under the pointer
    tellArrivals();
    const highest = ["critical", "high", "medium", "low"].find((level) => held().some((row) => row.dataset.level === level));
    document.dispatchEvent(new CustomEvent("countersign:arrived", { detail: { count, highest } }));
  };

  // What came is told with level and sentence, not what was here before; those that come in one
  // go, in one sentence.
  const heard = new Set(), untold = new Set();
  let telling;
  const tellArrivals = () => {
    for (const { id } of held()) if (!heard.has(id)) { heard.add(id); untold.add(id); }
    telling ??= setTimeout(() => {
      const order = ["critical", "high", "medium", "low"];
      const came = [...held(), ...rows()].filter((row) => untold.has(row.id) && !row.hasAttribute("data-done"));
      const row = came.sort((a, b) => order.indexOf(a.dataset.level) - order.indexOf(b.dataset.level))[0];
      const level = row?.querySelector(".level")?.textContent.trim(), text = row?.querySelector("a")?.textContent.trim().replace(/\s+/g, " ");
      if (row) announce(came.length === 1 ? say("arrived", level, text) : say("came", came.length, level, text));
      untold.clear();
      telling = undefined;
    }, 1000);
  };

  // Decided while the connection was lost: faded, never removed under the pointer. Only rows that
  // were here before the question was asked: a later one cannot be in the answer.
  const fadeMissing = (known) => {
    const ids = new Set((byId("waiting")?.dataset.ids ?? "").split(" "));
    for (const row of known) {
      if (row.hasAttribute("data-done") || ids.has(row.id.replace(/^(approval|sealed)-/, ""))) continue;
      row.setAttribute("data-done", "");
      const left = row.querySelector(".timeleft");
      left.removeAttribute("data-expires");
      left.textContent = say("closed");
    }
  };

  // A push is the same for everybody, so it does not know which row is open here.
  const opened = document.querySelector("[data-request]")?.dataset.request;
  const markOpened = () => {
    const row = opened && document.querySelector(`#rows [id$="-${CSS.escape(opened)}"] a`);
    if (row && !row.hasAttribute("aria-current")) row.setAttribute("aria-current", "true");
  };

  // One more that is identical raises the number of its row, and moves nothing.
  const repeats = () => new Map([...held(), ...rows()].filter((row) => row.dataset.fold).map((row) => [row.dataset.fold, Number.parseInt(row.querySelector(".q-alike")?.textContent ?? "1", 10)]));
  let repeated = repeats();
  const tellRepeats = () => {
    const before = repeated;
    repeated = repeats();
    const row = [...held(), ...rows()].find((one) => repeated.get(one.dataset.fold) > (before.get(one.dataset.fold) ?? Infinity));
    if (!row) return;
    announce(say("again", row.querySelector(".level").textContent.trim(), row.querySelector("a").textContent.trim().replace(/\s+/g, " "), row.querySelector(".q-alike").title));
    document.dispatchEvent(new CustomEvent("countersign:arrived", { detail: { count: 1, highest: row.dataset.level } }));
  };

  // Who is asked to decide hears it where they are.
  const assigned = new Set(all("#rows [data-assigned]").map((row) => row.id));
  const tellAssigned = () => {
    const now = [...rows(), ...held()].filter((row) => row.hasAttribute("data-assigned"));
    const row = now.find((one) => !assigned.has(one.id));
    assigned.clear();
    for (const one of now) assigned.add(one.id);
    if (!row) return;
    announce(say("assigned", row.querySelector("a").textContent.trim().replace(/\s+/g, " ")));
    document.dispatchEvent(new CustomEvent("countersign:arrived", { detail: { count: now.length, highest: row.dataset.level, assigned: true } }));
  };

  // Whoever has a request open hears that somebody else is on it now.
  const claimed = () => document.querySelector(".claim:not([hidden]) .claim-who")?.title ?? "";
  let holder = claimed();
  const tellClaim = () => {
    const before = holder;
    holder = claimed();
    if (holder && holder !== before) announce(holder);
  };

  const title = document.title;
  const settle = () => {
    tellClaim();
    all("[data-aside]").forEach((row) => row.remove());
    if (arrivals) { tidyArrivals(); filter(); markOpened(); tellRepeats(); tellAssigned(); }
    const count = byId("nav-count");
    document.title = count && !count.hidden ? `(${count.textContent}) ${title}` : title;
    tickTimes();
  };

  const showFresh = async () => {
    const ids = held().map((row) => row.id);
    const text = await get(fresh.dataset.rows);
    if (text === null) return;
    const focused = document.activeElement === fresh;
    await htmx.swap({ text, sourceElement: byId("rows"), target: byId("rows"), select: "#rows", swap: "outerMorph" });
    arrivals.replaceChildren();
    delete fresh.dataset.more;
    settle();
    const links = ids.map((id) => document.querySelector(`#rows [id="${CSS.escape(id)}"] a`)).filter(Boolean);
    links.forEach((link) => link.closest(".q-row").setAttribute("data-arrived", ""));
    announce(say("shown", links.length));
    if (focused) links[0]?.focus();
  };
  on(fresh, "click", () => meanwhile(showFresh()));

  /* the connection ---------------------------------------------------------------------- */
  const feed = byId("feed");
  const link = { open: false, ended: false, lost: 0, synced: Date.now(), polled: Date.now() };

  const showLink = () => {
    const label = byId("live");
    if (label) label.dataset.state = link.ended ? "ended" : link.open ? "live" : link.lost ? "lost" : "off";
    byId("synced").hidden = link.open && !link.ended;
    write(byId("live-word"), say(link.ended ? "signed-out" : link.open ? "live" : link.lost ? "not-live" : "as-of"));
    byId("ended").hidden = !link.ended;
    const banner = byId("lost"), lost = !link.ended && link.lost > 0 && Date.now() - link.lost > 1500;
    if (banner.hidden === lost) {
      banner.hidden = !lost;
      announce(say(lost ? "lost" : "connected"));
    }
  };
  const markSynced = () => {
    link.synced = Date.now();
    writeNow(byId("synced"));
    writeNow(byId("lost-at"));
  };
  const end = () => { link.ended = true; link.open = false; showLink(); announce(say("session-ended")); };
  const lose = () => { link.open = false; link.lost ||= Date.now(); showLink(); };

  // A redirect means the sign-in page: the session is over. 404 is the answer to who is no member any more.
  const get = async (url) => {
    try {
      const answer = await fetch(url, { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status)) { end(); return null; }
      if (!answer.ok) throw new Error(String(answer.status));
      return await answer.text();
    } catch { lose(); return null; }
  };
  const mostAsked = 100; // rows that the server tells about at once
  const ask = async () => {
    link.polled = Date.now();
    const known = [...rows(), ...held()].filter((row) => !row.hasAttribute("data-done")).slice(0, mostAsked);
    const has = known.map((row) => row.id.replace(/^(approval|sealed)-apr_/, "")).join(".");
    const where = feed.dataset.resync, asked = new URLSearchParams();
    if (has) asked.set("has", has);
    const { as } = feed.dataset;
    if (as) asked.set("as", as);
    delete feed.dataset.as; // from here on the list is what was pushed
    const text = await get(`${where}${where.includes("?") ? "&" : "?"}${asked}`);
    if (text === null) return;
    if (as && text === "") { markSynced(); return; } // all is as it was drawn
    if (!text.includes('id="waiting"')) { lose(); return; } // some other page answered: it knows nothing about the queue
    await htmx.swap({ text, sourceElement: feed, target: feed, swap: "none" });
    if (byId("waiting")) fadeMissing(known);
    markSynced();
    settle();
  };
  // What was pushed meanwhile may be newer than the answer: it waits until the answer is drawn.
  const meanwhile = (answer) => (link.asking = Promise.allSettled([link.asking, answer]).then(() => {}));
  const resync = () => meanwhile(ask());
  // Silence is checked too: a connection that died without a word looks open.
  const watch = () => {
    if (!feed || link.ended) return;
    const every = link.open ? 60000 : link.lost ? 10000 : Infinity;
    if (Date.now() - Math.max(link.synced, link.polled) >= every) resync();
    showLink();
  };
  if (feed) {
    // Of this page only the feed is htmx's. To look through all of it costs a phone a tenth of a second.
    on(document.body, "htmx:before:process", (event) => {
      if (event.target !== document.body) return;
      event.preventDefault();
      htmx.process(feed);
    });
    on(feed, "htmx:ws:after:connection", () => { link.open = true; link.lost = 0; showLink(); resync(); });
    on(feed, "htmx:ws:close", (event) => {
      if (event.detail?.code === 1008) reopen(); else if (event.detail?.reason !== "removed") lose();
    });
    on(feed, "htmx:ws:before:message:incoming", (event) => event.detail.waitUntil(link.asking));
    on(feed, "htmx:ws:after:message:incoming", () => { markSynced(); settle(); });
    on(byId("retry"), "click", resync);
  }
  // The session that the feed belonged to is over. Where there is another one by now, it goes on.
  const reopen = async () => {
    lose();
    await resync();
    if (!link.ended) feed.dispatchEvent(new Event("reopen"));
  };
  on(document, "countersign:signed-in", () => {
    if (!feed || !link.ended) return; // else its own end asks
    link.ended = false;
    reopen();
  });
  const outcome = document.querySelector("[data-outcome]");
  if (outcome) {
    new MutationObserver(() => {
      if (outcome.matches("[data-pushed]")) announce(outcome.innerText.trim().replace(/\s+/g, " "));
    }).observe(outcome, { attributes: true, childList: true, subtree: true });
  }

  tickApprove();
  setTimeout(() => { settle(); tickAgo(); }); // in a turn of its own: a phone answers in between
  setInterval(() => { tickTimes(); tickApprove(); watch(); }, 1000);
  setInterval(tickAgo, 30_000);
})();
