// Three layers of error of a clipped covariance, against the radius at which rows are cut.
import { layers } from "./errors.mjs";
import facts from "./facts.json" with { type: "json" };
import { percent, rough } from "./words.mjs";

const AXIS = [2, 50],
  ERRORS = [1e-3, 30],
  POINTS = 61;
const GAMMAS = Array.from({ length: POINTS }, (_, k) => AXIS[0] * (AXIS[1] / AXIS[0]) ** (k / (POINTS - 1)));
const PARTS = [
  ["bias", "first"],
  ["noise", "second"],
  ["sampling", "grey"],
];

function curves(law, gamma, best) {
  const lines = PARTS.map(([name, hue]) => ({
    kind: "line",
    x: GAMMAS,
    y: GAMMAS.map(law[name]),
    hue,
    label: name,
  }));
  const both = (radius) => law.bias(radius) + law.noise(radius);
  return {
    title: "error against the cut",
    share: 1.9,
    xlabel: "γ: rows are cut here (standard deviations)",
    ylabel: "error",
    x: AXIS,
    y: ERRORS,
    xlog: true,
    ylog: true,
    height: both(gamma),
    layers: [
      { kind: "rule", x: best, dash: true, hue: "grey" },
      {
        kind: "words",
        x: best,
        y: ERRORS[1],
        dx: 0.4,
        dy: 1.1,
        hue: "quiet",
        text: `best: ${rough(best)}`,
      },
      ...lines.map((one) => ({ ...one, y: one.y.map((value) => (value > ERRORS[0] / 10 ? value : NaN)) })),
      { kind: "line", x: GAMMAS, y: GAMMAS.map(both), hue: "ink" },
      {
        kind: "words",
        x: GAMMAS[4],
        y: both(GAMMAS[4]),
        dx: 0,
        dy: -0.7,
        hue: "ink",
        bold: true,
        text: "bias + noise",
      },
      { kind: "line", x: [gamma, gamma], y: ERRORS, hue: "amber", thin: true },
    ],
  };
}

function stacks(law, gamma, best) {
  const stack = (radius, place) => {
    let low = 0;
    return PARTS.map(([name, hue]) => {
      const high = low + law[name](radius),
        layer = {
          kind: "area",
          x: [place - 0.32, place + 0.32],
          low: [low, low],
          high: [high, high],
          hue,
          strong: true,
        };
      low = high;
      return layer;
    });
  };
  const sums = [gamma, best].map((radius) => PARTS.reduce((sum, [name]) => sum + law[name](radius), 0));
  return {
    title: "all three",
    xlabel: "cut γ",
    ylabel: "error, added up",
    x: [0.4, 2.6],
    y: [0, 1.15 * Math.max(...sums)],
    xticks: [
      [1, `yours: ${rough(gamma)}`],
      [2, `best: ${rough(best)}`],
    ],
    layers: [
      ...stack(gamma, 1),
      ...stack(best, 2),
      ...sums.map((sum, k) => ({
        kind: "words",
        x: k + 1,
        y: sum,
        dy: -0.4,
        anchor: "middle",
        bold: true,
        text: rough(sum),
      })),
    ],
  };
}

function sentence(law, gamma, best) {
  const [bias, noise, sampling] = PARTS.map(([name]) => law[name](gamma)),
    least = law.bias(best) + law.noise(best);
  const larger =
    Math.abs(Math.log(gamma / best)) < 0.06
      ? "Bias and noise balance"
      : gamma < best
        ? "The bias rules: cut farther out"
        : "The noise rules: cut nearer";
  const word = least > law.sampling(best) ? "more" : "less";
  return (
    `Bias ${rough(bias)}, noise ${rough(noise)}, sampling ${rough(sampling)};` +
    ` ${percent(law.clipped(gamma))} of the rows are cut. ${larger}. At the best cut, ${rough(best)},` +
    ` bias and noise are ${rough(least)} together, ${word} than sampling.`
  );
}

export const explorer = {
  facts: facts.layers,
  handles: [{ x: "gamma", panel: 0 }],
  view({ gamma, rho, n, d, degrees }) {
    const law = layers(degrees, d, n, rho),
      best = law.best(),
      left = curves(law, gamma, best);
    const height = Math.min(Math.max(left.height, ERRORS[0]), ERRORS[1]);
    return {
      panels: [left, stacks(law, gamma, best)],
      handles: [{ x: gamma, y: height, hue: "amber" }],
      sentence: sentence(law, gamma, best),
    };
  },
};
