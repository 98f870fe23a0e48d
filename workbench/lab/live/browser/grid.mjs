// Predictions that have no closed form, on a grid of round numbers.
import told from "./one_mean.json" with { type: "json" };

export const grids = { n: told.n, epsilon: told.epsilon, radius: told.radius };

const row = ({ epsilon, radius }) =>
  told.epsilon.indexOf(epsilon) * told.radius.length + told.radius.indexOf(radius);

/** What is foreseen at a place of the grid; `found` and `free` have no n. */
export function at(what, place) {
  const found = told[what][row(place)];
  return Array.isArray(found) ? found[told.n.indexOf(place.n)] : found;
}

/** Where a list of numbers crosses a value, on logarithmic scales; beyond the ends infinite, or 0. */
export function crossing(places, heights, value) {
  const over = heights.map((height) => Math.log(height / value));
  for (let k = 1; k < places.length; k += 1) {
    if (over[k - 1] * over[k] <= 0 && over[k - 1] !== over[k]) {
      const share = over[k - 1] / (over[k - 1] - over[k]);
      return places[k - 1] * (places[k] / places[k - 1]) ** share;
    }
  }
  const rises = over.at(-1) > over[0];
  return over[0] > 0 === rises ? 0 : Infinity;
}

/** Where a border, an n, has this value along ε or R. */
export const borderAlong = (along, what, place, n) =>
  crossing(
    grids[along],
    grids[along].map((one) => at(what, { ...place, [along]: one })),
    n,
  );
