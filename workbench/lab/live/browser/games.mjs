// Rounds of a game that a seed decides.
import { GAUSSIAN } from "./laws.mjs";

export const NEAR = [-1]; // one row in [-1, 1]: in X
export const FAR = [1]; // in X′
export const ROUNDS = 20;

/** Even numbers between 0 and 1 that a seed decides (mulberry32). */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The rounds of a game: a coin chooses the row, and the noise is fresh. */
export function rounds(made, seed) {
  const next = numbers(seed);
  return Array.from({ length: ROUNDS }, () => {
    const [coin, u, v] = [next(), 1 - next(), next()];
    const laplace = (v < 0.5 ? 1 : -1) * -Math.log(u),
      normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    return {
      second: coin < 0.5,
      y: (coin < 0.5 ? FAR : NEAR)[0] + made.scale * (made.kind === GAUSSIAN ? normal : laplace),
    };
  });
}
