// k uses: the law of the sum of their privacy losses, and the δ that is left at every ε.
import facts from "./facts.json" with { type: "json" };
import { coinLosses, gaussianUses, laplaceLosses, moments, normalDelta, times } from "./losses.mjs";
import { GAUSSIAN } from "./laws.mjs";
import { about, number, rough } from "./words.mjs";

const BARS = 72,
  POINTS = 121,
  LEAST = 1e-6,
  WIDE = 4.2; // of δ that is shown; standard deviations
const COIN = "coin";
const remembered = new Map();

/** The law of the sum: on a grid, with its tails, or normal; the last one is remembered. */
export function total({ mechanism, epsilon, delta, k }) {
  const key = `${mechanism} ${epsilon} ${mechanism === GAUSSIAN ? delta : ""} ${k}`;
  if (!remembered.has(key)) {
    remembered.clear();
    remembered.set(
      key,
      mechanism === GAUSSIAN ? gaussianUses(epsilon, delta, k) : onGrid(mechanism, epsilon, k),
    );
  }
  return remembered.get(key);
}

function onGrid(mechanism, epsilon, k) {
  const law = times(mechanism === COIN ? coinLosses(epsilon) : laplaceLosses(epsilon), k),
    { length } = law.mass;
  const above = new Float64Array(length + 1),
    weighted = new Float64Array(length + 1); // sums of mass, of mass e^(-loss)
  for (let j = length - 1; j >= 0; j -= 1) {
    above[j] = above[j + 1] + law.mass[j];
    weighted[j] = weighted[j + 1] + law.mass[j] * Math.exp(-(law.first + j * law.step));
  }
  const delta = (epsilon) => {
    const from = Math.min(Math.max(Math.floor((epsilon - law.first) / law.step + 1e-9) + 1, 0), length);
    return Math.max(above[from] - Math.exp(epsilon) * weighted[from], 0);
  };
  return { ...law, ...moments(law), above, delta };
}

const even = (low, high, count) =>
  Array.from({ length: count }, (_, j) => low + ((high - low) * j) / (count - 1));
const bell = ({ mean, sd }, loss) =>
  Math.exp(-(((loss - mean) / sd) ** 2) / 2) / (sd * Math.sqrt(2 * Math.PI));

/** Bars of the law: their middles, heights, width, and the part of each that counts beyond ε. */
function bars(law, [low, high], epsilon) {
  const width =
    law.mass.length > 2 * BARS
      ? Math.max(1, Math.round((high - low) / BARS / law.step)) * law.step
      : law.step;
  const x = [],
    y = [],
    beyond = [],
    cells = Math.round(width / law.step);
  for (let from = 0; from < law.mass.length; from += cells) {
    let mass = 0,
      counted = 0;
    for (let j = from; j < Math.min(from + cells, law.mass.length); j += 1) {
      const loss = law.first + j * law.step;
      mass += law.mass[j];
      if (loss > epsilon) counted -= law.mass[j] * Math.expm1(epsilon - loss);
    }
    x.push(law.first + (from + (cells - 1) / 2) * law.step);
    y.push(mass / width);
    beyond.push(counted / width);
  }
  return { x, y, beyond, width };
}

function left(law, values) {
  const most = values.k * values.epsilon,
    whole = values.mechanism === GAUSSIAN;
  const ends = [law.mean - WIDE * law.sd, law.mean + WIDE * law.sd];
  const [low, high] = whole ? ends : [Math.max(ends[0], -1.12 * most), Math.min(ends[1], 1.12 * most)];
  const x = [low, high],
    at = even(low, high, POINTS),
    curve = at.map((loss) => bell(law, loss));
  const found = whole ? undefined : bars(law, x, values.total),
    top = 1.45 * bell(law, law.mean);
  const cut = Math.min(Math.max(values.total, low), high);
  const beyond = at.map((loss, j) => (loss > values.total ? -curve[j] * Math.expm1(values.total - loss) : 0));
  return {
    title: `total loss of ${values.k} use${values.k > 1 ? "s" : ""}`,
    xlabel: "loss",
    x,
    y: [0, top],
    yticks: [],
    cut,
    top,
    layers: [
      ...(found
        ? [
            { kind: "bars", x: found.x, y: found.y, width: 0.94 * found.width, hue: "first" },
            {
              kind: "bars",
              x: found.x,
              y: found.beyond,
              width: 0.94 * found.width,
              hue: "sliver",
              strong: true,
            },
          ]
        : [
            { kind: "area", x: at, low: at.map(() => 0), high: curve, hue: "first" },
            { kind: "area", x: at, low: at.map(() => 0), high: beyond, hue: "sliver", strong: true },
          ]),
      { kind: "line", x: at, y: curve, hue: "ink", thin: true },
      { kind: "words", x: low, y: top, dx: 0.5, dy: 1.1, hue: "ink", text: "line: the normal law" },
      { kind: "line", x: [cut, cut], y: [0, top], hue: "sliver", thin: true },
      {
        kind: "words",
        x: cut,
        y: 0.8 * top,
        dx: cut > (low + high) / 2 ? -0.6 : 0.6,
        anchor: cut > (low + high) / 2 ? "end" : "start",
        hue: "sliver",
        text: `beyond ε: δ = ${rough(law.delta(values.total))}`,
      },
    ],
  };
}

function right(law, values) {
  const most = values.k * values.epsilon,
    end = values.mechanism === GAUSSIAN ? law.mean + 5.5 * law.sd : 1.08 * most;
  const at = even(0, Math.max(end, 1e-3), POINTS),
    shown = (delta) => (delta >= LEAST / 100 ? delta : NaN);
  const here = law.delta(values.total);
  return {
    title: "what ε of all leaves to δ",
    xlabel: "ε of all",
    ylabel: "δ of all",
    x: [0, end],
    y: [LEAST, 1],
    ylog: true,
    layers: [
      {
        kind: "line",
        x: at,
        y: at.map((one) => shown(normalDelta(law.mean, law.sd, one))),
        hue: "ink",
        thin: true,
      },
      { kind: "line", x: at, y: at.map((one) => shown(law.delta(one))), hue: "first" },
      ...(values.mechanism === GAUSSIAN
        ? []
        : [
            { kind: "rule", x: most, dash: true },
            {
              kind: "words",
              x: most,
              y: 1,
              dx: -0.4,
              dy: 1.2,
              anchor: "end",
              hue: "quiet",
              text: `sum of all ε = ${about(most)}`,
            },
          ]),
      ...(here >= LEAST && values.total <= end
        ? [{ kind: "dots", x: [values.total], y: [here], hue: "sliver", size: 6 }]
        : []),
    ],
  };
}

function sentence(law, values) {
  const sum = `${values.k} · ${number(values.epsilon)} = ${about(values.k * values.epsilon)}`;
  const here = law.delta(values.total),
    near = normalDelta(law.mean, law.sd, values.total);
  const uses =
    values.mechanism === GAUSSIAN
      ? `Sums would say ε = ${sum}, δ = ${about(values.k * values.delta)}.`
      : `With δ = 0 it takes the sum, ${sum}.`;
  return (
    `All uses together are (ε, δ)-private with ε = ${number(values.total)} and δ = ${rough(here)};` +
    " a normal loss of the same mean and" +
    ` spread says ${rough(near)}. ${uses}`
  );
}

export const explorer = {
  facts: facts.composition,
  handles: [{ x: "total", panel: 0 }],
  hides: (name, { mechanism }) => name === "delta" && mechanism !== GAUSSIAN,
  view(values) {
    const law = total(values),
      one = left(law, values);
    return {
      panels: [one, right(law, values)],
      handles: [{ x: one.cut, y: 0.55 * one.top, hue: "sliver" }],
      sentence: sentence(law, values),
    };
  },
};
