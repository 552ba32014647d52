// Forms and the guide: what is wrong stands beside its field, and what was done elsewhere is ticked.
(() => {
  /* the browser's own message, at the field instead of over it */
  const errorOf = (field) => {
    const id = `${field.id}-error`;
    let error = byId(id);
    if (!error) {
      error = document.createElement("p");
      error.id = id;
      error.className = "error";
      field.closest(".field").append(error);
    }
    return error;
  };
  document.addEventListener("invalid", (event) => {
    const field = event.target, form = field.form;
    if (!form?.hasAttribute("data-beside")) return;
    event.preventDefault();
    field.setAttribute("aria-invalid", "true");
    errorOf(field).textContent = field.validationMessage;
    if (form.querySelector(":invalid") === field) field.focus();
  }, true);
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (!field.form?.hasAttribute("data-beside") || !field.hasAttribute("aria-invalid") || !field.validity.valid) return;
    field.removeAttribute("aria-invalid");
    errorOf(field).textContent = "";
  });

  /* a new key: looks every few seconds whether the first call came, while somebody looks */
  const look = () => {
    const list = byId("connected");
    if (!list?.dataset.url) return;
    setTimeout(look, 3000);
    if (document.hidden) return;
    const page = new XMLHttpRequest(); // it parses a document, which no trusted type is needed for
    page.open("GET", list.dataset.url);
    page.responseType = "document";
    page.onload = () => {
      const now = page.responseXML?.getElementById("connected");
      if (now && now.textContent !== list.textContent) list.replaceWith(now);
    };
    page.send();
  };
  if (byId("connected")?.dataset.url) setTimeout(look, 3000);

  /* the guide: looks again when the queue changed */
  const guide = byId("guide"), count = byId("nav-count");
  if (!guide) return;
  const refresh = async () => {
    try {
      const answer = await fetch(location.href, { redirect: "manual", cache: "no-store" });
      if (answer.ok && byId("guide")) await htmx.swap({ text: await answer.text(), sourceElement: byId("guide"), target: byId("guide"), select: "#guide", swap: "outerMorph" });
    } catch { /* the next change asks again */ }
  };
  document.addEventListener("countersign:arrived", refresh);
  if (count) new MutationObserver(refresh).observe(count, { childList: true, characterData: true, subtree: true, attributes: true });
})();
