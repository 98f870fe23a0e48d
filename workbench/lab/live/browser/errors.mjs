// Errors that are foreseen: of a clipped mean, and of a covariance of clipped rows.
import { beta, logBeta, logNormal, normal, root } from "./special.mjs";

export const HALF = 0.6744897501960817; // the median of |N(0, 1)|
const GRID = 121,
  REACH = 6; // of excesses of a clip over the range

/** P(N(0, sd²) + Lap(scale) > t) for t ≥ 0. */
export function tail(t, sd, scale) {
  const rate = sd / scale;
  const left = Math.exp(rate ** 2 / 2 - t / scale + logNormal(t / sd - rate));
  const right = Math.exp(rate ** 2 / 2 + t / scale + logNormal(-t / sd - rate));
  return normal(-t / sd) + (left - right) / 2;
}

/** t with P(|N(0, sd²) + Lap(scale)| > t) = share. */
export const halfWidth = (share, sd, scale) =>
  root((t) => 2 * tail(t, sd, scale) - share, 0, 40 * sd + scale * Math.log(2 / share));

/** Where the tight clipped mean of n rows in ±radius cuts: bias² plus noise² is least on a grid. */
export function tightClip(n, radius, epsilon) {
  const unit = (Math.SQRT2 * 2) / (n * epsilon);
  let least = Infinity,
    found = 0;
  for (let k = 0; k < GRID; k += 1) {
    const excess = (k * REACH) / (GRID - 1);
    const bias = Math.exp(-(excess ** 2) / 2) / Math.sqrt(2 * Math.PI) - excess * normal(-excess);
    const objective = bias ** 2 + (unit * (radius + excess)) ** 2;
    if (objective < least) [least, found] = [objective, excess];
  }
  return radius + found;
}

/** The median error of the tight clipped mean of n rows whose mean is within ±radius. */
export const clippedError = (n, radius, epsilon) =>
  halfWidth(0.5, 1 / Math.sqrt(n), (2 * tightClip(n, radius, epsilon)) / (n * epsilon));

/** Bias, noise and sampling error of the second moment of n rows of Student's t, clipped to a ball. */
export function layers(degrees, d, n, rho) {
  const logs = logBeta(d / 2, degrees / 2);
  const moment = (order) =>
    (degrees - 2) ** order * Math.exp(logBeta(d / 2 + order, degrees / 2 - order) - logs);
  const whole = [0, 1, 2].map(moment);
  const beyond = (order, radius) => {
    const far = (degrees - 2) / (degrees - 2 + radius ** 2);
    return whole[order] * beta(degrees / 2 - order, d / 2 + order, far);
  };
  const bias = (radius) => (beyond(1, radius) - radius ** 2 * beyond(0, radius)) / Math.sqrt(d);
  const noise = (radius) => (radius ** 2 / (n * Math.sqrt(rho))) * Math.sqrt((d * (d + 1)) / 2);
  const sampling = (radius) => {
    const kept = 1 - bias(radius) / Math.sqrt(d);
    return Math.sqrt((whole[2] - beyond(2, radius) + radius ** 4 * beyond(0, radius) - d * kept ** 2) / n);
  };
  return { bias, noise, sampling, clipped: (radius) => beyond(0, radius), best: () => best(bias, noise, d) };
}

/** The radius at which bias plus noise is least, by golden sections of its logarithm. */
function best(bias, noise, d) {
  const golden = (Math.sqrt(5) - 1) / 2,
    total = (u) => bias(Math.exp(u)) + noise(Math.exp(u));
  let low = Math.log(d) / 2 - 2,
    high = Math.log(d) / 2 + 8;
  while (high - low > 1e-7) {
    const inner = high - golden * (high - low),
      outer = low + golden * (high - low);
    if (total(inner) < total(outer)) high = outer;
    else low = inner;
  }
  return Math.exp((low + high) / 2);
}
