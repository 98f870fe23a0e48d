// Special functions in double precision: the normal law, the beta law, a Fourier transform, roots.

const SMALL = [
  [
    1.85777706184603153e-1, 3.1611237438705656, 1.13864154151050156e2, 3.77485237685302021e2,
    3.20937758913846947e3,
  ],
  [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3],
];
const MIDDLE = [
  [
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
    2.98635138197400131e2, 8.8195222124176909e2, 1.71204761263407058e3, 2.05107837782607147e3,
    1.23033935479799725e3,
  ],
  [
    1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
  ],
];
const LARGE = [
  [
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
  ],
  [
    1, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3,
  ],
];
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const SERIES = 0.46875; // below it erf has a series of its own

const polynomial = (coefficients, x) => coefficients.reduce((sum, one) => sum * x + one, 0);
const ratio = ([above, below], x) => polynomial(above, x) / polynomial(below, x);

/** e^(x²) erfc(x) for x ≥ SERIES (Cody 1969). */
function scaled(x) {
  if (x <= 4) return ratio(MIDDLE, x);
  const square = 1 / (x * x);
  return (1 / Math.sqrt(Math.PI) - square * ratio(LARGE, square)) / x;
}

/** 1 - erf(x). */
export function erfc(x) {
  if (Math.abs(x) <= SERIES) return 1 - x * ratio(SMALL, x * x);
  if (x < 0) return 2 - erfc(-x);
  const near = Math.trunc(x * 16) / 16; // e^(-x²) without the rounding of x²
  return Math.exp(-near * near) * Math.exp(-(x - near) * (x + near)) * scaled(x);
}

/** The distribution function of N(0, 1). */
export const normal = (x) => erfc(-x / Math.SQRT2) / 2;

/** Its logarithm. */
export function logNormal(x) {
  if (x > 1) return Math.log1p(-normal(-x));
  if (x > -1) return Math.log(normal(x));
  return Math.log(scaled(-x / Math.SQRT2) / 2) - (x * x) / 2;
}

/** ln Γ(x) for x > 0. */
export function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const sum = LANCZOS.reduce((total, one, k) => (k ? total + one / (x - 1 + k) : one), 0);
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(x + 6.5) - (x + 6.5) + Math.log(sum);
}

export const logBeta = (a, b) => logGamma(a) + logGamma(b) - logGamma(a + b);

/** The distribution function of Beta(a, b), by its continued fraction (Lentz). */
export function beta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(b, a, 1 - x);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
  const lift = (number) => (Math.abs(number) < 1e-300 ? 1e-300 : number);
  let c = 1,
    d = 1 / lift(1 - ((a + b) * x) / (a + 1)),
    sum = d;
  for (let m = 1; m < 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let factor = 1;
    for (const one of [even, odd]) {
      d = 1 / lift(1 + one * d);
      c = lift(1 + one / c);
      factor = c * d;
      sum *= factor;
    }
    if (Math.abs(factor - 1) < 1e-15) break;
  }
  return front * sum;
}

/** Where a function that rises, or falls, between two ends is 0. */
export function root(f, low, high) {
  const sign = Math.sign(f(high)) || 1;
  for (let step = 0; step < 200 && high - low > 4e-16 * (Math.abs(low) + Math.abs(high)); step += 1) {
    const middle = (low + high) / 2;
    if (f(middle) * sign > 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

const turns = new Map(); // size -> cosines and sines of its turns

function turnsOf(size) {
  if (!turns.has(size)) {
    const angles = Float64Array.from({ length: size / 2 }, (_, k) => (2 * Math.PI * k) / size);
    turns.set(size, [angles.map(Math.cos), angles.map(Math.sin)]);
  }
  return turns.get(size);
}

function reverse(list) {
  for (let i = 1, j = 0; i < list.length; i += 1) {
    let bit = list.length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const kept = list[i];
      list[i] = list[j];
      list[j] = kept;
    }
  }
}

/** The Fourier transform of 2^m complex numbers, in place; `sign` 1 is the inverse without its 1/size. */
export function transform(real, imaginary, sign = -1) {
  const size = real.length,
    [cosines, sines] = turnsOf(size);
  reverse(real);
  reverse(imaginary);
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half);
    for (let start = 0; start < size; start += 2 * half) {
      for (let k = 0, near = start, far = start + half; k < half; k += 1, near += 1, far += 1) {
        const c = cosines[k * stride],
          s = sign * sines[k * stride];
        const x = real[far] * c - imaginary[far] * s,
          y = real[far] * s + imaginary[far] * c;
        real[far] = real[near] - x;
        imaginary[far] = imaginary[near] - y;
        real[near] += x;
        imaginary[near] += y;
      }
    }
  }
}
