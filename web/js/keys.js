// Single keys: off while somebody types, and for whoever switched them off.
(() => {
  const typing = (node) => node.closest?.("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])") !== null;
  const shown = (node) => node && (node.checkVisibility ? node.checkVisibility() : node.offsetParent !== null);
  const step = (by) => {
    const links = all("#rows .q-row a, #select .pick-row input").filter(shown);
    if (!links.length) return;
    const at = links.indexOf(document.activeElement), open = links.findIndex((a) => a.hasAttribute("aria-current"));
    const next = at < 0 && open < 0 ? 0 : Math.max(0, Math.min(links.length - 1, (at < 0 ? open : at) + by));
    links[next].focus();
    links[next].scrollIntoView({ block: "nearest" });
  };
  const toApprove = () => {
    const button = all("[data-approve], [data-key=a]").find((b) => shown(b) && !b.disabled);
    if (button?.dataset.key) { // starting the questions, or answering one, decides nothing
      document.dispatchEvent(new CustomEvent("countersign:to-approve"));
      button.click();
      return;
    }
    const open = button || all("#gate input:not([type=hidden])").find((i) => shown(i) && (i.id === "target" ? i.value !== i.dataset.say : i.required && !i.checked));
    open?.focus();
    if (open || !byId("decision")) return;
    announce(say("approve-closed"));
    document.dispatchEvent(new CustomEvent("countersign:approve-closed")); // it gets there when it opens
    const note = document.querySelector(".decision-note"); // seen, not only heard
    note?.removeAttribute("data-called");
    requestAnimationFrame(() => note?.setAttribute("data-called", ""));
  };
  const toForm = (key, id) => {
    const button = document.querySelector(`[data-key=${key}]`);
    if (shown(button)) button.click(); else byId(id)?.querySelector("textarea")?.focus();
  };
  const search = () => { const field = byId("search") ?? document.querySelector("[data-search]"); if (shown(field)) { field.focus(); field.select(); } };
  // x ticks a row; in the live queue it leads to the list with boxes, with this row ticked.
  const pick = () => {
    const box = document.activeElement.closest?.(".pick-row")?.querySelector("input");
    if (box) { box.click(); box.focus(); return; }
    const way = document.querySelector("[data-key=x]"), id = document.activeElement.closest?.(".q-row")?.id.replace(/^(approval|sealed)-/, "");
    if (!way) return; // it stands in a menu
    if (id) way.search += `&pick=${encodeURIComponent(id)}`;
    way.click();
  };
  const keys = {
    x: pick,
    j: () => step(1), k: () => step(-1),
    a: toApprove, d: () => toForm("d", "deny"), c: () => toForm("c", "changes"),
    z: () => document.querySelector("[data-key=z]")?.click(),
    n: () => document.querySelector("[data-next]")?.click(),
    "/": search, "?": () => byId("keys")?.togglePopover(),
  };
  // Whoever speaks to their computer, or hits keys by accident, can switch them off (WCAG 2.1.4).
  const box = document.querySelector("[data-single-keys]");
  const stored = () => { try { return localStorage.getItem("single-keys"); } catch { return null; } };
  if (box) {
    // What names a key that does nothing is not shown.
    const draw = () => { document.documentElement.dataset.keys = box.checked ? "on" : "off"; };
    box.checked = stored() !== "off";
    draw();
    box.addEventListener("change", () => { draw(); try { localStorage.setItem("single-keys", box.checked ? "on" : "off"); } catch { /* storage is off: until the next page */ } });
  }
  let going = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key.length === 1 && event.key !== " " && box && !box.checked) return;
    if (going && Date.now() - going < 1500) {
      going = 0;
      const place = all("[data-goto]").find((a) => a.dataset.goto === event.key);
      if (place) { event.preventDefault(); place.click(); }
      return;
    }
    if (event.key === "g") { going = Date.now(); return; }
    const option = all("#quiz input[type=radio]")[Number(event.key) - 1];
    if (option && /^[1-4]$/.test(event.key)) { event.preventDefault(); option.focus(); option.checked = true; return; }
    const action = Object.hasOwn(keys, event.key) && keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
})();
