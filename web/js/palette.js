// The palette: everything on this page and every place, by name. It only clicks,
// focuses or follows what is there already; it decides nothing.
(() => {
  const palette = byId("palette"), input = byId("palette-input"), list = byId("palette-list"), places = byId("palette-places");
  if (!palette) return;
  const most = 12;
  const textOf = (node) => {
    const copy = node.cloneNode(true);
    copy.querySelectorAll("kbd, svg, [hidden], .visually-hidden").forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const shown = (node) => node.checkVisibility();

  // What can be chosen, best first. A way to approve only moves the focus there.
  const actions = () => {
    const found = [...document.querySelectorAll("main [data-key]")].filter((node) => shown(node) && !node.disabled)
      .map((node) => ({ kind: say("on-this-page"), text: textOf(node), go: () => { node.focus(); if (node.dataset.key !== "a") node.click(); } }));
    const approve = [...document.querySelectorAll("[data-approve]")].find((node) => shown(node) && !node.disabled);
    if (approve) found.unshift({ kind: say("on-this-page"), text: say("go-to", textOf(approve)), go: () => approve.focus() });
    document.querySelectorAll("[data-command]").forEach((node) => {
      if (shown(node)) found.push({ kind: say("command"), text: `${node.getAttribute("aria-label")}: ${node.title}`, go: () => node.click() });
    });
    // What the decision area can do about whose a request is, also where its panel is closed.
    document.querySelectorAll("[data-does]").forEach((node) => {
      if (node.closest(".claim:not([hidden])")) found.push({ kind: say("on-this-page"), text: node.getAttribute("aria-label") ?? textOf(node), go: () => node.click() });
    });
    const assign = byId("assign");
    for (const person of assign?.elements.to.options ?? []) {
      found.push({ kind: say("on-this-page"), text: `${assign.querySelector("label").textContent} ${person.textContent}`, go: () => { assign.elements.to.value = person.value; assign.requestSubmit(); } });
    }
    const theme = byId("theme");
    if (theme) found.push({ kind: say("this-browser"), text: theme.getAttribute("aria-label"), go: () => theme.click() });
    document.querySelectorAll(".menu-panel :is([data-notify], [data-setting]):not([hidden])").forEach((node) => {
      found.push({ kind: say("this-browser"), text: textOf(node), go: () => node.click() });
    });
    if (byId("keys")) found.push({ kind: say("this-browser"), text: say("shortcuts"), go: () => byId("keys").showPopover() });
    return found;
  };
  const requests = () => [...document.querySelectorAll("#rows .q-row:not([hidden], [data-done]) a")]
    .map((row) => ({ kind: say("waiting"), text: textOf(row), go: () => row.click() }));
  const follow = (url) => () => location.assign(url);
  const destinations = () => [...places.content.querySelectorAll("a:not([data-search], [data-filter])")]
    .map((a) => ({ kind: say("page"), text: a.textContent, go: follow(a.href) }));
  const filters = (typed) => (typed === "" ? [] : [...places.content.querySelectorAll("a[data-filter]")]
    .map((a) => ({ kind: say("queue"), text: a.textContent, go: follow(a.href) })));
  const searches = (typed) => (typed === "" ? [] : [...places.content.querySelectorAll("a[data-search]")]
    .map((a) => ({ kind: say("search"), text: say("search-for", a.textContent, typed), go: follow(a.getAttribute("href") + encodeURIComponent(typed)) })));
  const byNumber = (typed) => (/^apr_[0-9a-f]{32}$/.test(typed) && places.dataset.requests
    ? [{ kind: say("request"), text: typed, go: follow(places.dataset.requests + typed) }] : []);

  let found = [], at = 0;
  const choose = (n) => {
    at = Math.max(0, Math.min(found.length - 1, n));
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = list.children[at];
    if (option) { input.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  };
  const find = () => {
    const typed = input.value.trim(), words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const named = (entry) => words.every((word) => entry.text.toLowerCase().includes(word));
    const ends = [...byNumber(typed), ...searches(typed)]; // never cut off
    found = [...actions(), ...destinations(), ...filters(typed), ...requests()].filter(named).slice(0, most - ends.length).concat(ends);
    list.replaceChildren(...found.map((entry, i) => {
      const option = document.createElement("li"), kind = document.createElement("small");
      option.id = `palette-${i}`;
      option.setAttribute("role", "option");
      option.textContent = entry.text;
      kind.textContent = entry.kind;
      option.append(kind);
      return option;
    }));
    list.hidden = found.length === 0;
    choose(0);
  };
  const run = (n) => {
    const entry = found[n];
    if (!entry) return;
    palette.hidePopover();
    entry.go();
  };

  palette.addEventListener("beforetoggle", (event) => {
    if (event.newState !== "open") return;
    input.value = "";
    find();
  });
  palette.addEventListener("toggle", (event) => { if (event.newState === "open") { find(); input.focus(); } });
  input.addEventListener("input", find);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); choose((at + step + found.length) % found.length); return; }
    if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); run(at); }
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) run([...list.children].indexOf(option));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    palette.togglePopover();
  });
})();
