// Sending a form: the one place that every POST of a page passes.
//
// Where the sign-in is doubtful it is renewed first (session.js). What belongs to a request is
// sent in the background, so that the page and what was typed in it stay until the answer is here;
// the answer says where to go on. Everything else is left to the browser.
(() => {
  const request = document.querySelector("[data-request]"), bar = byId("not-sent");
  const { doubtful, signIn } = globalThis.signedIn ?? { doubtful: () => false };
  const answerWithin = 30_000; // milliseconds: the server needs a fraction of it, so it does not answer any more

  // A page that is drawn again begins where what was sent is told.
  const { then, ...kept } = history.state ?? {};
  if (then) {
    history.replaceState(kept, "");
    document.querySelector(then)?.focus({ preventScroll: true });
  }

  const passed = new WeakSet();
  let failed = null;
  const home = bar?.parentElement;
  const keep = (form, submitter) => {
    failed = { form, submitter };
    (form.matches(":popover-open") ? form : home).prepend(bar); // which lies over the rest of the page
    bar.hidden = false;
    bar.scrollIntoView({ block: "nearest" });
  };

  // Sent twice on a doubt, the server tells: a decision is made once, and an answer counts once.
  const post = async (form, submitter) => {
    if (form.ariaBusy) return;
    form.ariaBusy = "true"; // until the answer's page takes over
    bar.hidden = true;
    let answer;
    try {
      answer = await fetch(form.action, {
        method: "POST", body: new URLSearchParams(new FormData(form, submitter)), headers: { "Countersign-Page": "stays" },
        redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(answerWithin),
      });
    } catch { /* no answer */ }
    const next = answer?.headers.get("content-location");
    if (answer?.status === 204 && next) {
      document.dispatchEvent(new CustomEvent("countersign:sent", { detail: { form } }));
      const to = new URL(next, location.href);
      // What was said comes back by the feed, so that nothing else on the page is lost.
      if (form.matches("[data-stays]") && to.search === "" && byId("live")?.dataset.state === "live") {
        form.reset();
        form.ariaBusy = null;
        form.querySelector("textarea").focus();
        return;
      }
      if (to.pathname + to.search !== location.pathname + location.search) location.assign(to);
      else { history.replaceState({ ...history.state, then: form.dataset.then }, "", to); location.reload(); } // an address that differs in its fragment only would not be fetched
      return;
    }
    form.ariaBusy = null;
    if (answer && signIn && (answer.type === "opaqueredirect" || answer.status === 401)) signIn(() => post(form, submitter));
    else keep(form, submitter);
  };

  // An answer that is a page of its own is drawn by the browser: the server is asked first whether it is there.
  const native = async (form, submitter) => {
    const check = bar && request?.contains(form);
    if (check && !await fetch(new URL("healthz", base), { cache: "no-store", signal: AbortSignal.timeout(answerWithin) }).then(({ ok }) => ok, () => false)) { keep(form, submitter); return; }
    passed.add(form);
    form.requestSubmit(submitter);
    passed.delete(form);
  };
  const send = (form, submitter) => {
    if (bar && request?.contains(form) && !form.elements.also?.checked) post(form, submitter);
    else native(form, submitter);
  };

  addEventListener("submit", (event) => {
    const form = event.target, submitter = event.submitter, method = submitter?.getAttribute("formmethod") || form.method;
    if (method !== "post" || passed.has(form) || form.closest("dialog")) return;
    const guarded = form.closest("main") || form.hasAttribute("data-locks"), ours = bar && request?.contains(form);
    const doubt = guarded && doubtful(form);
    if (!doubt && !ours) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!doubt) { send(form, submitter); return; }
    doubt.then((sure) => { if (sure) send(form, submitter); else signIn(() => send(form, submitter)); });
  }, true);
  byId("resend")?.addEventListener("click", () => failed && send(failed.form, failed.submitter));
})();
