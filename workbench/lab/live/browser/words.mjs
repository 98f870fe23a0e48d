// Numbers in words, and the round numbers at which a control rests.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹",
  THIN = "\u2009";
const FINE = [
  1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.4, 2.5, 2.6, 2.8, 3, 3.2, 3.5, 3.8, 4, 4.5, 5,
  5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5,
]; // of a decade

/** A power of ten. */
export const power = (exponent) =>
  "10" + (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map((digit) => RAISED[digit]).join("");

/** A number as it stands in a text: 10⁻⁶, 0.05, 30 000. */
export function number(value) {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : value > 0 ? "∞" : "-∞";
  const size = Math.abs(value),
    sign = value < 0 ? "−" : "";
  if (size < 1e-3 || size >= 1e6) {
    const [digits, exponent] = size.toExponential().split("e");
    return `${sign}${digits === "1" ? "" : `${digits}·`}${power(Number(exponent))}`;
  }
  const [whole, part] = String(size).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return sign + grouped + (part ? `.${part}` : "");
}

/** A number to so many digits. */
export const about = (value, digits = 3) => number(Number(value.toPrecision(digits)));

/** The same to two. */
export const rough = (value) => about(value, 2);

/** A share of a hundred. */
export const percent = (share) => `${rough(100 * share)} %`;

function products(low, high, whole) {
  const found = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade += 1) {
    found.push(...FINE.map((one) => Number(`${one}e${decade}`)));
  }
  return whole ? found.filter(Number.isInteger) : found;
}

function multiples(low, high, step) {
  const length = Math.round((high - low) / step);
  return Array.from({ length: length + 1 }, (_, k) => Number((low + k * step).toPrecision(12)));
}

/** The round numbers of a control, its ends and where it starts. */
export function stops({ low, high, value, log, step, whole }) {
  const [first, last] = [Math.min(low, value), Math.max(high, value)];
  const inner = log ? products(first, last, whole) : multiples(low, high, step);
  const kept = inner.filter((one) => one > first && one < last);
  return [...new Set([first, ...kept, value, last])].sort((a, b) => a - b);
}

/** The place in a list of increasing numbers that is nearest, on the scale of the control. */
export function nearest(list, value, log) {
  const scale = (x) => (log ? Math.log(Math.max(x, Number.MIN_VALUE)) : x);
  let best = 0;
  list.forEach((one, k) => {
    if (Math.abs(scale(one) - scale(value)) < Math.abs(scale(list[best]) - scale(value))) best = k;
  });
  return best;
}
