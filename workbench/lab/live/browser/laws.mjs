// The laws of what is released about a column within public bounds, and what the best attacker does with two.
import { logNormal, normal, root } from "./special.mjs";

export const LAPLACE = "Laplace";
export const GAUSSIAN = "Gaussian";
export const MEDIAN = "median";
const UNCLIPPED = ["Laplace, not clipped", "Gaussian, not clipped"];
const ROUNDING = Number.EPSILON;
const BITS = 26; // of a clipped row: `estimators/shared/rows.py`

/** The exact δ(ε) of μ-GDP: Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) (Balle & Wang 2018). */
export function gaussianDelta(mu, epsilon) {
  const first = logNormal(mu / 2 - epsilon / mu),
    second = epsilon + logNormal(-mu / 2 - epsilon / mu);
  const slack = 4 * ROUNDING * (2 + Math.abs(first) + Math.abs(second) + epsilon);
  return Math.min(Math.exp(first) * (slack - Math.expm1(Math.min(second - first, 0))), 1);
}

/** The largest μ whose Gaussian mechanism is exactly (ε, δ)-private: the analytic calibration. */
export function gaussianMu(epsilon, delta) {
  const high = Math.log(Math.max(1, Math.sqrt(2 * epsilon)) * 50);
  return Math.exp(root((log) => gaussianDelta(Math.exp(log), epsilon) - delta, Math.log(delta) - 3, high));
}

/** A mechanism on n rows within ±bound: additive noise of a scale, or the private median. */
export function law(mechanism, n, epsilon, delta, bound) {
  if (mechanism === MEDIAN) return { kind: MEDIAN, epsilon, bound };
  const sensitivity = (2 * bound) / n,
    clip = UNCLIPPED.includes(mechanism) ? Infinity : bound;
  const kind = mechanism.startsWith(GAUSSIAN) ? GAUSSIAN : LAPLACE;
  return {
    kind,
    clip,
    scale: kind === LAPLACE ? sensitivity / epsilon : sensitivity / gaussianMu(epsilon, delta),
  };
}

/** The mean of rows clipped to ±clip: of whole numbers of a public step, as the package adds them up. */
export function clippedMean(rows, clip) {
  if (clip === Infinity) return rows.reduce((sum, row) => sum + row, 0) / rows.length;
  const step = 2 ** (Math.ceil(Math.log2(clip)) - BITS),
    limit = Math.floor(clip / step);
  const whole = (row) => Math.min(Math.max(nearest(row / step), -limit), limit);
  return (rows.reduce((sum, row) => sum + whole(row), 0) * step) / rows.length;
}

/** The whole number next to one; halves go to the even one. */
function nearest(value) {
  const low = Math.floor(value),
    up = value - low;
  return up > 0.5 || (up === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/** The pieces on which the median's density is constant: edges, and log densities between them. */
export function steps({ epsilon, bound }, rows) {
  const inside = [...rows].sort((a, b) => a - b).map((row) => Math.min(Math.max(row, -bound), bound));
  const edges = [-bound, ...inside, bound];
  const weights = edges.slice(1).map((_, left) => (-epsilon * Math.abs(rows.length - 2 * left)) / 4);
  const total = weights.reduce((sum, one, k) => sum + Math.exp(one) * (edges[k + 1] - edges[k]), 0);
  return { edges, values: weights.map((one) => one - Math.log(total)) };
}

/** The log density of the output on rows, as a function of the output. */
export function logDensity(made, rows) {
  if (made.kind === MEDIAN) {
    const { edges, values } = steps(made, rows);
    return (y) =>
      Math.abs(y) > made.bound
        ? -Infinity
        : values[
            Math.min(
              Math.max(
                edges.findLastIndex((edge) => edge <= y),
                0,
              ),
              values.length - 1,
            )
          ];
  }
  const mean = clippedMean(rows, made.clip),
    { scale } = made;
  if (made.kind === LAPLACE) return (y) => -Math.abs(y - mean) / scale - Math.log(2 * scale);
  return (y) => -(((y - mean) / scale) ** 2) / 2 - Math.log(scale * Math.sqrt(2 * Math.PI));
}

/** Two densities of the median, piece by piece: their masses. */
function masses(made, first, second) {
  const both = [first, second].map((rows) => ({ log: logDensity(made, rows), ...steps(made, rows) }));
  const edges = [...new Set(both.flatMap((one) => one.edges))].sort((a, b) => a - b);
  return edges
    .slice(1)
    .map((edge, k) => both.map(({ log }) => Math.exp(log((edge + edges[k]) / 2)) * (edge - edges[k])));
}

/** How far apart two means are, in units of the noise. */
export const shift = (made, first, second) =>
  Math.abs(clippedMean(first, made.clip) - clippedMean(second, made.clip)) / made.scale;

/** The δ that (ε, δ) needs for two data sets: the area of the larger sliver. */
export function excess(made, first, second, epsilon) {
  if (made.kind === MEDIAN) {
    const pairs = masses(made, first, second),
      beyond = (a, b) => Math.max(a - Math.exp(epsilon) * b, 0);
    return Math.max(
      sum(pairs, (a, b) => beyond(b, a)),
      sum(pairs, beyond),
    );
  }
  const apart = shift(made, first, second);
  if (made.kind === LAPLACE) return Math.max(0, -Math.expm1((epsilon - apart) / 2));
  return apart > 0 ? gaussianDelta(apart, epsilon) : 0;
}

/** True minus false positives of the best attacker: half the area between the densities. */
export const advantage = (made, first, second) =>
  made.kind === MEDIAN
    ? sum(masses(made, first, second), (a, b) => Math.abs(a - b)) / 2
    : excess(made, first, second, 0);

const sum = (pairs, f) => pairs.reduce((total, [a, b]) => total + f(a, b), 0);

/** The largest loss |ln f'/f| over all outputs; for Gaussian noise there is none. */
export function largestLoss(made, first, second) {
  if (made.kind === LAPLACE) return shift(made, first, second);
  if (made.kind === GAUSSIAN) return shift(made, first, second) > 0 ? Infinity : 0;
  const [one, other] = [logDensity(made, first), logDensity(made, second)];
  const edges = [...steps(made, first).edges, ...steps(made, second).edges].sort((a, b) => a - b);
  const middles = edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
  return Math.max(...middles.map((y) => Math.abs(one(y) - other(y))));
}

/** P(noise ≤ z) for noise of scale 1. */
export function below(kind, z) {
  if (kind === GAUSSIAN) return normal(z);
  return z < 0 ? Math.exp(z) / 2 : 1 - Math.exp(-z) / 2;
}

/** False positives and false negatives of saying "the second" of every output above a cut. */
export const errorsOfCut = (made, first, second, cut) => [
  1 - below(made.kind, (cut - clippedMean(first, made.clip)) / made.scale),
  below(made.kind, (cut - clippedMean(second, made.clip)) / made.scale),
];

/** The fewest false negatives of any test of two data sets with a share of false positives. */
export function tradeOff(made, first, second, positives) {
  if (made.kind === MEDIAN) return broken(masses(made, first, second), positives);
  const apart = shift(made, first, second);
  if (positives <= 0 || positives >= 1) return positives <= 0 ? 1 : 0;
  if (made.kind === GAUSSIAN) return normal(root((z) => normal(z) - (1 - positives), -40, 40) - apart);
  return below(LAPLACE, (positives < 0.5 ? -Math.log(2 * positives) : Math.log(2 - 2 * positives)) - apart);
}

/** The same where the law has pieces: the largest ratios are taken first, the last of them in part. */
function broken(pairs, positives) {
  let left = positives,
    missed = 1;
  for (const [a, b] of [...pairs].sort(([a, b], [c, d]) => d / c - b / a)) {
    const share = a > 0 ? Math.min(1, Math.max(0, left / a)) : 1;
    missed -= share * b;
    left -= share * a;
  }
  return Math.max(missed, 0);
}

/** The least possible false negatives against any (ε, δ)-private release. */
export const fewestMisses = (epsilon, delta, positives) =>
  Math.max(1 - delta - Math.exp(epsilon) * positives, Math.exp(-epsilon) * (1 - delta - positives), 0);

/** The largest advantage against any (ε, δ)-private release. */
export const mostAdvantage = (epsilon, delta) => (Math.expm1(epsilon) + 2 * delta) / (Math.exp(epsilon) + 1);
