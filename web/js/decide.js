// What goes around a decision: going on to the next request, saying aloud how it ended and how long
// is left, and each person's own settings for that.
(() => {
  const request = document.querySelector("[data-request]");

  /* settings of this person: each is one of a few words, and the server keeps them */
  const settings = { advance: ["off", "on"], sound: ["off", "critical", "high", "all"] };
  const buttons = all("[data-setting]");
  const kept = (name) => buttons.find((button) => button.dataset.setting === name)?.dataset.value ?? settings[name][0];
  const words = {
    advance: { off: () => say("advance-off"), on: () => say("advance-on") },
    sound: { off: () => say("sound-off"), critical: () => say("sound-critical"), high: () => say("sound-high"), all: () => say("sound-all") },
  };
  const draw = () => buttons.forEach((button) => {
    button.hidden = false;
    button.querySelector("[data-word]").textContent = words[button.dataset.setting][button.dataset.value]();
  });
  const choose = async (choices) => {
    const body = new URLSearchParams({ advance: kept("advance"), sound: kept("sound"), ...choices });
    const answer = await fetch(buttons[0].dataset.url, { method: "POST", body }).catch(() => null);
    if (!answer?.ok) return false;
    buttons.forEach((button) => { button.dataset.value = body.get(button.dataset.setting); });
    draw();
    return true;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-setting]");
    if (!button) return;
    const name = button.dataset.setting, values = settings[name];
    const value = values[(values.indexOf(kept(name)) + 1) % values.length];
    if (name === "sound" && value !== "off") beep(4);
    announce(await choose({ [name]: value }) ? words[name][value]() : say("setting-lost"));
  });
  draw();
  // What an earlier version kept in the browser is taken over where nothing was chosen since.
  const earlier = {};
  try {
    for (const name of Object.keys(settings)) if (settings[name].includes(localStorage.getItem(name))) earlier[name] = localStorage.getItem(name);
  } catch { /* storage is off: nothing was kept */ }
  if (buttons.length > 0 && Object.keys(earlier).length > 0) {
    const done = "unchosen" in buttons[0].dataset ? choose(earlier) : Promise.resolve(true);
    done.then((ok) => { if (ok) for (const name of Object.keys(earlier)) localStorage.removeItem(name); });
  }

  /* sound: one to four short tones, as many as the level has in its shape */
  const ranks = { low: 1, medium: 2, high: 3, critical: 4 }, from = { critical: 4, high: 3, all: 1 };
  let audio; // made on the first tone: browsers allow none before somebody touched the page
  const beep = (times) => {
    audio ??= new AudioContext();
    for (let n = 0; n < times; n++) {
      const tone = audio.createOscillator(), gain = audio.createGain(), at = audio.currentTime + n * 0.18;
      tone.frequency.value = 440 + times * 110;
      gain.gain.setValueAtTime(0.12, at);
      gain.gain.exponentialRampToValueAtTime(0.001, at + 0.14);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.15);
    }
  };
  document.addEventListener("countersign:arrived", ({ detail: { highest } }) => {
    const rank = ranks[highest] ?? 0;
    if (kept("sound") !== "off" && rank >= from[kept("sound")]) beep(rank);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target.closest?.("textarea")?.form;
    if (form?.matches(".reason-form, .ask-form")) { event.preventDefault(); form.requestSubmit(form.querySelector("button[type=submit]")); }
  });

  /* how it ended, and what is next */
  const remember = (name, value) => { try { sessionStorage.setItem(name, value); } catch { /* storage is off: the page says it anyway */ } };
  const recall = (name) => { try { const value = sessionStorage.getItem(name); sessionStorage.removeItem(name); return value; } catch { return null; } };
  document.addEventListener("countersign:sent", ({ detail: { form } }) => {
    if (form.elements.verdict) remember("decided", request.dataset.request);
    if (form.id === "quiz") remember("answered", request.dataset.request);
  });
  if (new URLSearchParams(location.search).has("refused")) history.replaceState(null, "", location.pathname); // it is said once
  const textOf = (node) => node.textContent.trim().replace(/\s+/g, " ");
  const focus = (node) => { node.tabIndex = -1; node.focus({ preventScroll: true }); node.scrollIntoView({ block: "nearest" }); };
  // Who asked for Approve with its key gets there when it opens, if they did nothing else meanwhile.
  const toApprove = () => {
    const approve = document.querySelector("[data-approve]"), was = document.activeElement;
    if (!approve) return;
    if (!approve.disabled) { approve.focus(); return; }
    const opens = new MutationObserver(() => {
      opens.disconnect();
      if (!approve.disabled && document.activeElement === was) approve.focus();
    });
    opens.observe(approve, { attributes: true, attributeFilter: ["disabled"] });
  };
  document.addEventListener("countersign:approve-closed", toApprove);
  document.addEventListener("countersign:to-approve", () => remember("to-approve", request.dataset.request));
  const told = recall("told"), mine = recall("decided"), asked = recall("to-approve"), answered = recall("answered");
  if (told) announce(told);
  if (request) {
    const notice = request.querySelector(":scope > .notice, :scope > [data-outcome] > .notice"), bad = request.querySelector(":scope > .notice[role=alert]");
    const next = document.querySelector("[data-next]");
    if (request.hasAttribute("data-final") && mine === request.dataset.request && notice) {
      if (kept("advance") === "on" && next) {
        remember("told", textOf(notice.querySelector("strong")));
        location.replace(next.href);
      } else focus(notice); // which reads it out
    } else if (mine === request.dataset.request && notice && !bad) focus(notice); // approved, and others are waited for
    else if (bad && !request.hasAttribute("data-final")) focus(bad);
    else if (byId("typed")) byId("typed").focus(); // its label is the question
    else if (document.querySelector("#quiz legend")) focus(document.querySelector("#quiz legend"));
    else if (asked === request.dataset.request) toApprove();
    else if (answered === request.dataset.request && byId("missing")) focus(byId("missing")); // what is next; Tab leads to the button
  }

  /* time: said twice before it is over, and when somebody gave it more */
  const skew = (Date.parse(document.body.dataset.now) || Date.now()) - Date.now();
  let until, warned = Infinity; // what was said last, in seconds
  const warn = () => {
    const mark = request?.querySelector(".request-head [data-expires]"), end = Date.parse(mark?.dataset.expires); // a push replaces it
    if (Number.isNaN(end)) return;
    if (end > until) { warned = Infinity; announce(say("extended")); }
    until = end;
    const left = (end - Date.now() - skew) / 1000, due = [30, 120].find((step) => left <= step);
    if (due >= warned || due === undefined || left <= 0 || !byId("decision")) return;
    warned = due;
    announce(say("expires-in", Math.ceil(left)));
  };
  if (request) { warn(); setInterval(warn, 1000); }

  /* what was typed stays when the request ends meanwhile; what is being sent is no loss, and its answer says if it came too late */
  const outcome = document.querySelector("[data-outcome]");
  if (outcome) {
    new MutationObserver(() => {
      const text = all(".reason-form:not([aria-busy]) textarea, #word").map((field) => field.value).filter(Boolean).join("\n");
      if (!outcome.hasAttribute("data-closed") || !text || !byId("kept")) return;
      if (textOf(outcome).includes(text.trim().replace(/\s+/g, " "))) return; // it is the reason that counted, sent from another tab
      byId("kept-text").textContent = text;
      byId("kept").hidden = false;
      all("[popover].reason-form").forEach((form) => { if (form.matches(":popover-open")) form.hidePopover(); });
    }).observe(outcome, { attributes: true, childList: true });
  }

  /* CRITICAL: Enter leaves the typed target, a digit ticks a box, and the last one leads to the button */
  const gate = byId("gate"), boxes = () => all("input[type=checkbox][name^=consequence-]", gate ?? document).filter((box) => box.id !== "also-runs");
  gate?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.id === "target") { event.preventDefault(); (boxes()[0] ?? document.querySelector("[data-approve]")).focus(); }
  });
  document.addEventListener("keydown", (event) => {
    const box = gate && boxes()[Number(event.key) - 1];
    if (!box || document.querySelector("[data-single-keys]")?.checked === false || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("textarea, select, input:not([type=checkbox])")) return;
    event.preventDefault();
    box.click();
    box.focus();
    if (!boxes().some((other) => !other.checked)) toApprove();
  });
})();
