// The policy form: marks that can be dragged on the scale, presets without a round trip, the sum of the weights.
// The number inputs and the radios are the form; all that stands here writes into them and draws what they say.
(() => {
  const form = document.getElementById("policy"), scale = form?.querySelector("[data-scale]");
  if (!scale) return;
  const all = (selector, from = form) => [...from.querySelectorAll(selector)];

  /* the scale -------------------------------------------------------------------- */
  const least = 0.01; // between two marks, and from the ends; a number input may go closer
  const named = (label) => { // as it is seen
    const seen = label?.cloneNode(true);
    seen?.querySelectorAll(".visually-hidden, svg").forEach((hidden) => hidden.remove());
    return seen?.textContent.trim().replace(/\s+/g, " ") ?? "";
  };
  const marks = all("[data-mark]", scale).map((node) => ({
    node, place: node.parentNode, input: document.getElementById(node.dataset.mark),
    label: named(document.getElementById(node.dataset.mark)?.labels[0]),
  })).filter((mark) => mark.input);
  const segments = all("[data-segment]", scale), shapes = all("[data-shape]", scale);
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const round = (value) => Math.round(value * 100) / 100;
  const percent = (value) => `${Math.round(value * 100000) / 1000}%`;

  // Past scores that a mark went over since the policy in force.
  const past = all("[data-at]").map((bar) => ({ bar, at: Number(bar.dataset.at), count: Number(bar.dataset.count) }));
  const between = form.querySelector("[data-between]");
  const showPast = (at) => {
    if (!between) return;
    const spans = marks.map(({ node }, n) => [Number(node.dataset.was), at[n]].sort((a, b) => a - b));
    let count = 0;
    for (const one of past) {
      const moved = spans.some(([from, to]) => from <= one.at && one.at < to);
      one.bar.toggleAttribute("data-moved", moved);
      if (moved) count += one.count;
    }
    const text = count ? say("between", count) : "";
    if (between.textContent !== text) between.textContent = text;
  };

  // What the inputs say, kept in order and on the scale: a drawing never fails.
  const places = () => {
    let from = 0;
    return marks.map(({ input }) => (from = clamp(input.valueAsNumber || from, from, 1)));
  };
  const bounds = (n, at = places()) => {
    const low = round((n ? at[n - 1] : 0) + least);
    return [low, Math.max(low, n + 1 < at.length ? round(at[n + 1] - least) : 1)];
  };
  const draw = () => {
    const at = places();
    marks.forEach(({ node, place }, n) => {
      place.setAttribute("x", percent(at[n]));
      const [low, high] = bounds(n, at);
      node.setAttribute("aria-valuemin", low);
      node.setAttribute("aria-valuemax", Math.max(high, at[n]));
      node.setAttribute("aria-valuenow", at[n]);
      node.setAttribute("aria-valuetext", at[n].toFixed(2));
    });
    segments.forEach((rect, n) => {
      const from = n ? at[n - 1] : 0, to = at[n] ?? 1;
      rect.setAttribute("x", percent(from));
      rect.setAttribute("width", percent(Math.max(0, to - from)));
      shapes[n].setAttribute("x", percent((from + to) / 2));
      shapes[n].setAttribute("visibility", to - from < 0.04 ? "hidden" : "visible");
    });
    showPast(at);
  };
  // A mark goes as far as its neighbours, and never past them.
  const move = (n, value) => {
    if (!Number.isFinite(value)) return;
    const [low, high] = bounds(n);
    marks[n].input.value = clamp(round(value), low, high).toFixed(2);
    marks[n].input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const steps = { ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };
  marks.forEach(({ node, label }, n) => {
    node.setAttribute("role", "slider");
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-label", say("mark", label));
    node.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = places()[n], ends = { Home: bounds(n)[0], End: bounds(n)[1] };
      const to = Object.hasOwn(steps, event.key) ? at + steps[event.key] : ends[event.key];
      if (to === undefined) return;
      event.preventDefault();
      move(n, to);
    });
  });
  // Two marks may lie on top of each other: the pointer takes the nearest one, and
  // of two at the same place the one that can still go its way.
  const valueAt = (event) => {
    const box = scale.getBoundingClientRect();
    return box.width ? (event.clientX - box.left) / box.width : NaN;
  };
  let held = -1;
  scale.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.target.closest("[data-mark]")) return;
    const value = valueAt(event), at = places();
    held = at.reduce((best, place, n) => {
      const nearer = Math.abs(place - value) - Math.abs(at[best] - value);
      return nearer < 0 || (nearer === 0 && value > place) ? n : best;
    }, 0);
    marks[held].node.toggleAttribute("data-held", true);
    scale.setPointerCapture(event.pointerId);
    marks[held].node.focus({ preventScroll: true });
    event.preventDefault();
  });
  scale.addEventListener("pointermove", (event) => { if (held >= 0) move(held, valueAt(event)); });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    scale.addEventListener(end, () => { if (held >= 0) marks[held].node.removeAttribute("data-held"); held = -1; });
  }
  scale.removeAttribute("aria-hidden");
  scale.setAttribute("role", "group");
  scale.setAttribute("aria-label", say("levels-begin"));

  /* presets ------------------------------------------------------------------------- */
  const presets = all("[data-preset]"), custom = form.querySelector("[data-custom]");
  const names = ["low", "medium", "high", "critical"].map((level) => `challenges.${level}`);
  const chosen = () => names.map((name) => form.querySelector(`input[name="${name}"]:checked`)?.value ?? "").join(" ");
  const showPreset = () => {
    const now = chosen();
    let known = false;
    for (const button of presets) {
      const is = button.dataset.preset === now;
      button.setAttribute("aria-pressed", is);
      known ||= is;
    }
    custom.hidden = known;
  };
  for (const button of presets) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      button.dataset.preset.split(" ").forEach((value, n) => {
        const radio = form.querySelector(`input[name="${names[n]}"][value="${value}"]`);
        if (radio) radio.checked = true;
      });
      showPreset();
    });
  }

  /* the sum of the weights ------------------------------------------------------------ */
  const weights = all("[data-sums] input"), sum = form.querySelector("[data-sum]");
  const showSum = () => {
    const total = weights.reduce((so_far, { valueAsNumber }) => so_far + (valueAsNumber || 0), 0);
    const text = String(Math.round(total * 1e9) / 1e9);
    if (sum.textContent !== text) sum.textContent = text;
  };

  const show = () => { draw(); showPreset(); showSum(); };
  form.addEventListener("input", show);
  window.addEventListener("pageshow", show); // a browser may put back what was typed
  show();
})();
