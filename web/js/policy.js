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
      form.dispatchEvent(new Event("input"));
    });
  }

  /* the sum of the weights ------------------------------------------------------------ */
  const weights = all("[data-sums] input"), sum = form.querySelector("[data-sum]");
  const showSum = () => {
    const total = weights.reduce((so_far, { valueAsNumber }) => so_far + (valueAsNumber || 0), 0);
    const text = String(Math.round(total * 1e9) / 1e9);
    if (sum.textContent !== text) sum.textContent = text;
  };

  /* what differs from the policy in force ------------------------------------------------ */
  const tally = form.querySelector("[data-changes]"), discard = form.querySelector("[data-discard]");
  const elsewhere = Number(tally.dataset.changes), marked = [...document.querySelectorAll("[data-count-of]")];
  const said = (control) => control.closest("label").querySelector("span").firstChild.textContent.trim();
  const settings = all("[data-field]").map((box) => {
    const controls = all("input, select, textarea", box), [first] = controls;
    const one = { box, controls, first, section: box.closest("section").getAttribute("aria-labelledby") };
    if (first.type === "radio") {
      one.now = () => controls.find(({ checked }) => checked)?.value;
      one.words = (value) => said(controls.find((radio) => radio.value === value));
      one.was = controls.find(({ defaultChecked }) => defaultChecked)?.value;
    } else if (first.type === "checkbox") {
      one.now = () => String(first.checked);
      one.words = (value) => (value === String(true) ? say("yes") : say("no"));
      one.was = String(first.defaultChecked);
    } else if (first.options) {
      one.now = () => first.value;
      one.words = (value) => [...first.options].find((option) => option.value === value)?.textContent ?? value;
      one.was = [...first.options].find(({ defaultSelected }) => defaultSelected)?.value;
    } else {
      const number = first.type === "number";
      one.now = () => (number ? first.value : first.value.trim());
      one.words = (value) => (value === "" ? say("empty") : [value.trim().replace(/\s*\n\s*/g, ", "), box.dataset.unit].filter(Boolean).join(" "));
      one.was = first.defaultValue;
    }
    one.was = box.dataset.now ?? one.was;
    one.same = () => one.now() === one.was || (first.type === "number" && first.value !== "" && Number(first.value) === Number(one.was));
    return one;
  }).filter(({ was }) => was !== undefined);
  // The old value stands below the field, and is read with it.
  const mark = ({ box, first, was, words }, changed) => {
    if (changed === box.hasAttribute("data-changed")) return;
    box.toggleAttribute("data-changed", changed);
    const id = `${first.id}-was`, at = box.getAttribute("role") === "radiogroup" ? box : first;
    document.getElementById(id)?.remove();
    const described = (at.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one && one !== id);
    if (changed) {
      const line = document.createElement("p");
      line.className = "was";
      line.id = id;
      line.textContent = say("was", words(was));
      const hint = document.getElementById(`${first.id}-hint`);
      if (hint) hint.before(line); else box.append(line);
      described.push(id);
    }
    if (described.length) at.setAttribute("aria-describedby", described.join(" ")); else at.removeAttribute("aria-describedby");
  };
  const showChanges = () => {
    const counts = {};
    let count = elsewhere;
    for (const one of settings) {
      const changed = !one.same();
      mark(one, changed);
      if (!changed) continue;
      count++;
      counts[one.section] = (counts[one.section] ?? 0) + 1;
    }
    const text = count ? say("changes", count) : say("no-changes");
    if (tally.textContent.trim() !== text) tally.textContent = text;
    tally.toggleAttribute("data-some", count > 0);
    discard.hidden = count === 0;
    for (const node of marked) {
      const n = counts[node.dataset.countOf] ?? 0;
      node.hidden = n === 0;
      node.querySelector("b").textContent = n;
    }
  };

  // A browser shows the line of a long text where one types; the whole field is to be seen.
  form.addEventListener("focusin", ({ target }) => { if (target.matches("textarea")) target.scrollIntoView({ block: "nearest" }); });

  /* the section that is in view, in the index ---------------------------------------------- */
  const links = [...document.querySelectorAll(".policy-index a")];
  const seen = new IntersectionObserver((entries) => {
    const entry = entries.findLast(({ isIntersecting }) => isIntersecting);
    if (!entry) return;
    const id = `#${entry.target.getAttribute("aria-labelledby")}`;
    for (const link of links) if (link.hash === id) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }, { rootMargin: "-20% 0px -75% 0px" });
  for (const section of document.querySelectorAll("main section[aria-labelledby]")) {
    if (links.some(({ hash }) => hash === `#${section.getAttribute("aria-labelledby")}`)) seen.observe(section);
  }

  /* the mark beside a floor is that of the level that is chosen; the preset's is known where the page came with it */
  const floors = all(".judgement-choice").map((cell) => ({ cell, select: cell.querySelector("select"), use: cell.querySelector("use"), came: cell.dataset.level, from: cell.querySelector("select").value }));
  const showFloors = () => {
    for (const { cell, select, use, came, from } of floors) {
      const slug = select.value === from ? came : select.value.toLowerCase(), known = select.value === from || select.value !== "preset";
      use.setAttribute("visibility", known ? "visible" : "hidden");
      if (!known) continue;
      cell.dataset.level = slug;
      use.setAttribute("href", use.getAttribute("href").replace(/\d$/, ["none", "low", "medium", "high", "critical"].indexOf(slug)));
    }
  };

  const show = () => { draw(); showPreset(); showSum(); showChanges(); showFloors(); };
  form.addEventListener("input", show);
  window.addEventListener("pageshow", show); // a browser may put back what was typed
  show();
})();
