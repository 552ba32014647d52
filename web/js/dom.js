// What the scripts after this one share. They are joined into one file, each in a scope of its own.
// Where the console begins: the page's addresses may have a path before them, as this script's own has.
const base = new URL("../../", document.currentScript.src);
const byId = (id) => document.getElementById(id);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const on = (target, type, handler, capture) => target?.addEventListener(type, handler, capture);
// One region, read out politely.
const announce = (text) => { const region = byId("status"); if (region) region.textContent = text; };
