// Where an axis has ticks, and what they say.
import { number, power } from "./words.mjs";

/** Ticks between two ends, at most about so many. */
export function ticks([low, high], log, most) {
  if (log) {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const every = Math.max(1, Math.ceil((last - first + 1) / most));
    const decades = [];
    for (let k = first; k <= last; k += 1) decades.push(k);
    if (decades.length < 3) {
      return decades
        .concat(last + 1, first - 1)
        .flatMap((k) => [1, 2, 5].map((one) => Number(`${one}e${k}`)))
        .filter((one) => one >= low * 0.999 && one <= high * 1.001);
    }
    return decades.filter((k) => k % every === 0).map((k) => Number(`1e${k}`));
  }
  const rough = (high - low) / most,
    unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((one) => one * unit >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1)
    found.push(Number((k * step).toPrecision(9)));
  return found;
}

/** A tick in words. */
export const ticked = (value, log) => {
  const exponent = Math.round(Math.log10(Math.abs(value)));
  const far = log && (exponent < -2 || exponent > 3) && Math.abs(value / 10 ** exponent - 1) < 1e-9;
  return far ? power(exponent) : number(value);
};
