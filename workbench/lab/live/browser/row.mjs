// One row of twelve moves, and two densities follow.
import facts from "./facts.json" with { type: "json" };
import {
  GAUSSIAN,
  MEDIAN,
  advantage,
  clippedMean,
  excess,
  largestLoss,
  law,
  logDensity,
  mostAdvantage,
  steps,
} from "./laws.mjs";
import { about, number, rough } from "./words.mjs";

const { rows, stays, bound } = facts.row;
const REACH = 10.5,
  POINTS = 361;
const KEPT = 1 + 1e-4,
  ROUNDING = 1e-9; // of areas

/** Places at which both densities are drawn: even ones, and both sides of every jump or corner. */
function places(made, sets) {
  const even = Array.from({ length: POINTS }, (_, k) => -REACH + (2 * REACH * k) / (POINTS - 1));
  const corners =
    made.kind === MEDIAN
      ? sets.flatMap((one) => steps(made, one).edges)
      : sets.map((one) => clippedMean(one, made.clip));
  const sides = corners.filter((one) => Math.abs(one) < REACH).flatMap((one) => [one - 1e-6, one + 1e-6]);
  return [...even, ...sides].sort((a, b) => a - b);
}

/** What is known about both data sets. */
export function compared({ row, epsilon, delta, mechanism }) {
  const sets = [
      [...rows, stays],
      [...rows, row],
    ],
    made = law(mechanism, sets[0].length, epsilon, delta, bound);
  const at = places(made, sets),
    [log, other] = sets.map((one) => at.map(logDensity(made, one)));
  return {
    made,
    at,
    sets,
    first: log.map(Math.exp),
    second: other.map(Math.exp),
    loss: other.map((one, k) => one - log[k]),
    excess: excess(made, ...sets, epsilon),
    advantage: advantage(made, ...sets),
    largest: largestLoss(made, ...sets),
    allowed: made.kind === GAUSSIAN ? delta : 0,
  };
}

/** Where a row beyond the clip is counted. */
function counted(row, made, y) {
  if (made.clip === Infinity || Math.abs(row) <= bound) return [];
  const x = bound * Math.sign(row);
  return [
    { kind: "line", x: [x, row], y: [y, y], hue: "second", thin: true, dash: true },
    { kind: "dots", x: [x], y: [y], hue: "second", hollow: true, size: 6 },
    { kind: "words", x: (x + row) / 2, y, dy: -0.8, anchor: "middle", hue: "second", text: "counts as" },
  ];
}

function densities({ made, at, sets, first, second, allowed }, { row, epsilon }) {
  const top = 1.45 * Math.max(...first),
    line = -0.13 * top,
    factor = Math.exp(epsilon);
  const high = first.map((one) => factor * one),
    peaks = [first, second].map((one) => one.indexOf(Math.max(...one)));
  const apart = at[peaks[1]] < at[peaks[0]] ? -1 : 1;
  const label = (hue, text, curve, peak, side) => ({
    kind: "words",
    text,
    hue,
    x: at[peak],
    y: Math.min(curve[peak], 0.93 * top),
    bold: true,
    dx: 0.8 * side,
    dy: -0.3,
    anchor: side > 0 ? "start" : "end",
  });
  return {
    title: "what is released",
    share: 1.15,
    xlabel: "released number y; the rows below the axis",
    x: [-REACH, REACH],
    y: [-0.24 * top, top],
    yticks: [],
    layers: [
      { kind: "rule", y: 0 },
      { kind: "area", x: at, low: first.map((one) => one / factor), high, hue: "first" },
      {
        kind: "area",
        x: at,
        low: high.map((one, k) => Math.min(one, second[k])),
        high: second,
        hue: "sliver",
        strong: true,
      },
      { kind: "line", x: at, y: first, hue: "first" },
      { kind: "line", x: at, y: second, hue: "second" },
      label("first", "X", first, peaks[0], -apart),
      label("second", "X′", second, peaks[1], apart),
      ...(made.clip === Infinity
        ? []
        : [-bound, bound].map((one) => ({
            kind: "line",
            thin: true,
            dash: true,
            hue: "grey",
            x: [one, one],
            y: [-top, 0],
          }))),
      { kind: "dots", x: rows, y: rows.map(() => line), hue: "grey" },
      { kind: "dots", x: [stays], y: [line], hue: "first", size: 6 },
      ...counted(row, made, line),
      { kind: "words", x: -REACH, y: top, dx: 0.4, dy: 1.1, hue: "first", text: "X over eᵋ to X times eᵋ" },
      ...(Math.max(...second.map((one, k) => one - high[k])) > 1e-9 * top && !(allowed > 0 && allowed < 1e-4)
        ? [
            {
              kind: "words",
              x: REACH,
              y: top,
              dx: -0.4,
              dy: 1.1,
              anchor: "end",
              hue: "sliver",
              text: "outside the band",
            },
          ]
        : []),
    ],
    row,
    line,
  };
}

function losses({ at, loss }, epsilon) {
  const top = 2.6 * epsilon,
    ends = [-REACH, REACH],
    out = loss.map((one) => (Math.abs(one) > epsilon * (1 + 1e-9) ? one : NaN));
  return {
    title: "privacy loss ln(X′ over X)",
    xlabel: "released number y",
    x: ends,
    y: [-top, top],
    yticks: [
      [-epsilon, "−ε"],
      [0, "0"],
      [epsilon, "ε"],
    ],
    layers: [
      { kind: "area", x: ends, low: [-epsilon, -epsilon], high: [epsilon, epsilon], hue: "good" },
      { kind: "line", x: at, y: loss.map((one) => (Number.isFinite(one) ? one : NaN)), hue: "ink" },
      { kind: "line", x: at, y: out, hue: "sliver" },
      { kind: "words", x: -REACH, y: epsilon, dx: 0.4, dy: 1.1, hue: "good", text: "what ε allows" },
    ],
  };
}

function sentence(found, { epsilon }) {
  const needed = Math.max(found.excess - ROUNDING, 0),
    kept = needed <= found.allowed * KEPT;
  const most = Number.isFinite(found.largest)
    ? `The loss is ${about(found.largest / epsilon)} ε at most`
    : "The loss has no bound";
  const won = 50 + 50 * Math.min(found.advantage, 1),
    best = 50 + 50 * mostAdvantage(epsilon, found.allowed);
  const area =
    needed > 0 ? `an area of ${rough(needed)} lies outside the band` : "nothing lies outside the band";
  const allowed = found.allowed ? `δ = ${number(found.allowed)} is allowed` : "no δ is allowed";
  return (
    `${most}; ${area}, ${allowed}: the promise is ${kept ? "kept" : "BROKEN"}.` +
    ` The best attacker wins ${about(won)} of 100 rounds; a kept promise leaves ${about(best)}.`
  );
}

export const explorer = {
  facts: facts.row,
  handles: [{ x: "row", panel: 0 }],
  hides: (name, { mechanism }) => name === "delta" && !mechanism.startsWith(GAUSSIAN),
  view(values) {
    const found = compared(values),
      left = densities(found, values);
    return {
      panels: [left, losses(found, values.epsilon)],
      handles: [{ x: values.row, y: left.line, hue: "second" }],
      sentence: sentence(found, values),
    };
  },
};
