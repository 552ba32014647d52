// Completing a name after an @ in a comment. The server finds whom a text mentions: this only writes it.
(() => {
  const field = byId("comment"), names = [...(byId("mentionable")?.content.children ?? [])].map((one) => one.textContent);
  if (!field || names.length === 0) return;
  const most = 6;
  const list = document.createElement("ul");
  list.id = "mentions-of"; list.classList.add("palette-list", "mention-list"); list.hidden = true;
  list.setAttribute("role", "listbox"); list.setAttribute("aria-label", say("people"));
  field.after(list);
  for (const [name, value] of Object.entries({ "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": list.id, autocomplete: "off" })) field.setAttribute(name, value);
  let at = 0;
  // What was typed after the last @ before the caret, which begins a word.
  const typed = () => /(?:^|[^\p{L}\p{N}])@([^@\n]{0,60})$/u.exec(field.value.slice(0, field.selectionStart))?.[1];
  const close = () => { list.hidden = true; field.removeAttribute("aria-activedescendant"); };
  const choose = (n) => {
    at = (n + list.children.length) % list.children.length;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    field.setAttribute("aria-activedescendant", list.children[at].id);
  };
  const show = () => {
    const begin = typed()?.toLocaleLowerCase();
    const found = begin === undefined ? [] : names.filter((name) => name.toLocaleLowerCase().split(" ").some((_, i, words) => words.slice(i).join(" ").startsWith(begin))).slice(0, most);
    if (found.length === 0) { close(); return; }
    list.replaceChildren(...found.map((name, i) => Object.assign(document.createElement("li"), { id: `mention-${i}`, role: "option", textContent: name })));
    if (list.hidden) announce(say("mention", found.length));
    list.hidden = false;
    choose(0);
  };
  const take = () => {
    const end = field.selectionStart, from = end - typed().length;
    field.setRangeText(`${list.children[at].textContent} `, from, end, "end");
    close();
  };
  on(field, "input", show);
  on(field, "blur", close);
  on(list, "pointerdown", (event) => {
    event.preventDefault(); // the field keeps the focus
    at = [...list.children].indexOf(event.target.closest("li"));
    if (at >= 0) take();
  });
  on(field, "keydown", (event) => {
    const act = { ArrowDown: () => choose(at + 1), ArrowUp: () => choose(at - 1), Enter: take, Tab: take, Escape: close }[event.key];
    if (list.hidden || !act || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
})();
