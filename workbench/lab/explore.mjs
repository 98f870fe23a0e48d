// Explorers: pictures drawn from numbers, moved by sliders, typed values, a dragged point and keys.
// A form has controls, the chart at their start, and perhaps a grid: charts at stops of one or two of them. A
// kernel is asked for the rest, under a veil; places on a plot are in percent of its sides (explore.css).

const FAR = 1e100, STEEP = 99, INK = "#222222", GREY = "#6b6b6b", HERE = "#D55E00", FACE = "var(--face)";
const FRAME = 900, CURVES = ["theory", "estimate"], AXES = ["xlabel", "ylabel", "xscale", "yscale"];
const { log10, min, max, floor, abs } = Math;
const SHAPES = {
  o: "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0z", s: "M-.9-.9H.9V.9H-.9z", D: "M0-1.2L1.2,0L0,1.2L-1.2,0z",
  "^": "M0-1.2L1.1,.8H-1.1z", v: "M0,1.2L1.1-.8H-1.1z", X: "M-1-.6L-.6-1L1,.6L.6,1zM1-.6L.6-1L-1,.6L-.6,1z",
  P: "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4z"
};
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const safe = (text) => String(text).replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
const each = (items, html) => [...items].map(html).join("");

const plain = (value) => value === 0 || (abs(value) >= 1e-3 && abs(value) < 1e6);

/** A number as it is read: thousands apart, small and huge ones with a power of ten. */
function say(value, digits = 3, short = plain(value)) {
  if (typeof value === "string") return value;
  if (value == null || !(abs(value) < FAR)) return value > 0 ? "∞" : "–";
  if (short) {
    const most = max(digits, 1 + floor(log10(abs(value) || 1)));
    return value.toLocaleString("en", { maximumSignificantDigits: most }).replace("-", "−");
  }
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const ten = `10${each(String(Number(power)), (one) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(one)])}`;
  return Number(mantissa) === 1 ? ten : `${Number(mantissa)}·${ten}`;
}

const typed = (value) => value > 0 && value < 1e-3 ? value.toExponential() : JSON.stringify(value);
const short = (value, whole) => whole ? Math.round(value) : Number(Number(value).toPrecision(3));
const apart = (a, b) => a > 0 && b > 0 ? abs(log10(a / b)) : abs(a - b);
const nearest = (stops, value) => stops.includes(value) ? value
  : stops.reduce((best, one) => apart(one, value) < apart(best, value) ? one : best);

/** From numbers between two ends to percent of a side, and `back`. */
function scale([low, high], log, from, to) {
  const [by, back] = log ? [log10, (one) => 10 ** one] : [Number, Number], span = by(high) - by(low);
  const at = (value) => from + (to - from) * (by(value) - by(low)) / span;
  at.back = (place) => back(by(low) + span * (place - from) / (to - from));
  return at;
}

/** One cell of a folded grid: what differs between cells stands in lists. */
export function pick(node, k) {
  if (Array.isArray(node)) return node.map((one) => pick(one, k));
  if (node === null || typeof node !== "object") return node;
  if ("$" in node) return node.$[node.at ? node.at[k] : k];
  return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, pick(one, k)]));
}

/** A number between places, on monotone cubics of logarithms, beyond them on lines; endless by endless ones. */
function between(places, number, value, after = places.findIndex((one) => one > value)) {
  const there = places.indexOf(value), k = after < 0 ? places.length - 1 : max(after, 1);
  if (there >= 0 || places.length < 2) return number(max(there, 0));
  const near = [k - 2, k - 1, k, k + 1].map((j) => [places[j], number(j)].map(log10));
  const [, [x, y], [end, last]] = near, t = (log10(value) - x) / (end - x);
  if (!(max(y, last) < log10(FAR))) return FAR;
  const secant = ([a, b], [c, d]) => (d - b) / (c - a);
  const [left, here, right] = [1, 2, 3].map((j) => secant(near[j - 1], near[j]));
  const tangent = (next) => next * here <= 0 ? 0 : abs(next) < STEEP ? 2 / (1 / next + 1 / here) : here;
  const bend = (1 - t) * (tangent(left) - here) - t * (tangent(right) - here);
  return 10 ** (y + (end - x) * (t * here + max(t * (1 - t), 0) * bend));
}

export const read = (table, [places, ...others], [value, ...rest]) =>
  places ? between(places, (k) => read(table?.[k], others, rest), value) : table;

/** The least number among and between places at which falling errors are at most α. */
function least(error, places, alpha) {
  const errors = places.map(error), k = errors.findIndex((one) => one <= alpha * (1 + 1e-9));
  return k < 1 ? k ? NaN : places[0] : between(errors, (j) => places[j], alpha, k);
}

// Drawing

const ink = (colour) => colour === INK ? "currentColor" : colour ?? GREY;
const seen = ([x, y]) => Number.isFinite(x + y);
const inside = ([x, y]) => x >= -0.1 && x <= 100.1 && y >= -0.1 && y <= 100.1;
const trace = (points) => each(points, (at, k) => seen(at)
  ? `${k && seen(points[k - 1]) ? "L" : "M"}${at.map((one) => one.toFixed(2))}` : "");
const path = (kind, d, colour, fill = colour) =>
  d && `<path class="${kind}" d="${d}" stroke="${colour}" fill="${fill}"/>`;
const put = (tag, kind, [x, y], colour, html) =>
  `<${tag} class="${kind}" style="left:${x}%;top:${y}%;color:${colour}">${html}</${tag}>`;
const dot = (kind, at, colour, fill, shape) => put("i", kind, at, colour,
  `<svg viewBox="-1 -1 2 2"><path d="${shape}" fill="${fill}" stroke="currentColor"/></svg>`);

/** One curve or mark: a band, a line or lone points of data; then its dots and words. */
function curve({ x, y, low, high = y, role, line, marker, hollow, colour, words }, place, [bottom, top]) {
  const stroke = ink(colour), points = x.map((at, k) => place(at, abs(y[k] ?? NaN) < FAR ? y[k] : NaN));
  const edge = (values) => x.map((at, k) => place(at, min(max(values[k] ?? values, bottom), top)));
  const band = low === undefined ? [] : [...edge(high), ...edge(low).reverse()].filter(seen);
  const shade = band.length ? path(`shade ${role}`, `${trace(band)}z`, stroke) : "";
  const rows = role === "rows" ? each(points.filter(seen), (at) => `M${at}h0`) : "";
  const lines = rows || (line === undefined ? "" : trace(points));
  const dots = marker ? each(points, (point, k) => {
    const beyond = y[k] >= FAR, at = beyond ? place(x[k], top) : point, shape = SHAPES[beyond ? "^" : marker];
    return seen(at) && inside(at) ? dot(`dot ${role}`, at, stroke, hollow ? FACE : stroke, shape) : "";
  }) : "";
  const at = place(words?.x ?? NaN, words?.y), side = words?.side ?? (at[0] < 70 ? "right" : "left");
  const said = inside(at) ? put("span", side, at, stroke, safe(words.text)) : "";
  return [shade + path(`line ${role} ${line}`, lines, stroke, "none"), dots + said];
}

/** Numbers of an axis, all in one style. */
const ticks = (side, all, place) =>
  each(all, (one) => put("span", `tick ${side}`, place(one), "", say(one, 3, all.every(plain))));

/** A panel's page, and where its places are; named rows stand one below the other, and y runs across. */
function axes(panel) {
  const { names, title, xlabel, ylabel, note = "", kind = "", aspect, series } = panel;
  const [across, up] = names ? "yx" : "xy", columns = panel[`${across}ticks`], rows = panel[`${up}ticks`];
  const on = (axis, ends) => scale(panel[`${axis}lim`], panel[`${axis}scale`] === "log", ...ends);
  const h = on(across, [0, 100]), v = on(up, names ? [0, 100] : [100, 0]);
  const place = names ? (x, y) => [h(y), v(x)] : (x, y) => [h(x), v(y)];
  const curves = series.map((one) => curve(one, place, panel.ylim));
  const points = series.map(({ x, y, label = "", colour }) => x.map((one, k) =>
    ({ label, colour, x: one, y: y[k], at: place(one, y[k] ?? NaN) })).filter(({ at }) => inside(at)));
  // names of lines stand where these end: as far apart as the ends are, or as names are high
  const labelled = points.filter(([first]) => first?.label);
  const ends = labelled.map((shown) => shown.reduce((a, b) => b.at[0] > a.at[0] ? b : a));
  ends.sort((a, b) => a.at[1] - b.at[1]);
  const steps = [...ends.map(({ at }) => at[1]), 100].map((at, k) => at - (k && ends[k - 1].at[1]));
  const html = `
    <figure class="${kind}" style="--aspect:${aspect};--rows:${names?.length}">
      <figcaption>${safe(title)}</figcaption>
      ${names ? `<div class="rows">${each(names, (one) => `<span>${safe(one)}</span>`)}</div>`
        : `<div class="up">${safe(ylabel)}</div>`}
      <div class="plot"><svg viewBox="0 0 100 100" preserveAspectRatio="none">
        ${each(columns, (one) => path("grid", `M${h(one)},0V100`, "currentColor"))}
        ${each(rows, (one) => path("grid", `M0,${v(one)}H100`, "currentColor"))}
        ${each(curves, ([one]) => one)}</svg>
        ${ticks("below", columns, (one) => [h(one), 100])}${ticks("left", rows, (one) => [0, v(one)])}
        ${each(curves, ([, one]) => one)}</div>
      <div class="ends" style="grid-template-rows:${each(steps, (one) => `minmax(min-content,${one}fr)`)}">
        ${each(ends, (one) => `<b style="color:${ink(one.colour)}">${safe(one.label)}</b>`)}</div>
      <div class="across">${safe(names ? ylabel : xlabel)}</div><small>${safe(note)}</small>
    </figure>`;
  return { panel, points, h, v, html };
}

// The explorer

const row = ({ name, label, texts, stops, unit = "", meaning = "" }) => `
  <label title="${safe(meaning)}"><span>${label}</span>${texts ? `
    <select name="${name}">${each(texts, (one, k) => `<option value="${k}">${one}</option>`)}</select>` : `
    <input type="range" name="${name}" min="0" max="${stops.length - 1}" aria-label="${label}">
    <input type="text" name="${name}" inputmode="decimal" aria-label="${label}, typed">`}
    <small>${unit}</small></label>`;
const page = (controls, acts) => `
  <div class="moves">${each(controls.filter((one) => !one.more), row)}
    <details><summary>more</summary>${each(controls.filter((one) => one.more), row)}</details></div>
  <h4></h4>
  <div class="picture"><div class="panels" role="img"></div><div class="veil">computing …</div></div>
  <p aria-live="polite"></p><p></p><p role="status"></p>
  <div class="moves">${each(acts, (one) => `<button type="button">${one}</button>`)}</div>`;

/** Show an explorer in an element; `ask` sends a message to a kernel and returns a promise of its reply. */
export function mount(host, form, ask) {
  const { controls, trade, grid, runs = [] } = form, values = {};
  const of = Object.fromEntries(controls.map((one) => [one.name, one]));
  let { chart } = form, turn = 0, queue = Promise.resolve(), simulating, timer, kept, drawn = [];
  const state = () => new URLSearchParams({ [form.name]: JSON.stringify(values) });
  const acts = {
    reset: () => move(Object.fromEntries(controls.map((one) => [one.name, one.value]))),
    "keep this curve": keep,
    "copy as code": () => copied(chart.code ?? `${form.code}, ${told("name", "=", typed)})`),
    ...(!ask && { link: () => copied(new URL(`?${state()}`, location).href) }),
    ...(ask && runs.length && { [`simulate ${runs.at(-1)} runs`]: simulate }),
    ...(form.play && { play }),
    "full screen": () => document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen()
  };
  host.classList.add("workbench-explorer");
  host.innerHTML = page(controls, Object.keys(acts));
  const [rows, title, picture, sentence, difference, status, buttons] = host.children;
  const canvas = picture.firstChild;
  buttons.onclick = ({ target }) => Object.values(acts)[[...buttons.children].indexOf(target)]?.();
  rows.oninput = ({ target: { type, name, value } }) =>
    type !== "text" && move({ [name]: of[name].stops[value] });
  rows.onchange = ({ target }) => target.type === "text" && asked(target);
  picture.onpointermove = picture.onpointerdown = pointed;
  host.onkeydown = (event) => ["Escape", "Tab"].includes(event.key) || event.stopPropagation();
  const tracks = { ...chart.table, delta: grid?.at[0] ?? [0] };
  const errors = tracks.delta.map((_, k) => trade && pick(grid.charts, k).table.error);
  if (trade) Object.assign(canvas, { tabIndex: 0, role: "slider", onkeydown: pushed });
  for (const { name, value } of controls) show(name, value);
  arrive(chart);
  const linked = JSON.parse((!ask && new URLSearchParams(location.search).get(form.name)) || "{}");
  if (controls.some((one) => one.name in linked)) move(linked);

  // Controls

  /** Put a control to a value, or to the nearest stop where there is neither a kernel nor a map. */
  function show(name, value) {
    const [chooser, field] = rows.querySelectorAll(`[name=${name}]`), { stops, unit } = of[name];
    const near = nearest(stops, value);
    values[name] = field && (ask || trade) ? value : near;
    chooser.value = stops.indexOf(near);
    if (!field) return;
    field.value = typed(values[name]);
    chooser.ariaValueText = `${field.value} ${unit}`;
  }

  /** Move to what was typed, or say what may be. */
  function asked({ name, value }) {
    const { label, low, high, whole } = of[name], number = Number(value.replace(/[,\s]/g, "") || NaN);
    const legal = number >= low && number <= high && !(whole && number % 1);
    move({ [name]: legal ? number : values[name] });
    const kind = whole ? "a whole number" : "a number", ends = `${say(low)} to ${say(high)}`;
    if (!legal) status.textContent = `${label}: ${kind} from ${ends}`;
  }

  const told = (name, equal, format) =>
    controls.map((one) => `${one[name]}${equal}${format(values[one.name])}`).join(", ");

  function copied(text) {
    status.textContent = text;
    navigator.clipboard?.writeText(text).catch(() => {});
  }

  /** Show the frames of a film from the next one, or the first, to the last; any move stops that. */
  function play() {
    const [{ name, stops }] = controls, place = (stops.indexOf(values[name]) + 1) % stops.length;
    move({ [name]: stops[place] });
    if (place < stops.length - 1) timer = setTimeout(play, FRAME);
  }

  // From values to a picture

  async function move(to) {
    const begun = performance.now(), mine = turn += 1;
    for (const name of Object.keys(to).filter((one) => of[one])) show(name, to[name]);
    if (simulating) ask({});
    simulating = clearTimeout(timer);
    host.dataset.state = "computing";
    for (const words of [sentence, difference, status]) words.textContent = "";
    const found = cell() ?? await (queue = queue.then(() => mine === turn && ask({ values })));
    if (mine !== turn) return;
    arrive(found.chart);
    host.dataset.took = Math.round(performance.now() - begun);
  }

  /** The chart of the present values in the grid, if it is there. */
  function cell() {
    const off = ({ name, value }) => !trade && !grid.over.includes(name) && values[name] !== value;
    if (!grid || controls.some(off)) return null;
    const near = (stops, value) => stops.indexOf(trade ? nearest(stops, value) : value);
    const found = grid.over.map((name, k) => near(grid.at[k], values[name]));
    if (found.includes(-1)) return null;
    return { chart: pick(grid.charts, found.reduce((sum, place, k) => sum * grid.at[k].length + place, 0)) };
  }

  async function simulate() {
    const mine = turn;
    simulating = true;
    for (const count of runs) {
      status.textContent = `simulating ${count} runs at every point; any move stops it`;
      const { chart: found } = await ask({ values, runs: count });
      if (mine !== turn) return;
      const none = count === runs[0] && JSON.stringify(found) === JSON.stringify(chart);
      arrive(found);
      status.textContent = none ? "nothing of this picture is simulated" : `${count} runs at every point`;
      if (none) break;
    }
    simulating = false;
  }

  function arrive(found) {
    chart = found;
    Object.assign(host.dataset, { name: form.name, state: chart.error ? "refused" : "ready", turn });
    title.textContent = chart.title;
    sentence.setAttribute("role", chart.error ? "alert" : "note");
    sentence.textContent = chart.error ?? chart.caption ?? "";
    canvas.ariaLabel = `${chart.title}. ${chart.alt ?? ""}`;
    if (trade && !chart.error) settle();
    drawn = chart.panels.map((one, k) => axes(beside(trade ? located(one) : one, kept?.drawn[k]?.panel)));
    canvas.innerHTML = each(drawn, (one) => one.html);
    difference.textContent = kept ? compared() : "";
  }

  // What is kept, and what is read

  function keep() {
    kept = kept ? null : { drawn, words: told("label", " = ", say) };
    buttons.children[1].textContent = kept ? "drop the kept curve" : "keep this curve";
    arrive(chart);
  }

  /** A panel with the curves of a kept one, pale, and axes for both. */
  function beside(panel, old) {
    if (panel.names || AXES.some((one) => old?.[one] !== panel[one])) return panel;
    const curves = old.series.filter(({ role }) => CURVES.includes(role));
    const pale = curves.map(({ x, y, colour }) => ({ x, y, colour, line: "", role: "kept" }));
    const both = ([a, b], [c, d]) => [min(a, c), max(b, d)];
    const limits = { xlim: both(old.xlim, panel.xlim), ylim: both(old.ylim, panel.ylim) };
    return { ...panel, ...limits, series: [...pale, ...panel.series] };
  }

  /** How each named curve differs from the kept one: the median of their ratios. */
  function compared() {
    const found = drawn.flatMap(({ panel }, k) => panel.series.flatMap(({ label, role, x, y }) => {
      const like = (one) => label && CURVES.includes(role) && role === one.role && label === one.label;
      const old = kept.drawn[k]?.panel.series.find(like);
      const ratios = x.map((at, j) => y[j] / old?.y[old.x.indexOf(at)]).filter((one) => one > 0 && one < FAR);
      const middle = ratios.sort((a, b) => a - b)[ratios.length >> 1];
      return middle ? [`${label} ×${say(middle, 2)}`] : [];
    }));
    const words = [...new Set(found)].slice(0, 4).join(", ") || "other curves";
    return `Kept: ${kept.words}. Now, in the median over a curve: ${words}.`;
  }

  /** Drag the point of a map, or read the nearest point of a curve. */
  function pointed(event) {
    for (const one of canvas.querySelectorAll(".tip")) one.remove();
    if (host.dataset.state !== "ready") return;
    for (const [k, plot] of canvas.querySelectorAll(".plot").entries()) {
      const { left, top, width, height } = plot.getBoundingClientRect();
      const x = 100 * (event.clientX - left) / width, y = 100 * (event.clientY - top) / height;
      if (trade && event.buttons) return point([x, y], event);
      const far = ({ at }) => Math.hypot((at[0] - x) * width, (at[1] - y) * height) / 100;
      const [best] = drawn[k].points.flat().filter((one) => far(one) < 40).sort((a, b) => far(a) - far(b));
      if (!best) continue;
      const words = safe(`${best.label} (${say(best.x)}, ${say(best.y)})`), ring = ink(best.colour);
      const tip = put("span", `tip ${best.at[0] > 50 ? "end" : "start"}`, best.at, "", words);
      plot.insertAdjacentHTML("beforeend", dot("point tip", best.at, ring, "none", SHAPES.o) + tip);
    }
  }

  // The map of n and ε: a point, its line of equal error, and what no estimator can do

  /** The error at the values, some of them others. */
  function error(others, { n, epsilon, delta } = { ...values, ...others }) {
    return read(errors, [tracks.delta, tracks.n, tracks.epsilon], [delta, n, epsilon]);
  }

  /** Solve for what is unknown, by the table or as a kernel's planner has, and say what all of them are. */
  function settle(planned) {
    const { unknown, alpha } = values, solved = (one) => error({ [unknown]: one });
    for (const one of rows.querySelectorAll("[name]")) one.disabled = one.name === unknown;
    const found = planned ?? (unknown === "alpha" ? error() : least(solved, tracks[unknown], alpha));
    if (found < FAR) show(unknown, planned ?? short(found, of[unknown].whole));
    else values[unknown] = NaN;
    const equal = (name) => `${name === unknown && !planned ? "≈" : "="} ${say(values[name])}`;
    const where = controls.slice(1).map(({ name, label }) => `${label} ${equal(name)}`).join(", ");
    const noisy = error() > Math.SQRT2 * read(chart.table.free, [tracks.n], [values.n]); // half of its square
    const limit = noisy ? "noise: privacy limits it" : "sampling: the sample limits it";
    sentence.textContent = values[unknown] > 0
      ? `${where}: the error is at most α in ${form.share}. Most of it is ${limit}.`
      : `Nothing on this map has that error: ${where}.`;
    Object.assign(canvas, { ariaValueNow: values.n, ariaValueText: where });
    if (ask && turn && !planned) timer = setTimeout(async (mine) => {
      const { solved } = await ask({ values, plan: true });
      if (solved && mine === turn) settle(solved);
    }, 250, turn);
  }

  function located(panel) {
    const { n, epsilon, alpha } = values, { least: none, alpha: alphas, epsilon: x } = chart.table;
    const y = x.map((one) => least((rows) => error({ n: rows, epsilon: one }), tracks.n, alpha));
    const level = { x, y, role: "theory", line: "level", colour: HERE, label: "this α" };
    const handle = { x: [epsilon], y: [n], role: "handle", marker: "o", colour: HERE };
    const below = none && alpha > 0 ? x.map((one) => read(none, [alphas, x], [alpha, one])) : [];
    const impossible = { x, y: below, low: -FAR, role: "impossible", colour: GREY, label: "impossible" };
    return { ...panel, series: [...below.length ? [impossible] : [], ...panel.series, level, handle] };
  }

  /** Move the point to a place of the map; what is solved follows, and α where n or ε is what is solved. */
  function point(at, event) {
    const [{ h, v }] = drawn, to = { epsilon: short(h.back(at[0])), n: Math.round(v.back(at[1])) };
    if (!inside(at)) return;
    event.preventDefault();
    const alpha = short(error(to)), follows = ["n", "epsilon"].includes(values.unknown) && alpha < FAR;
    move(follows ? { ...to, alpha } : to);
  }

  function pushed(event) {
    const [{ h, v }] = drawn, [x, y] = WAYS[event.key] ?? [NaN, NaN];
    point([h(values.epsilon) + x, v(values.n) + y], event);
  }

  return () => { clearTimeout(timer); host.replaceChildren(); };
}

document.querySelectorAll(".workbench-explorer > script[type='application/json']")
  .forEach((form) => mount(form.parentElement, JSON.parse(form.textContent), null));

export default {
  render({ model, el }) {
    const waiting = [], host = el.appendChild(document.createElement("div"));
    const hear = ({ id, ...reply }) => waiting[id](reply);
    const ask = (message) => new Promise((heard) => model.send({ ...message, id: waiting.push(heard) - 1 }));
    const destroy = mount(host, JSON.parse(model.get("form")), ask);
    model.on("msg:custom", hear);
    return () => { model.off("msg:custom", hear); destroy(); };
  }
};
