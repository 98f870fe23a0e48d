// Is privacy free? The plane of n and ε in three regions, with lines of equal error.
import { HALF } from "./errors.mjs";
import facts from "./facts.json" with { type: "json" };
import { at, borderAlong, crossing, grids } from "./grid.mjs";
import { number, rough } from "./words.mjs";

const [FEWEST, MOST] = [grids.n[0], grids.n.at(-1)],
  ENDS = [grids.epsilon[0], grids.epsilon.at(-1)];
const ALPHAS = [0.3, 0.1, 0.03, 0.01];
const FREE = "privacy costs less than sampling",
  DEAR = "privacy costs more than sampling",
  LOST = "too few rows to find the data";

/** Where a point is: which region, and both parts of its error. */
export function placed(values) {
  const sampling = HALF / Math.sqrt(values.n),
    privacy = at("distance", values),
    found = at("found", values),
    free = at("free", values);
  return {
    sampling,
    privacy,
    found,
    free,
    region: values.n < found ? LOST : privacy > sampling ? DEAR : FREE,
  };
}

/** The region between two borders, from below to above. */
function region(from, to, hue) {
  const inside = (one) => Math.min(Math.max(one, FEWEST), MOST),
    up = grids.epsilon;
  return {
    kind: "shape",
    x: [...from.map(inside), ...[...to].reverse().map(inside)],
    y: [...up, ...[...up].reverse()],
    hue,
  };
}

/** The rows that one error takes, for every ε. */
const contour = (alpha, radius) =>
  grids.epsilon.map((epsilon) =>
    crossing(
      grids.n,
      grids.n.map((n) => at("error", { n, epsilon, radius })),
      alpha,
    ),
  );

function panel({ n, epsilon, radius }) {
  const border = (what) => grids.epsilon.map((one) => at(what, { epsilon: one, radius }));
  const found = border("found"),
    free = border("free").map((one, k) => Math.max(one, found[k]));
  const edge = (value) => grids.epsilon.map(() => value),
    middle = Math.floor(grids.epsilon.length / 2);
  const lines = ALPHAS.map((alpha) => ({ alpha, n: contour(alpha, radius) }));
  const inside = (list) => list.map((one) => (one >= FEWEST && one <= MOST ? one : NaN));
  const line = (list, hue, rest) => {
    const kept = list
      .map((one, k) => [one, grids.epsilon[k]])
      .filter(([one]) => one > 0 && Number.isFinite(one));
    return { kind: "line", x: kept.map(([one]) => one), y: kept.map(([, up]) => up), hue, ...rest };
  };
  const name = (lines, place, up, hue) =>
    lines.map((text, k) => {
      const dy = 1.2 * (k - (lines.length - 1) / 2);
      return { kind: "words", x: place, y: up, dy, anchor: "middle", bold: true, hue, text };
    });
  const least = found[2],
    half = Math.sqrt(Math.max(free[middle], FEWEST) * MOST);
  return {
    title: `range R = ${number(radius)} σ`,
    xlabel: "rows n",
    ylabel: "ε",
    x: [FEWEST, MOST],
    y: ENDS,
    xlog: true,
    ylog: true,
    layers: [
      region(edge(FEWEST), found, "grey"),
      region(found, free, "second"),
      region(free, edge(MOST), "good"),
      line(found, "grey"),
      line(free, "ink"),
      ...lines.map((one) => line(one.n, "quiet", { thin: true, dash: true })),
      ...lines.flatMap(({ alpha, n: rows }) =>
        Number.isFinite(inside(rows).at(-2))
          ? [
              {
                kind: "words",
                x: rows.at(-2),
                y: grids.epsilon.at(-2),
                dx: 0.3,
                hue: "quiet",
                text: `error ${number(alpha)}`,
              },
            ]
          : [],
      ),
      ...name([FREE], half, 1.1, "good"),
      ...(free[3] > 3 * found[3]
        ? name(
            ["privacy costs more", "than sampling"],
            Math.sqrt(free[2] * Math.max(found[2], FEWEST)),
            0.1,
            "second",
          )
        : []),
      ...(least > 3 * FEWEST
        ? name(["too few rows", "to find the data"], Math.sqrt(FEWEST * least), 0.07, "quiet")
        : []),
      { kind: "line", x: [FEWEST, n, n], y: [epsilon, epsilon, ENDS[0]], hue: "amber", thin: true },
    ],
  };
}

function sentence(values, { sampling, privacy, found, region: where }) {
  const free = Math.max(at("free", values), found),
    enough = borderAlong("epsilon", "free", values, values.n);
  const rows = `${rough(free)} rows`,
    least =
      enough > ENDS[0] && Number.isFinite(enough)
        ? `ε = ${rough(enough)}`
        : `any ε from ${number(ENDS[0])} on`;
  const crosses = `At this ε they are equal at ${rows}, at this n at ${least}.`;
  if (where === LOST)
    return (
      `Too few rows to find the data: at this ε and range it takes ${number(found)}.` +
      ` Privacy costs less than sampling from ${rows} on.`
    );
  const answer = where === FREE ? "Nearly free" : "Not free";
  return (
    `${answer}: sampling errs by ${rough(sampling)} σ, and privacy moves the mean by ${rough(privacy)} σ,` +
    ` ${rough(privacy / sampling)} times that. ${crosses}`
  );
}

export const explorer = {
  facts: facts.free,
  grids,
  handles: [{ x: "n", y: "epsilon", panel: 0 }],
  view(values) {
    const found = placed(values);
    return {
      panels: [panel(values)],
      handles: [{ x: values.n, y: values.epsilon, hue: "amber" }],
      sentence: sentence(values, found),
    };
  },
};
