// <cs-chart> draws a table that stands on the same page, with uPlot. The table is all the data that there is:
// columns whose head has data-draw are drawn, rows stand from left to right, numbers are the value of <data>.
// Colours are those of the legend's keys. uPlot styles by property, which the policy of the pages allows.
(() => {
  const number = new Intl.NumberFormat(document.documentElement.lang || "en");
  const tenths = (v) => String(+v.toFixed(1));
  const seconds = (v) => (v < 60 ? say("seconds", tenths(v)) : v < 3600 ? say("minutes", tenths(v / 60)) : say("hours", tenths(v / 3600)));
  const units = { count: (v) => number.format(v), seconds, share: (v) => say("share", String(Math.round(v * 100))), score: (v) => v.toFixed(2), points: tenths };
  // Steps of an axis: times in steps that people count in.
  const steps = { count: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7], seconds: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200], share: [0.05, 0.1, 0.2, 0.25, 0.5], score: [0.01, 0.02, 0.05, 0.1, 0.2, 0.25], points: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20] };

  const read = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    const value = (row, at) => { const text = row.cells[at].querySelector("data")?.value; return text ? Number(text) : null; };
    // A line of days begins with the first one that has something, and is a week at least.
    const drawn = heads.flatMap((head, at) => ("draw" in head.dataset && !("edge" in head.dataset) ? [at] : []));
    const all = [...table.tBodies[0].rows], first = all.findIndex((row) => drawn.some((at) => value(row, at)));
    const rows = !all[0]?.cells[0].querySelector("time") ? all : all.slice(Math.max(0, Math.min(first, all.length - 7)));
    return {
      labels: rows.map((row) => row.cells[0].dataset.short ?? row.cells[0].textContent.trim()),
      series: heads.flatMap((head, at) => ("draw" in head.dataset ? [{
        name: head.textContent.trim(), edge: "edge" in head.dataset,
        values: rows.map((row) => value(row, at)),
        texts: rows.map((row) => row.cells[at].querySelector("data")?.textContent.trim() ?? row.cells[at].textContent.trim()),
      }] : [])),
    };
  };

  // Each one with those below it added, the whole pile first, so that the smaller ones are drawn over it.
  const pile = (series) => {
    let below = series[0].values.map(() => 0);
    return series.map((one) => ({ ...one, values: (below = one.values.map((v, i) => v + below[i])) })).reverse();
  };

  // The end of an axis: the next round number, so that the topmost line is above the data.
  const ceiling = (most, unit) => {
    if (!(most > 0)) return 1;
    if (unit === "share") return Math.min(1, Math.ceil(most * 4) / 4);
    const step = steps[unit].find((one) => most / one <= 5) ?? 10 ** Math.floor(Math.log10(most));
    return Math.ceil(+(most / step).toFixed(6)) * step;
  };

  // Where the reader's own colours are forced, bars differ by texture; the keys have the same.
  const forced = matchMedia("(forced-colors: active)");
  const strokes = [[], [[0, 8, 8, 0], [-2, 2, 2, -2], [6, 10, 10, 6]], [[0, 2, 8, 2], [0, 6, 8, 6]], [[2, 0, 2, 8], [6, 0, 6, 8]], [[0, 0, 8, 8], [0, 8, 8, 0]]];
  const texture = (i) => {
    const tile = document.createElement("canvas"), pen = tile.getContext("2d");
    tile.width = tile.height = 8;
    pen.fillStyle = i ? "canvas" : "canvastext";
    pen.strokeStyle = "canvastext";
    pen.lineWidth = 1.5;
    pen.fillRect(0, 0, 8, 8);
    for (const [x, y, toX, toY] of strokes[i] ?? []) { pen.moveTo(x, y); pen.lineTo(toX, toY); }
    pen.stroke();
    return pen.createPattern(tile, "repeat");
  };

  class Chart extends HTMLElement {
    connectedCallback() {
      this.table = document.getElementById(this.dataset.table);
      this.table.closest("details").open = false;
      this.canvas = document.createElement("div");
      this.readout = document.createElement("p");
      this.readout.className = "readout";
      this.replaceChildren(this.canvas, this.readout);
      this.draw();
      this.resized = new ResizeObserver(() => { if (this.plot && this.clientWidth && this.clientWidth !== this.plot.width) this.plot.setSize(this.size()); });
      this.resized.observe(this);
      this.themed = new MutationObserver(() => this.draw());
      this.themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      this.dark = matchMedia("(prefers-color-scheme: dark)");
      this.again = () => this.draw();
      this.dark.addEventListener("change", this.again);
      forced.addEventListener("change", this.again);
    }

    disconnectedCallback() {
      this.resized.disconnect();
      this.themed.disconnect();
      this.dark.removeEventListener("change", this.again);
      forced.removeEventListener("change", this.again);
      this.plot?.destroy();
    }

    size() { return { width: this.clientWidth || 320, height: 200 }; }

    draw() {
      const { kind, unit } = this.dataset, { labels, series } = read(this.table);
      const keys = [...this.parentElement.querySelectorAll(".legend .key")].map((key) => getComputedStyle(key).color);
      series.forEach((one, i) => { one.color = forced.matches ? "canvastext" : keys[i]; one.fill = forced.matches ? texture(i) : keys[i]; one.second = i > 0; });
      const style = getComputedStyle(this), ink = style.color, line = style.borderTopColor;
      const drawn = kind === "stack" ? pile(series) : series;
      const width = kind === "pair" ? [0.36, 28] : [0.72, 32];
      const paths = (i) => (kind === "lines" ? uPlot.paths.linear() : uPlot.paths.bars({ size: width, align: kind === "pair" ? [-1, 1][i] ?? 0 : 0 }));
      const edges = drawn.flatMap((one, i) => (one.edge ? [i + 1] : []));
      const font = `11px ${style.fontFamily}`;
      this.plot?.destroy();
      this.plot = new uPlot({
        ...this.size(),
        legend: { show: false },
        padding: [12, 20, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === "lines" } },
        scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: (_, min, max) => [0, ceiling(max, unit)] } },
        axes: [
          { stroke: ink, font, size: 28, grid: { show: false }, ticks: { show: false }, splits: (u) => this.splits(u, labels), values: (_, at) => at.map((i) => labels[i]) },
          { stroke: ink, font, size: 52, space: 30, incrs: steps[unit], grid: { stroke: line, width: 1 }, ticks: { show: false }, values: (_, at) => at.map(units[unit]) },
        ],
        bands: edges.length === 2 ? [{ series: [edges[1], edges[0]], fill: `color-mix(in srgb, ${drawn[edges[0] - 1].color} 14%, transparent)` }] : [],
        series: [{}, ...drawn.map((one, i) => ({
          label: one.name, stroke: one.color, fill: kind === "lines" ? undefined : () => one.fill, paths: paths(i),
          width: kind === "lines" ? (one.edge ? 1 : 2) : +forced.matches, dash: one.edge ? [4, 4] : one.second && kind === "lines" ? [8, 3] : undefined,
          points: { show: kind === "lines" && !one.edge, size: 5, fill: one.color },
        }))],
        hooks: { setCursor: [(u) => this.say(u.cursor.idx, labels, series)] },
      }, [labels.map((_, i) => i), ...drawn.map((one) => one.values)], this.canvas);
      this.dataset.drawn = "";
    }

    // Names under the chart: as many as fit, the last one among them.
    splits(u, labels) {
      const widest = Math.max(...labels.map((label) => label.length)) * 6.5 + 14;
      const step = Math.max(1, Math.ceil((labels.length * widest) / Math.max(1, u.bbox.width / devicePixelRatio)));
      const at = [];
      for (let i = labels.length - 1; i >= 0; i -= step) at.unshift(i);
      return at;
    }

    // What the row under the pointer says, in the words of the table.
    say(i, labels, series) {
      this.readout.textContent = i === null || i === undefined ? "" : `${labels[i]}: ${series.map((one) => `${one.name} ${one.texts[i] || say("no-value")}`).join(", ")}`;
    }
  }
  customElements.define("cs-chart", Chart);
})();
