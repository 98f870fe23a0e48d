// Panels with direct labels as SVG. What is drawn is a function of the panels and of the size alone.
import { ticked, ticks } from "./ticks.mjs";

const WIDE = 0.56; // of a letter over its height
const NARROW = 560; // px, below which panels stand one above the other

export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const place = (number) => Math.round(number * 10) / 10;
const scale = (value, log) => (log ? Math.log10(Math.max(value, 1e-300)) : value);

/** Where a panel is: its axes in pixels, and both ways between data and pixels. */
function frame(panel, left, top, width, height) {
  const axis = ([low, high], log, from, to) => {
    const [first, last] = [scale(low, log), scale(high, log)];
    return {
      to: (value) => from + ((to - from) * (scale(value, log) - first)) / (last - first),
      from: (pixel) => {
        const found = first + ((last - first) * (pixel - from)) / (to - from);
        return log ? 10 ** found : found;
      },
    };
  };
  return {
    left,
    top,
    width,
    height,
    x: axis(panel.x, panel.xlog, left, left + width),
    y: axis(panel.y, panel.ylog, top + height, top),
  };
}

function points(at, xs, ys) {
  let path = "",
    pen = "M";
  for (let k = 0; k < xs.length; k += 1) {
    if (!Number.isFinite(ys[k])) {
      pen = "M";
      continue;
    }
    path += `${pen}${place(at.x.to(xs[k]))} ${place(Math.min(Math.max(at.y.to(ys[k]), -9999), 9999))}`;
    pen = "L";
  }
  return path;
}

function words(x, y, text, { hue = "ink", anchor = "start", bold = false, size = 1 } = {}) {
  const style = `class="words hue-${hue}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ""}`;
  return `<text x="${place(x)}" y="${place(y)}" font-size="${size}em" ${style}>${escaped(text)}</text>`;
}

const circle = (at, x, y, size, style) =>
  `<circle cx="${place(at.x.to(x))}" cy="${place(at.y.to(y))}" r="${size}" class="${style}"/>`;

/** Layers by their kind; what is drawn where the axes are, and above them. */
const LAYERS = {
  line: (at, { x, y, hue, thin, dash }) =>
    `<path d="${points(at, x, y)}" class="line hue-${hue}${thin ? " thin" : ""}${dash ? " dash" : ""}"/>`,
  area: (at, { x, low, high, hue, strong }) => {
    const back = [...x].reverse(),
      under = [...low].reverse();
    const path = `${points(at, x, high)}${points(at, back, under).replace("M", "L")}Z`;
    return `<path d="${path}" class="area hue-${hue}${strong ? " strong" : ""}"/>`;
  },
  shape: (at, { x, y, hue }) => `<path d="${points(at, x, y)}Z" class="area hue-${hue}"/>`,
  bars: (at, { x, y, width, hue, strong }) => {
    const half = width / 2,
      base = at.top + at.height;
    const path = Array.from(x, (one, k) => {
      const top = Math.max(place(at.y.to(y[k])), at.top - 9),
        left = place(at.x.to(one - half));
      return top < base - 0.05
        ? `M${left} ${place(base)}V${top}H${place(at.x.to(one + half))}V${place(base)}Z`
        : "";
    });
    return `<path d="${path.join("")}" class="area hue-${hue}${strong ? " strong" : ""}"/>`;
  },
  dots: (at, { x, y, hue, hollow, size = 4 }) =>
    Array.from(x, (one, k) => circle(at, one, y[k], size, `dot hue-${hue}${hollow ? " hollow" : ""}`)).join(
      "",
    ),
  rule: (at, { x, y, hue = "grey", dash }) => {
    const ends =
      x === undefined
        ? [at.left, at.y.to(y), at.left + at.width, at.y.to(y)]
        : [at.x.to(x), at.top, at.x.to(x), at.top + at.height];
    const [x1, y1, x2, y2] = ends.map(place);
    return `<path d="M${x1} ${y1}L${x2} ${y2}" class="line thin hue-${hue}${dash ? " dash" : ""}"/>`;
  },
  ring: (at, { x, y, hue = "ink" }) => circle(at, x, y, 6, `ring hue-${hue}`),
  words: (at, { x, y, text, dx = 0, dy = 0, ...rest }, letter) => {
    const long = WIDE * letter * [...text].length * (rest.bold ? 1.08 : 1);
    const back = { start: 0, middle: long / 2, end: long }[rest.anchor ?? "start"]; // it stays in its panel
    const [first, last] = [at.left + 2 + back, at.left + at.width + letter - long + back];
    return words(
      Math.max(Math.min(at.x.to(x) + dx * letter, last), first),
      at.y.to(y) + dy * letter,
      text,
      rest,
    );
  },
};
const OUTSIDE = new Set(["words"]); // not cut off by the axes

/** Names of lines at their right ends, moved apart. */
function ends(panel, at, letter) {
  const named = panel.layers
    .filter((one) => one.kind === "line" && one.label)
    .map((one) => {
      let last = one.x.length - 1;
      while (
        last > 0 &&
        !(
          Number.isFinite(one.y[last]) &&
          at.y.to(one.y[last]) > at.top - 1 &&
          at.y.to(one.y[last]) < at.top + at.height + 1
        )
      )
        last -= 1;
      return { ...one, height: at.y.to(one.y[last]) };
    })
    .sort((a, b) => a.height - b.height);
  named.forEach((one, k) => {
    if (k) one.height = Math.max(one.height, named[k - 1].height + 1.2 * letter);
  });
  const over = named.length ? named.at(-1).height - (at.top + at.height) : 0;
  return named
    .map((one) =>
      words(at.left + at.width + 0.5 * letter, one.height - Math.max(over, 0) + 0.35 * letter, one.label, {
        hue: one.hue,
      }),
    )
    .join("");
}

function axes(panel, at, letter) {
  const base = at.top + at.height,
    many = Math.max(3, Math.floor(at.width / (5.5 * letter)));
  const across =
    panel.xticks ?? ticks(panel.x, panel.xlog, many).map((value) => [value, ticked(value, panel.xlog)]);
  const up =
    panel.yticks ??
    ticks(panel.y, panel.ylog, Math.max(3, Math.floor(at.height / (2.4 * letter)))).map((value) => [
      value,
      ticked(value, panel.ylog),
    ]);
  const marks = across
    .map(([value, said]) => {
      const x = place(at.x.to(value));
      const style = { hue: "quiet", anchor: "middle", size: 0.92 };
      return `<path d="M${x} ${place(base)}v4" class="axis"/>${words(x, base + 1.35 * letter, said, style)}`;
    })
    .concat(
      up.map(([value, said]) => {
        const y = place(at.y.to(value));
        const text = words(at.left - 0.55 * letter, y + 0.33 * letter, said, {
          hue: "quiet",
          anchor: "end",
          size: 0.92,
        });
        return `<path d="M${place(at.left)} ${y}h-4" class="axis"/>${text}`;
      }),
    );
  const corner = `M${place(at.left)} ${place(at.top)}V${place(base)}H${place(at.left + at.width)}`;
  const sides = `<path d="${corner}" class="axis"/>`;
  const long = WIDE * letter * [...panel.xlabel].length,
    room = at.right - panel.offset - letter;
  const middle = Math.min(at.left + at.width / 2, at.right - Math.min(long, room) / 2);
  const size = Math.min(1, room / long);
  const upright = { hue: "quiet", anchor: "middle" };
  const where = [place(letter + panel.offset), place(at.top + at.height / 2)];
  const name = panel.ylabel
    ? `<g transform="rotate(-90 ${where})">${words(...where, panel.ylabel, upright)}</g>`
    : "";
  return (
    sides +
    marks.join("") +
    name +
    words(middle, base + 2.75 * letter, panel.xlabel, { hue: "quiet", anchor: "middle", size }) +
    words(panel.offset + 0.2 * letter, at.top - 1 * letter, panel.title, { bold: true })
  );
}

/** The space left of the axes: the widest number, and a name. */
function beside(panel, letter) {
  const said =
    panel.yticks?.map(([, one]) => one) ??
    ticks(panel.y, panel.ylog, 5).map((value) => ticked(value, panel.ylog));
  return (
    letter * (1 + (panel.ylabel ? 1.5 : 0) + 0.92 * WIDE * Math.max(0, ...said.map((one) => [...one].length)))
  );
}

function after(panel, letter) {
  const names = panel.layers.filter((one) => one.label).map((one) => [...one.label].length);
  return letter * (1.2 + WIDE * Math.max(0, ...names));
}

/** The height of a picture of so many panels, if it is not told. */
export const tall = (count, width, letter) =>
  count > 1 && width < NARROW
    ? count * Math.max(0.55 * width, 15 * letter)
    : Math.min(Math.max((count > 1 ? 0.42 : 0.5) * width, 17 * letter), 34 * letter);

/** Return the SVG of panels, and where their axes are. */
export function draw(panels, { width, height, letter = 14, name }) {
  const stacked = panels.length > 1 && width < NARROW,
    whole = panels.reduce((sum, one) => sum + (one.share ?? 1), 0);
  let offset = 0,
    down = 0;
  const frames = [],
    parts = [];
  panels.forEach((raw, place) => {
    const room = stacked ? width : (width * (raw.share ?? 1)) / whole;
    const part = stacked ? height / panels.length : height;
    const panel = { ...raw, offset },
      left = offset + beside(raw, letter),
      top = down + 2.3 * letter;
    const at = frame(panel, left, top, offset + room - left - after(raw, letter), part - 5.5 * letter);
    at.right = offset + room;
    frames.push(at);
    const drawn = (inside) =>
      panel.layers
        .filter((one) => OUTSIDE.has(one.kind) !== inside)
        .map((one) => LAYERS[one.kind](at, one, letter))
        .join("");
    parts.push(
      `<clipPath id="clip${place}"><rect x="${at.left}" y="${at.top - 1}"`,
      ` width="${at.width}" height="${at.height + 2}"/></clipPath>`,
      `<g clip-path="url(#clip${place})">${drawn(true)}</g>`,
      axes(panel, at, letter),
      drawn(false),
      ends(panel, at, letter),
    );
    if (stacked) down += part;
    else offset += room;
  });
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-size="${letter}"`;
  const named = `role="img" aria-label="${escaped(name)}"`;
  const svg = `<svg ${size} ${named}>${parts.join("")}</svg>`;
  return { svg, frames };
}
