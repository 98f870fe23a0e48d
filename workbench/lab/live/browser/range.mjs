// What a range costs: the clipped mean in closed form, the two-step mean as the package foresees it.
import { HALF, clippedError } from "./errors.mjs";
import facts from "./facts.json" with { type: "json" };
import { at, borderAlong, grids } from "./grid.mjs";
import { number, rough } from "./words.mjs";

const ERRORS = [1e-3, 1e5];
const NAMES = { clipped: "clipped mean", found: "two-step mean", plain: "no privacy" };

/** The errors at one range. */
export const errors = ({ n, epsilon, radius }) => ({
  clipped: clippedError(n, radius, epsilon),
  found: at("error", { n, epsilon, radius }),
  plain: HALF / Math.sqrt(n),
});

function panel(values, here) {
  const { n, epsilon, radius } = values,
    radii = grids.radius,
    [low, high] = [radii[0], radii.at(-1)];
  const lost = borderAlong("radius", "found", values, n),
    near = radius > 3e3;
  const label = (y, text, hue, dy) => ({
    kind: "words",
    x: radius,
    y,
    dx: near ? -0.9 : 0.9,
    anchor: near ? "end" : "start",
    dy,
    hue,
    bold: true,
    text,
  });
  return {
    title: `n = ${number(n)}, ε = ${number(epsilon)}`,
    xlabel: "half-width R of the range (standard deviations)",
    ylabel: "median error (σ)",
    x: [low, high],
    y: ERRORS,
    xlog: true,
    ylog: true,
    layers: [
      ...(lost < high
        ? [
            {
              kind: "area",
              x: [Math.max(lost, low), high],
              low: [ERRORS[0], ERRORS[0]],
              high: [ERRORS[1], ERRORS[1]],
              hue: "grey",
            },
            {
              kind: "words",
              x: Math.max(lost, low),
              y: ERRORS[1],
              dx: 0.5,
              dy: 1.2,
              hue: "quiet",
              text: "too few rows to find the data",
            },
          ]
        : []),
      {
        kind: "line",
        x: [low, high],
        y: [here.plain, here.plain],
        hue: "truth",
        thin: true,
        label: NAMES.plain,
      },
      {
        kind: "line",
        x: radii,
        y: radii.map((one) => clippedError(n, one, epsilon)),
        hue: "second",
        label: NAMES.clipped,
      },
      {
        kind: "line",
        x: radii,
        y: radii.map((one) => at("error", { n, epsilon, radius: one })),
        hue: "first",
        label: NAMES.found,
      },
      { kind: "line", x: [radius, radius], y: ERRORS, hue: "amber", thin: true },
      { kind: "dots", x: [radius, radius], y: [here.clipped, here.found], hue: "amber", size: 5 },
      label(here.clipped, rough(here.clipped), "second", -0.5),
      label(here.found, rough(here.found), "first", -0.5),
    ],
  };
}

function sentence({ radius, n, epsilon }, { clipped, found, plain }) {
  const needs = at("found", { radius, epsilon });
  if (n < needs)
    return (
      `The two-step mean does not find the data: with this range and ε it takes ${number(needs)} rows.` +
      ` Sampling alone errs by ${rough(plain)} σ.`
    );
  const better =
    clipped > found
      ? `the look at the data makes the error ${rough(clipped / found)} times smaller`
      : "the range is so short that the look costs more than it saves";
  return (
    `The clipped mean errs by ${rough(clipped)} σ, ${rough(clipped / plain)} times what sampling does;` +
    ` the two-step mean by ${rough(found)} σ, ${rough(found / plain)} times: ${better}.`
  );
}

export const explorer = {
  facts: facts.range,
  grids,
  handles: [{ x: "radius", panel: 0 }],
  view(values) {
    const here = errors(values);
    return {
      panels: [panel(values, here)],
      handles: [{ x: values.radius, y: 2e-3, hue: "amber" }],
      sentence: sentence(values, here),
    };
  },
};
