// Times as the reader's clock has them; the server writes UTC, which stays one hover away. Where the
// reader lives by UTC nothing changes.
(() => {
  document.cookie = `zone=${new Date().getTimezoneOffset()}; path=${base.pathname}; max-age=31536000; samesite=lax`; // the server counts "today" by it
  const year = new Date().getFullYear();
  if ([0, 6].every((month) => new Date(year, month, 1).getTimezoneOffset() === 0)) return; // asking Intl for the zone costs a phone a fifth of a second
  const language = (document.documentElement.lang || "en").replace(/^en$/, "en-GB"), formats = new Map();
  const format = (options) => {
    const name = JSON.stringify(options);
    if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat(language, options));
    return formats.get(name);
  };
  const done = new WeakMap();
  const local = (mark) => {
    const text = mark.textContent.trim(), at = new Date(mark.dateTime);
    // Times left and ages are counted elsewhere; a text without an hour is a day of a figure.
    if (done.get(mark) === text || mark.closest("[data-left], .timeleft") || mark.hasAttribute("data-ago") || mark.childElementCount > 0) return;
    if (Number.isNaN(at.getTime()) || !/T\d/.test(mark.dateTime) || !/\d:\d\d/.test(text)) return;
    const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    if (/:\d\d:\d\d/.test(text)) options.second = "2-digit";
    if (/[A-Za-z]{3}/.test(text.replace(/UTC/, "")) || at.toDateString() !== new Date().toDateString()) Object.assign(options, { day: "numeric", month: "short" });
    if (/\b\d{4}\b/.test(text)) options.year = "numeric";
    const said = format(options).format(at);
    mark.title ||= text;
    mark.textContent = said;
    done.set(mark, said);
  };
  // The name of the zone the whole year round: rows of a table may be from summer and winter.
  const zoneName = () => format({ timeZoneName: "shortGeneric" }).formatToParts(new Date()).find((part) => part.type === "timeZoneName").value.replace(/ time$/i, "");
  for (const head of document.querySelectorAll("thead th")) if (/UTC/.test(head.textContent) && head.childElementCount === 0) head.textContent = head.textContent.replace("UTC", zoneName());
  const localAll = (root) => root.querySelectorAll?.("time[datetime]").forEach(local);
  localAll(document);
  new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
    if (node.nodeName === "TIME") local(node);
    localAll(node);
  }))).observe(document.body, { childList: true, subtree: true });
})();
