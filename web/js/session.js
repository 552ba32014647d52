// Signing in again without leaving the page: what was typed and where one was stays. Without this
// script the same links lead to the sign-in page and back.
(() => {
  const template = byId("again-form"), where = template?.dataset.session;
  if (!where) return;
  // Somebody else may sign in, in another tab: a form says whose page it is on, and the server refuses it.
  on(document, "formdata", ({ target, formData }) => { if (target.method === "post" && target.closest("main")) formData.set("reader", template.dataset.person); });
  const lockAfter = Number(template.dataset.lockAfter) * 1000, step = 60_000; // the server keeps the last activity by the minute

  /* is deciding locked: known from the server, asked when it may have changed */
  const state = { locked: template.hasAttribute("data-locked"), ended: false, told: Date.now(), signedIn: Date.parse(template.dataset.signedIn) };
  const showLock = () => { byId("locked").hidden = !state.locked || template.hasAttribute("data-locked"); };
  const ask = async (method) => {
    try {
      const answer = await fetch(where, { method, redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(8000) });
      state.ended = answer.status === 401 || answer.type === "opaqueredirect";
      if (!answer.ok) return;
      const { locked, signedIn } = await answer.json();
      Object.assign(state, { locked, signedIn: Date.parse(signedIn) });
      showLock();
    } catch { /* offline: the server refuses in any case */ }
  };
  // Somebody who scrolls and types is there, though they decide nothing yet. A page that is only open is not.
  let timer;
  const waitForLock = () => { clearTimeout(timer); if (lockAfter > 0) timer = setTimeout(() => ask("GET"), lockAfter + 2000); };
  const present = () => {
    if (lockAfter === 0 || state.locked || Date.now() - state.told < step) return;
    state.told = Date.now();
    ask("POST").then(waitForLock);
  };
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) document.addEventListener(type, present, { passive: true });
  waitForLock();

  /* the dialog */
  let dialog, then, behind;
  const say_ = (text) => { const error = dialog.querySelector("[role=alert]"); error.textContent = text; error.hidden = !text; };
  const open = (next) => {
    if (!dialog) {
      document.body.append(template.content.cloneNode(true));
      dialog = byId("again");
      on(dialog.querySelector("form"), "submit", submit);
      on(dialog.querySelector("[data-cancel]"), "click", () => dialog.close());
      on(dialog, "close", () => { if (behind?.isConnected) behind.showPopover(); });
    }
    then = next;
    say_("");
    dialog.querySelector("input[type=password]").value = "";
    behind = document.querySelector("form:popover-open"); // a dialog closes it
    dialog.showModal();
  };
  const submit = async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const form = event.target, button = form.querySelector("[type=submit]"), fields = new URLSearchParams(new FormData(form));
    fields.set("stay", "1");
    button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, redirect: "manual", cache: "no-store" });
      if (answer.status !== 204) {
        say_(answer.headers.get("content-type")?.startsWith("text/plain") ? await answer.text() : say("not-signed-in"));
        form.querySelector("input[type=password]").select();
        return;
      }
      Object.assign(state, { locked: false, ended: false, signedIn: Date.now(), told: Date.now() });
      dialog.close();
      showLock();
      waitForLock();
      document.dispatchEvent(new Event("countersign:signed-in"));
      then?.();
    } catch {
      say_(say("not-signed-in"));
    } finally { button.disabled = false; }
  };

  // What the server drew for somebody who is locked out lacks what they may do now. A page on
  // which somebody typed stays as it is: its forms work again.
  const typed = () => [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea)")].some((field) => (
    /^(checkbox|radio)$/.test(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue));
  on(document, "click", (event) => {
    const link = event.target.closest?.(`a[href^='${base.pathname}sign-in?next=']`);
    if (!link || link.closest("dialog") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(() => {
      if (!typed() && !link.closest("#locked, #ended")) { location.reload(); return; }
      link.closest(".banner, .notice").hidden = true;
    });
  });

  /* what would be refused asks first: false, or a promise of whether the sign-in will do by now (send.js) */
  globalThis.signedIn = {
    signIn: open,
    doubtful: (form) => {
      const fresh = Number(form.closest("[data-fresh]")?.dataset.fresh) * 60_000;
      const doubt = () => state.locked || state.ended || (fresh > 0 && Date.now() - state.signedIn > fresh);
      const late = lockAfter > 0 && Date.now() - state.told > lockAfter - step;
      return (doubt() || late) && (late ? ask("GET") : Promise.resolve()).then(() => !doubt());
    },
  };
})();
