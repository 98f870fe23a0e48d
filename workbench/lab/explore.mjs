// Explorers: pictures drawn from numbers, moved by sliders, typed values, a dragged point and keys.
//
// A form has controls, a first chart, and perhaps a grid: charts at the stops of one or two controls. What is not in
// the grid is asked of a kernel, where there is one; until it answers, the old picture stands under a veil.

const SVG = "http://www.w3.org/2000/svg", FAR = 1e100, MARKED = 60, INK = "#222222", GREY = "#6b6b6b";
const FACE = "var(--jp-layout-color1, Canvas)", { log10, min, max, floor, ceil, abs } = Math;
const SHAPES = {
  o: "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0z", ".": "M-.6,0a.6,.6 0 1,0 1.2,0a.6,.6 0 1,0 -1.2,0z",
  s: "M-.9-.9H.9V.9H-.9z", D: "M0-1.2L1.2,0L0,1.2L-1.2,0z", "^": "M0-1.2L1.1,.8H-1.1z", v: "M0,1.2L1.1-.8H-1.1z",
  P: "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4z", X: "M-1-.6L-.6-1L1,.6L.6,1zM1-.6L.6-1L-1,.6L-.6,1z"
};

const make = (parent, tag, given = {}, text = "") => {
  const drawn = parent.namespaceURI === SVG || tag === "svg";
  const one = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(given)) one.setAttribute(name, value);
  if (text !== "") one.textContent = text;
  return parent.appendChild(one);
};

// Numbers

const raised = (power) => [...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(c)]).join("");

/** A number as it is read: thousands apart, small and huge ones with a power of ten. */
export function say(value, digits = 3) {
  const size = abs(value);
  if (typeof value === "string") return value;
  if (value == null || !Number.isFinite(value) || size >= FAR) return value > 0 ? "∞" : "–";
  if (size < 1e-12) return "0";
  if (size >= 1e4 && size < 1e6) return Math.round(value).toLocaleString("en").replaceAll(",", "\u2009");
  if (size >= 1e-3 && size < 1e4) return String(Number(value.toPrecision(size < 1000 ? digits : 4))).replace("-", "−");
  const [mantissa, power] = value.toExponential(digits - 1).split("e"), ten = `10${raised(Number(power))}`;
  return Number(mantissa) === 1 ? ten : `${Number(mantissa)}·${ten}`;
}

function typed(value) {
  if (typeof value !== "number") return JSON.stringify(value);
  return value && abs(value) < 1e-3 ? value.toExponential() : String(Number(value.toPrecision(12)));
}

const short = (value, whole) => whole ? Math.round(value) : Number(Number(value).toPrecision(3));
const apart = (a, b) => typeof b !== "number" ? Number(a !== b) : a > 0 && b > 0 ? abs(log10(a / b)) : abs(a - b);
const nearest = (stops, value) => stops.reduce((best, one) => apart(one, value) < apart(best, value) ? one : best);

const through = (log) => log ? [log10, (one) => 10 ** one] : [Number, Number];
const scale = (low, high, log, from, to) => {
  const [by, back] = through(log), span = by(high) - by(low) || 1;
  const at = (value) => from + (to - from) * (by(value) - by(low)) / span;
  at.back = (place) => back(by(low) + span * (place - from) / (to - from));
  return Object.assign(at, { low, high, log });
};

/** Round numbers between two ends: decades, or steps of 1, 2 and 5. */
function ticks({ low, high, log }, most) {
  const shown = (one) => one >= low - 1e-9 * abs(low) && one <= high + 1e-9 * abs(high);
  if (log && high / low > 4) {
    const first = floor(log10(low)), last = ceil(log10(high)), few = log10(high / low) < 2.5;
    const decades = Array.from({ length: last - first + 1 }, (_, k) => k + first);
    const found = decades.flatMap((k) => (few ? [1, 2, 5] : [1]).map((m) => Number(`${m}e${k}`))).filter(shown);
    return found.filter((_, k) => k % ceil(found.length / most) === 0);
  }
  const unit = 10 ** floor(log10((high - low) / most));
  const step = [1, 2, 2.5, 5, 10].find((m) => m * unit >= (high - low) / most) * unit, first = ceil(low / step - 1e-9);
  return Array.from({ length: 2 * most + 2 }, (_, k) => Number(((first + k) * step).toPrecision(10))).filter(shown);
}

/** What an axis shows: the panel's own limits, or its data with a margin; as before where that fits and is filled. */
function ends(panel, axis, before) {
  const log = panel[`${axis}scale`] === "log", [by, back] = through(log);
  if (panel[`${axis}lim`]) return panel[`${axis}lim`];
  const parts = panel.series.flatMap((one) => axis === "x" ? one.x : [one.y, one.low, one.high].flat());
  const shown = parts.filter((one) => one != null && abs(one) < FAR && (!log || one > 0)).map(by);
  if (!shown.length) return log ? [1, 10] : [0, 1];
  const [low, high] = [min(...shown), max(...shown)];
  const margin = high > low ? 0.06 * (high - low) : log ? 0.3 : abs(high) / 2 || 1, now = [low - margin, high + margin];
  const [a, b] = before ? before.map(by) : now, both = [min(a, now[0]), max(b, now[1])];
  return (now[1] - now[0] > (both[1] - both[0]) / 3 ? both : now).map(back);
}

// Drawing

const ink = (colour) => colour === INK ? "currentColor" : colour ?? GREY;
const wrap = (text, most) => text.split(" ").reduce((lines, word) => {
  if (lines.length && lines.at(-1).length + word.length < most) lines[lines.length - 1] += ` ${word}`;
  else lines.push(word);
  return lines;
}, []);
const widest = (texts, font) => 0.64 * font * max(0, ...texts.map((one) => one.length));

/** Lines of words above, below or about a place. */
function write(root, lines, x, y, font, given = {}, hang) {
  const up = { above: 1, below: 0 }[hang] ?? 0.5;
  const one = make(root, "text", { "font-size": font, ...given });
  lines.forEach((line, k) => make(one, "tspan", { x, y: y + (k - up * (lines.length - 1)) * font * 1.15 }, line));
}

const seen = ([x, y]) => Number.isFinite(x + y);
const inside = ([x, y], box) => x >= box.x - 1 && x <= box.x + box.w + 1 && y >= box.y - 1 && y <= box.y + box.h + 1;
const trace = (points) => points.map((at, k) => seen(at)
  ? `${k && seen(points[k - 1]) ? "L" : "M"}${at.map((one) => one.toFixed(1))}` : "").join("");
const region = (upper, lower) => {
  const known = upper.map((_, k) => k).filter((k) => seen(upper[k]) && seen(lower[k]));
  return known.length > 1 ? `${trace(known.map((k) => upper[k]))}L${trace(known.reverse().map((k) => lower[k])).slice(1)}z` : "";
};

/** One curve; beside its prediction a measured one is points, and beside those a prediction is pale. */
function curve(root, one, place, [least, most], alone) {
  const { role } = one, colour = ink(one.colour), marked = role === "estimate" && one.x.length <= MARKED;
  const joined = !["rows", "bars"].includes(role) && !(marked && (one.joined === false || !alone));
  const points = one.x.map((x, k) => place(x, one.y[k] == null || abs(one.y[k]) >= FAR ? NaN : one.y[k]));
  const side = (values, other) => one.x.map((x, k) => place(x, min(max(values?.[k] ?? other, least), most)));
  const path = (kind, d, given) => d && make(root, "path", { class: `${kind} ${role}`, d, stroke: colour, ...given });
  const ground = max(least, 0), low = side(one.low, { bound: least, area: ground, bars: ground }[role]);
  const high = one.high && !["area", "bars"].includes(role) ? side(one.high) : points;
  if (joined) {
    path("shade", region(high, low), { fill: colour });
    path(`line${alone ? "" : " pale"}${one.hollow ? " hollow" : ""}`, trace(points));
  } else if (role !== "rows") {
    const gap = points.length > 1 ? max(...points[1].map((at, k) => abs(at - points[0][k]))) : 40;
    const width = role === "bars" ? max(4, 0.6 * gap) : 3;
    low.forEach((from, k) => seen(from) && path("bar", trace([from, high[k]]), { "stroke-width": width }));
  }
  if (!marked && role !== "rows") return;
  points.forEach((point, k) => {
    const beyond = one.y[k] >= FAR, at = beyond ? place(one.x[k], most) : point;
    const shape = SHAPES[beyond ? "^" : role === "rows" ? "." : one.marker ?? "o"];
    const transform = `translate(${at}) scale(${role === "rows" ? 3 : 4.5})`;
    if (seen(at)) path("dot", shape, { transform, fill: one.hollow ? FACE : colour });
  });
}

/** What stands on a plot: a ring, words, a line, a span, an arrow. */
function mark(root, one, place, box, font) {
  const [x, y] = place(one.x ?? NaN, one.y ?? NaN), [x2, y2] = place(one.x2 ?? NaN, one.y2 ?? NaN);
  const middle = (x + x2) / 2, top = y > box.y && y < box.y + box.h ? y : box.y + font;
  const beside = one.side || (x < box.x + 0.7 * box.w ? "right" : "left"), stroke = ink(one.colour);
  const [d, at, side] = {
    region: ["", [x, y], ""],
    point: [`M${x - 7},${y}a7,7 0 1,0 14,0a7,7 0 1,0 -14,0`, [x, y], beside],
    vertical: [`M${x},${box.y}v${box.h}`, [x, top], beside],
    horizontal: [`M${box.x},${y}h${box.w}`, [x, y], one.side || "above"],
    span: [`M${x},${box.y}H${x2}v${box.h}H${x}z`, [middle, top], ""],
    arrow: [`M${x},${y}L${x2},${y2}`, [middle, (y + y2) / 2], one.side || "right"]
  }[one.kind];
  make(root, "path", { class: `mark ${one.kind}`, d, stroke, fill: stroke });
  if (!one.text) return;
  const [across, up, anchor] = {
    left: [-9, font / 3, "end"], right: [9, font / 3, "start"], above: [0, -9, "middle"], below: [0, font + 4, "middle"]
  }[side] ?? [0, font / 3, "middle"];
  const style = { class: one.kind, fill: stroke, "text-anchor": seen(at) ? anchor : "start" };
  write(root, wrap(one.text, 26), (seen(at) ? at[0] : box.x + 6) + across, at[1] + up, font, style, side);
}

/** Names right of the ends of lines, pushed apart. */
function names(root, series, place, box, font) {
  const items = series.map((one) => {
    const shown = one.x.map((x, k) => place(x, one.y[k] ?? NaN)).filter((at) => inside(at, box));
    const lines = wrap(one.label, box.most), end = shown.length && shown.reduce((a, b) => b[0] > a[0] ? b : a);
    return { lines, colour: ink(one.colour), y: end[1], half: 1 + 1.15 * font * lines.length / 2 };
  }).filter((one) => one.y !== undefined).sort((a, b) => a.y - b.y);
  let edge = -Infinity;
  for (const one of items) {
    one.y = max(one.y, edge + one.half);
    edge = one.y + one.half;
  }
  edge = box.y + box.h + font;
  for (const one of items.reverse()) {
    one.y = min(one.y, edge - one.half);
    edge = one.y - one.half;
    write(root, one.lines, box.x + box.w + 8, one.y + font / 3, font, { class: "name", fill: one.colour });
  }
}

/** One pair of axes in a part of the picture; named rows stand one below the other, and y runs to the right. */
function axes(root, panel, outer, font, before, abreast) {
  const flip = panel.names?.length > 0, [across, up] = flip ? ["y", "x"] : ["x", "y"];
  const labelled = abreast ? [] : panel.series.filter((one) => one.label && one.x.length);
  const right = min(outer.w * 0.42, max(1.2 * font, widest(labelled.flatMap((one) => wrap(one.label, 22)), font) + 12));
  const side = flip ? [] : wrap(panel.ylabel, max(12, (outer.h - 5 * font) / (0.55 * font)));
  const left = flip ? min(outer.w * 0.34, widest(panel.names, font) + 12) : (3.45 + 1.15 * side.length) * font;
  const heads = wrap(panel.title, max(20, outer.w / (0.56 * font)));
  const note = panel.note ? wrap(panel.note, max(20, outer.w / (0.5 * font))) : [];
  const box = { x: outer.x + left, y: outer.y + font * 1.3 * heads.length + 8, w: outer.w - left - right };
  box.most = min(22, max(8, floor((right - 8) / (0.58 * font))));
  box.h = outer.y + outer.h - box.y - font * (note.length ? 3.3 + 1.1 * note.length : 3.1);
  const limits = { x: flip ? [0.4, panel.names.length + 0.6] : ends(panel, "x", before?.limits.x), y: ends(panel, "y", before?.limits.y) };
  if (panel.equal) {
    const unit = max((limits.x[1] - limits.x[0]) / box.w, (limits.y[1] - limits.y[0]) / box.h) / 2;
    for (const [axis, long] of [["x", box.w], ["y", box.h]]) {
      const middle = (limits[axis][0] + limits[axis][1]) / 2;
      limits[axis] = [middle - unit * long, middle + unit * long];
    }
  }
  const h = scale(...limits[across], panel[`${across}scale`] === "log", box.x, box.x + box.w);
  const v = scale(...limits[up], panel[`${up}scale`] === "log", box.y + (flip ? 0 : box.h), box.y + (flip ? box.h : 0));
  const place = flip ? (x, y) => [h(y), v(x)] : (x, y) => [h(x), v(y)];
  const read = (scale, long) => ticks(scale, max(3, floor(long))).map((one) => [scale(one), say(one)]);
  const bottom = box.y + box.h, middle = box.x + box.w / 2;
  write(root, heads, outer.x, outer.y + font, font, { class: "head" }, "below");
  for (const [at, words] of read(h, box.w / (5 * font))) {
    make(root, "path", { class: "grid", d: `M${at},${box.y}V${bottom}` });
    write(root, [words], at, bottom + 1.2 * font, font);
  }
  for (const [at, words] of flip ? panel.names.map((one, k) => [v(k + 1), one]) : read(v, box.h / (3 * font))) {
    make(root, "path", { class: "grid", d: `M${box.x},${at}h${box.w}` });
    write(root, [words], box.x - 6, at + font / 3, font, { "text-anchor": "end" });
  }
  write(root, [flip ? panel.ylabel : panel.xlabel], middle, bottom + 2.5 * font, font);
  write(root, side, 0, 0, font, { transform: `translate(${outer.x + font},${box.y + box.h / 2}) rotate(-90)` }, "below");
  write(root, note, outer.x, outer.y + outer.h - 4, font, { class: "note" }, "above");
  const frame = { x: box.x, y: box.y, width: box.w, height: box.h, viewBox: `${box.x} ${box.y} ${box.w} ${box.h}` };
  const inner = make(root, "svg", frame), other = { theory: "estimate", estimate: "theory" };
  for (const one of panel.series) {
    const pair = panel.series.some((two) => two.role === other[one.role] && two.colour === one.colour);
    curve(inner, one, place, limits.y, !pair);
  }
  for (const one of panel.marks ?? []) mark(root, one, place, box, 0.95 * font);
  names(root, labelled, place, box, 0.95 * font);
  return { panel, box, h, v, place, limits, inner };
}

// Grids and maps

/** One cell of a folded grid: what differs between cells stands in lists. */
export function pick(node, k) {
  if (Array.isArray(node)) return node.map((one) => pick(one, k));
  if (node === null || typeof node !== "object") return node;
  if ("$" in node) return node.$[node.at ? node.at[k] : k];
  return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, pick(one, k)]));
}

/** A value between places, on straight logarithms. */
function between(places, values, at) {
  const found = places.findIndex((one) => one >= at), k = found < 0 ? places.length - 1 : max(found, 1);
  const share = log10(at / places[k - 1]) / log10(places[k] / places[k - 1]), [a, b] = [values[k - 1], values[k]];
  if (a >= FAR || b >= FAR) return share >= 1 - 1e-9 ? b : share <= 1e-9 ? a : Infinity;
  return a * (b / a) ** share;
}

/** The least place at which falling values are at most a target. */
function reached(places, values, target) {
  const k = values.findIndex((one) => one <= target * (1 + 1e-9));
  if (k < 1) return k ? NaN : places[0];
  const [a, b] = [values[k - 1], values[k]];
  return a >= FAR || a === b ? places[k] : places[k - 1] * (places[k] / places[k - 1]) ** (log10(a / target) / log10(a / b));
}

const column = (table, epsilon) => table.error.map((row) => between(table.epsilon, row, epsilon));
const errorAt = (table, n, epsilon) => between(table.n, column(table, epsilon), n);

/** One of n, ε, δ and α from the others; a δ from the tables at several. */
function solve(unknown, { n, epsilon, alpha }, table, tables, deltas) {
  if (unknown === "alpha") return errorAt(table, n, epsilon);
  if (unknown === "n") return reached(table.n, column(table, epsilon), alpha);
  if (unknown === "epsilon") return reached(table.epsilon, table.epsilon.map((one) => errorAt(table, n, one)), alpha);
  return reached(deltas, tables.map((one) => errorAt(one, n, epsilon)), alpha);
}

// The explorer

const same = (a, b) => a && b && ["xlabel", "ylabel", "xscale", "yscale"].every((name) => a[name] === b[name]);
const CURVES = ["theory", "estimate"], STEP = 900; // ms of a frame

/** Show an explorer in an element; `ask` sends a message to a kernel, whose replies go to `answer`. */
export function mount(host, form, ask) {
  const { controls, trade, grid } = form, of = Object.fromEntries(controls.map((one) => [one.name, one]));
  const values = Object.fromEntries(controls.map((one) => [one.name, one.value])), put = {};
  let turn = 0, waiting = false, simulating = false, begun = performance.now(), timer = null;
  let chart = form.chart, kept = null, drawn = [];

  host.classList.add("workbench-explorer");
  host.dataset.name = form.name;
  const rows = make(host, "div", { class: "moves" }), title = make(host, "h4"), picture = make(host, "div", { class: "picture" });
  const legend = make(picture, "div"), canvas = make(picture, "div"), sentence = make(host, "p", { "aria-live": "polite" });
  const difference = make(host, "p"), status = make(host, "p", { role: "status" }), buttons = make(host, "div", { class: "moves" });
  make(picture, "div", { class: "veil" }, "computing …");
  const fold = make(rows, "details"), more = make(fold, "div");
  make(fold, "summary", {}, "more");
  for (const one of controls) control(one.more ? more : rows, one);
  rows.append(fold); // last, for the keyboard too
  const button = (words, act) => Object.assign(make(buttons, "button", { type: "button" }, words), { onclick: act });
  button("reset", () => { drawn = []; move(Object.fromEntries(controls.map((one) => [one.name, one.value]))); });
  const keeper = button("keep this curve", () => { kept = kept ? null : { chart, words: where() }; draw(); });
  button("copy as code", () => copied(chart.code ?? `${form.code}${controls.map(({ name }) => `, ${name}=${typed(values[name])}`).join("")})`));
  if (!ask) button("link", () => {
    const url = new URL(location.href);
    url.searchParams.set(form.name, JSON.stringify(values));
    copied(url.href);
  });
  if (ask && form.runs) button(`simulate ${form.runs} runs`, () => {
    simulating = true;
    status.textContent = `simulating ${form.runs} runs; any move stops it`;
    ask({ id: turn, values: { ...values }, runs: form.runs });
  });
  if (form.play) button("play", play);
  button("full screen", () => document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen());
  host.addEventListener("keydown", (event) => ["Escape", "Tab"].includes(event.key) || event.stopPropagation());
  picture.onpointermove = (event) => picture.hasPointerCapture(event.pointerId) ? dragged(event) : hovered(event);
  picture.onpointerdown = (event) => trade && drawn[0] && dragged(event);
  const watch = new ResizeObserver(() => { if (abs(picture.clientWidth - canvas.firstChild?.viewBox.baseVal.width) > 2) draw(); });
  const asked = JSON.parse((!ask && new URLSearchParams(location.search).get(form.name)) || "{}");
  for (const name of Object.keys(asked).filter((one) => of[one])) put[name](fitting(name, asked[name]));
  if (chart && controls.every((one) => values[one.name] === one.value)) arrive(chart);
  else move({});
  watch.observe(picture);

  function control(root, { name, label, options, stops, texts, unit, meaning, low, high, whole, value }) {
    const row = make(root, "label", { title: meaning ?? "" });
    row.hidden = !ask && !grid?.over.includes(name) && !trade;
    make(row, "span", {}, label);
    const given = options ? {} : { type: "range", min: 0, max: stops.length - 1, "aria-label": label };
    const places = options ?? stops, chooser = make(row, options ? "select" : "input", { name, ...given });
    options?.forEach((option, k) => make(chooser, "option", { value: k }, texts?.[k] ?? String(option)));
    chooser.oninput = () => move({ [name]: places[chooser.value] });
    const field = !options && make(row, "input", { type: "text", inputmode: "decimal", name, "aria-label": `${label}, typed` });
    if (unit) make(row, "small", {}, unit);
    put[name] = (value) => {
      values[name] = value;
      chooser.value = places.indexOf(nearest(places, value));
      if (options) return;
      field.value = typed(value);
      chooser.setAttribute("aria-valuetext", `${field.value} ${unit}`.trim());
    };
    put[name](value);
    if (options) return;
    field.onchange = () => {
      const text = field.value.replace(/[,\s]/g, ""), asked = Number(text);
      const legal = text && asked >= low && asked <= high && !(whole && asked % 1);
      status.textContent = legal ? "" : `${label}: a ${whole ? "whole " : ""}number from ${say(low)} to ${say(high)}`;
      if (legal) move({ [name]: ask ? asked : fitting(name, asked) });
      else put[name](values[name]);
    };
  }

  /** What a control can have without a kernel: any number where a map is read, a stop elsewhere. */
  function fitting(name, value) {
    const { options, stops, low, high } = of[name];
    return trade && !options && name !== "delta" ? min(max(value, low), high) : nearest(options ?? stops, value);
  }

  /** The chart of the present values in the grid, if it is there. */
  function cell() {
    const fixed = ({ name, value }) => trade || grid.over.includes(name) || values[name] === value;
    if (!grid || !controls.every(fixed)) return null;
    const near = (name, at) => name === values.unknown ? nearest(at, values[name]) : values[name];
    const places = grid.over.map((name, k) => grid.at[k].indexOf(near(name, grid.at[k])));
    return places.includes(-1) ? null : pick(grid.charts, places.reduce((sum, place, k) => sum * grid.at[k].length + place, 0));
  }

  function move(to) {
    for (const [name, value] of Object.entries(to)) put[name](value);
    begun = performance.now();
    turn += 1;
    host.dataset.state = "computing";
    sentence.textContent = difference.textContent = "";
    if (simulating) {
      simulating = false;
      status.textContent = "the simulation was stopped";
      ask({ id: turn, stop: true });
    }
    const found = cell();
    if (found) arrive(found);
    else if (ask && !waiting) request();
  }

  function request() {
    waiting = true;
    ask({ id: turn, values: { ...values } });
  }

  function answer(reply) {
    if (reply.chart && !reply.runs) waiting = false;
    if (reply.id === turn) {
      if (reply.status) status.textContent = reply.status;
      if (reply.runs) simulating = !reply.done;
      if (reply.chart) arrive(reply.chart);
      if (reply.solved) { put[values.unknown](reply.solved); told(true); }
    }
    if (host.dataset.state === "computing" && !waiting) request();
  }

  function arrive(found) {
    chart = found;
    host.dataset.state = chart.error ? "refused" : "ready";
    sentence.setAttribute("role", chart.error ? "alert" : "note");
    sentence.textContent = chart.error ?? chart.caption ?? "";
    if (trade && !chart.error) settle();
    draw();
    host.dataset.took = Math.round(performance.now() - begun);
    host.dataset.turn = turn;
  }

  function draw() {
    const wide = picture.clientWidth || 960, { panels } = chart, before = drawn, focused = canvas.contains(document.activeElement);
    const font = max(13, min(parseFloat(getComputedStyle(host).fontSize) || 14, 26)), square = panels.every((one) => one.equal);
    const fit = max(1, floor(wide / ((square ? 13 : 26) * font))), lines = max(1, ceil(panels.length / fit));
    const columns = max(1, ceil(panels.length / lines)), w = wide / columns;
    const room = form.tall && max(8 * font, (form.tall - host.offsetHeight + picture.offsetHeight) / lines);
    const most = document.fullscreenElement === host ? innerHeight - 16 * font : room ?? 32 * font;
    const tall = ({ names, equal }) => names?.length ? min((1.9 * names.length + 7) * font, room ?? Infinity)
      : min(equal ? w : 0.62 * w, most);
    const high = max(0, ...panels.map(tall)), abreast = square && panels.length > 1;
    title.textContent = chart.title;
    legend.replaceChildren();
    const labelled = abreast ? panels.flatMap((one) => one.series).filter((one) => one.label) : []; // squares share a line of names
    const named = new Map(labelled.map((one) => [one.label, ink(one.colour)]));
    for (const [label, colour] of named) make(legend, "b", { style: `color:${colour}` }, label);
    canvas.replaceChildren();
    const words = { role: "img", "aria-label": `${chart.title}. ${chart.alt ?? ""}` };
    const root = make(canvas, "svg", { viewBox: `0 0 ${wide} ${high * ceil(panels.length / columns)}`, ...words });
    const head = { id: "we-arrow", viewBox: "-8 -4 8 8", refX: -1, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" };
    make(make(root, "marker", head), "path", { d: "M-8-4L0,0L-8,4z", fill: "context-stroke" });
    drawn = panels.map((panel, k) => {
      const outer = { x: (k % columns) * w, y: floor(k / columns) * high, w: w - 10, h: high };
      const filled = { ...panel, series: [...pale(panel, k), ...panel.series] };
      return axes(root, filled, outer, font, same(before[k]?.panel, panel) ? before[k] : null, abreast);
    });
    keeper.textContent = kept ? "drop the kept curve" : "keep this curve";
    difference.textContent = kept && host.dataset.state === "ready" ? compared() : "";
    if (trade && !chart.error) overlay(font);
    if (focused) canvas.querySelector("[tabindex]")?.focus({ preventScroll: true });
  }

  function pale(panel, k) {
    const old = kept?.chart.panels[k];
    if (!same(old, panel) || panel.names?.length) return [];
    return old.series.filter((one) => CURVES.includes(one.role)).map((one) => ({ ...one, label: "", role: "kept" }));
  }

  /** How each named curve differs from the kept one: the median of their ratios. */
  function compared() {
    const found = chart.panels.flatMap((panel, k) => panel.series.flatMap((one) => {
      const like = (other) => CURVES.includes(one.role) && other.role === one.role && one.label && other.label === one.label;
      const old = kept.chart.panels[k]?.series.find(like), at = new Map(old?.x.map((x, j) => [x, old.y[j]]));
      const ratios = one.x.map((x, j) => one.y[j] / at.get(x)).filter((r) => r > 0 && r < FAR).sort((a, b) => a - b);
      return ratios.length ? [`${one.label} ×${say(ratios[ratios.length >> 1], 2)}`] : [];
    }));
    return `Kept: ${kept.words}. Now, in the median over a curve: ${[...new Set(found)].slice(0, 4).join(", ") || "other curves"}.`;
  }

  function where() {
    return controls.filter((one) => one.name !== "unknown").map((one) => `${one.label} = ${say(values[one.name])}`).join(", ");
  }

  function copied(text) {
    status.textContent = text;
    navigator.clipboard?.writeText(text).catch(() => {});
  }

  function play() {
    const [{ name, stops }] = controls, next = () => stops[stops.indexOf(values[name]) + 1];
    const stop = () => { timer = clearInterval(timer); };
    if (timer) return stop();
    if (!next()) move({ [name]: stops[0] });
    timer = setInterval(() => next() ? move({ [name]: next() }) : stop(), STEP);
  }

  function pointed(event) {
    const frame = canvas.firstChild.getBoundingClientRect(), size = canvas.firstChild.viewBox.baseVal.width / frame.width;
    return [(event.clientX - frame.left) * size, (event.clientY - frame.top) * size];
  }

  /** Read the nearest point of a curve. */
  function hovered(event) {
    canvas.querySelector(".tip")?.remove();
    const at = pointed(event), far = (point) => Math.hypot(point.at[0] - at[0], point.at[1] - at[1]);
    const under = host.dataset.state === "ready" && drawn.find(({ box }) => inside(at, box));
    if (!under) return;
    const { panel: { series }, place, box } = under;
    const points = series.flatMap((one) => one.x.map((x, k) => ({ one, x, y: one.y[k], at: place(x, one.y[k] ?? NaN) })));
    const [best] = points.filter((point) => far(point) < 40).sort((a, b) => far(a) - far(b));
    if (!best) return;
    const [x, y] = best.at, tip = make(canvas.firstChild, "g", { class: "tip" });
    make(tip, "circle", { cx: x, cy: y, r: 6, stroke: ink(best.one.colour) });
    const words = wrap(`${best.one.label} (${say(best.x)}, ${say(best.y)})`.trim(), 26);
    write(tip, words, x, y - 12, 14, { "text-anchor": x > box.x + box.w / 2 ? "end" : "start" }, "above");
  }

  // The map of n and ε: a point, its line of equal error, and what no estimator can do

  function settle() {
    const deltas = grid?.at[0] ?? [values.delta];
    const tables = grid ? deltas.map((_, k) => pick(grid.charts, k).table) : [chart.table];
    for (const part of host.querySelectorAll("[name]")) part.disabled = part.name === values.unknown;
    const found = solve(values.unknown, values, chart.table, tables, deltas);
    if (found < FAR) put[values.unknown](short(found, of[values.unknown].whole));
    else values[values.unknown] = NaN;
    told(false);
    clearTimeout(timer);
    if (ask && turn) timer = setTimeout(() => ask({ id: turn, values: { ...values }, exact: values.unknown }), 250);
  }

  function told(exact) {
    const { n, epsilon, unknown } = values, { table } = chart, about = (name) => name === unknown && !exact ? "≈" : "=";
    const parts = trade.filter((name) => of[name]).map((name) => `${of[name].label} ${about(name)} ${say(values[name])}`);
    const noisy = errorAt(table, n, epsilon) > Math.SQRT2 * between(table.n, table.free, n); // noise is half of its square
    const limit = noisy ? "noise: privacy limits it" : "sampling: the sample limits it";
    sentence.textContent = values[unknown] > 0 ? `${parts.join(", ")}: the error is at most α in ${form.share}. Most of it is ${limit}.`
      : `Nothing on this map has that error: ${where()}.`;
  }

  function overlay(font) {
    const [{ inner, box, h, v, place }] = drawn, { table } = chart, { n, epsilon, alpha } = values, bottom = box.y + box.h;
    const line = table.epsilon.map((one) => place(one, reached(table.n, column(table, one), alpha)));
    if (table.least && alpha > 0) {
      const least = table.epsilon.map((one, k) => place(one, between(table.alpha, table.least.map((row) => row[k]), alpha)));
      make(inner, "path", { d: region(least, least.map(([x]) => [x, bottom])), class: "impossible" });
      const [x, y] = least[floor(0.75 * least.length)];
      if (y < bottom - 2 * font) write(inner, ["impossible"], x, (y + bottom) / 2, font);
    }
    make(inner, "path", { d: trace(line), class: "level" });
    if (!seen([n, epsilon])) return;
    const spoken = { role: "slider", "aria-label": "point on the map", "aria-valuetext": where(), "aria-valuenow": n, tabindex: 0 };
    const handle = make(inner, "circle", { class: "handle", cx: h(epsilon), cy: v(n), r: 9, ...spoken });
    handle.onkeydown = (event) => {
      const way = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, -6], ArrowDown: [0, 6] }[event.key];
      if (!way) return;
      event.preventDefault();
      point([h(epsilon) + way[0], v(n) + way[1]]);
    };
  }

  function dragged(event) {
    const at = pointed(event);
    if (!inside(at, drawn[0].box)) return;
    picture.setPointerCapture(event.pointerId);
    event.preventDefault();
    point(at);
  }

  /** Move the point; what is solved follows, and α where n or ε is what is solved. */
  function point([x, y]) {
    const [{ h, v }] = drawn, n = v.back(y);
    put.epsilon(short(fitting("epsilon", h.back(x))));
    put.n(Math.round(fitting("n", n > 1000 ? short(n) : n)));
    const error = errorAt(chart.table, values.n, values.epsilon);
    move(["n", "epsilon"].includes(values.unknown) && error < FAR ? { alpha: short(error) } : {});
  }

  return { answer, destroy: () => { watch.disconnect(); clearInterval(timer); host.replaceChildren(); } };
}

for (const form of globalThis.document?.querySelectorAll(".workbench-explorer > script[type='application/json']") ?? []) {
  const host = form.parentElement;
  host.replaceChildren();
  mount(host, JSON.parse(form.textContent), null);
}

export default {
  render({ model, el }) {
    const made = mount(make(el, "div"), JSON.parse(model.get("form")), (message) => model.send(message));
    model.on("msg:custom", made.answer);
    return () => { model.off("msg:custom", made.answer); made.destroy(); };
  }
};
