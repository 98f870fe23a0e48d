// The law of the privacy loss, and of the sum of k of them: on a grid, or a normal one.
import { gaussianDelta, gaussianMu } from "./laws.mjs";
import { normal, root, transform } from "./special.mjs";

export const CELLS = 1000; // of the grid of one loss

/** The loss of Laplace noise on the worst neighbours: jumps at ±ε, a density between; on a grid. */
export function laplaceLosses(epsilon, cells = CELLS) {
  const step = (2 * epsilon) / cells,
    mass = new Float64Array(cells + 1);
  for (let j = 0, before = 0; j <= cells; j += 1) {
    const height = j === cells ? 1 : Math.exp((j * step - 2 * epsilon) / 2) / 2;
    mass[j] = height - before;
    before = height;
  }
  return { first: -epsilon, step, mass };
}

/** The loss of a coin that tells the truth with probability e^ε/(1 + e^ε): the worst for its ε. */
export function coinLosses(epsilon) {
  const lie = 1 / (1 + Math.exp(epsilon));
  return { first: -epsilon, step: 2 * epsilon, mass: Float64Array.of(lie, 1 - lie) };
}

/** The law of the sum of k independent losses. */
export function times({ first, step, mass }, k) {
  const length = k * (mass.length - 1) + 1,
    size = 2 ** Math.ceil(Math.log2(Math.max(length, 2)));
  const real = new Float64Array(size),
    imaginary = new Float64Array(size);
  real.set(mass);
  transform(real, imaginary);
  raise(real, imaginary, k);
  transform(real, imaginary, 1);
  return { first: k * first, step, mass: real.slice(0, length).map((one) => Math.max(one / size, 0)) };
}

/** Raise complex numbers to a power, in place. */
function raise(real, imaginary, k) {
  for (let j = 0; j < real.length; j += 1) {
    let a = 1,
      b = 0,
      x = real[j],
      y = imaginary[j];
    for (let left = k; left; left >>= 1) {
      if (left & 1) {
        const kept = a * x - b * y;
        b = a * y + b * x;
        a = kept;
      }
      const square = x * x - y * y;
      y *= 2 * x;
      x = square;
    }
    real[j] = a;
    imaginary[j] = b;
  }
}

/** Mean and standard deviation of a law on a grid. */
export function moments({ first, step, mass }) {
  let mean = 0,
    square = 0;
  mass.forEach((one, j) => (mean += one * (first + step * j)));
  mass.forEach((one, j) => (square += one * (first + step * j - mean) ** 2));
  return { mean, sd: Math.sqrt(square) };
}

/** The least δ for an ε: E (1 - e^(ε - loss))₊. */
export function deltaOf({ first, step, mass }, epsilon) {
  let delta = 0,
    whole = 0;
  mass.forEach((one, j) => {
    const loss = first + step * j;
    if (loss > epsilon) delta -= one * Math.expm1(epsilon - loss);
    whole += one;
  });
  return delta + Math.max(1 - whole, 0);
}

/** The least ε for a δ, between 0 and the largest loss. */
export function epsilonOf(law, delta) {
  const most = law.first + law.step * (law.mass.length - 1);
  return deltaOf(law, 0) <= delta ? 0 : root((epsilon) => deltaOf(law, epsilon) - delta, 0, most);
}

/** The δ of a normal loss N(mean, sd²). */
export const normalDelta = (mean, sd, epsilon) =>
  Math.max(
    0,
    normal((mean - epsilon) / sd) -
      Math.exp(epsilon - mean + sd ** 2 / 2) * normal((mean - epsilon) / sd - sd),
  );

/** k uses of Gaussian noise that is (ε, δ)-private each: μ = √k μ₁, and the loss is N(μ²/2, μ²). */
export function gaussianUses(epsilon, delta, k) {
  const mu = Math.sqrt(k) * gaussianMu(epsilon, delta);
  return { mean: mu ** 2 / 2, sd: mu, delta: (total) => gaussianDelta(mu, total) };
}
