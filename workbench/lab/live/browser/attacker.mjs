// Whose data set was it? A cut against noise, and twenty rounds against the bound.
import facts from "./facts.json" with { type: "json" };
import {
  GAUSSIAN,
  advantage,
  errorsOfCut,
  fewestMisses,
  law,
  logDensity,
  mostAdvantage,
  tradeOff,
} from "./laws.mjs";
import { FAR, NEAR, ROUNDS, rounds } from "./games.mjs";
import { about, number } from "./words.mjs";

const REACH = 10,
  POINTS = 301,
  HALVED = "Laplace, half of it";
const SHARES = Array.from({ length: 101 }, (_, k) => (k / 100) ** 2 * (3 - k / 50)); // closer at both ends

/** A mechanism on one row. */
export function noise({ mechanism, epsilon, delta }) {
  const made = law(mechanism, 1, epsilon, delta, 1);
  return mechanism === HALVED ? { ...made, scale: made.scale / 2 } : made;
}

const keyOf = ({ epsilon, delta, mechanism }) => `${epsilon} ${delta} ${mechanism}`;
const guesses = (values, memory) => (memory.key === keyOf(values) ? memory.guesses : []);
const guess = (second) => (values, memory) => ({
  ...memory,
  key: keyOf(values),
  guesses: [...guesses(values, memory), second].slice(0, ROUNDS),
});

function playOn(values, memory) {
  const said = guesses(values, memory),
    rest = rounds(noise(values), memory.seed).slice(said.length);
  return { ...memory, key: keyOf(values), guesses: [...said, ...rest.map((one) => one.y > values.cut)] };
}

/** What has been played: rounds with guesses, and the one that is next. */
function game(values, memory) {
  const all = rounds(noise(values), memory.seed),
    said = guesses(values, memory);
  const played = said.map((second, k) => ({ ...all[k], said: second, right: second === all[k].second }));
  return { played, next: all[played.length], won: played.filter((one) => one.right).length };
}

/** Both densities with the cut, the rounds that were played below, and the number that is next. */
function left(made, values, { played, next, won }) {
  const at = Array.from({ length: POINTS }, (_, k) => -REACH + (2 * REACH * k) / (POINTS - 1))
    .concat(-1, 1)
    .sort((a, b) => a - b);
  const [first, second] = [NEAR, FAR].map((rows) => at.map(logDensity(made, rows)).map(Math.exp));
  const top = 1.3 * Math.max(...first),
    lines = [-0.12 * top, -0.26 * top],
    inside = (y) => Math.min(Math.max(y, -REACH), REACH);
  const dots = (right) => {
    const some = played.filter((one) => one.right === right);
    return {
      kind: "dots",
      x: some.map((one) => inside(one.y)),
      y: some.map((one) => lines[one.second ? 1 : 0]),
      hue: right ? "good" : "second",
      hollow: !right,
      size: 5,
    };
  };
  const done = `${won} of ${played.length} right`;
  return {
    title: next
      ? `round ${played.length + 1} of ${ROUNDS}: X or X′?${played.length ? ` So far ${done}` : ""}`
      : `game over: ${done}`,
    share: 1.25,
    xlabel: "released number",
    x: [-REACH, REACH],
    y: [-0.36 * top, top],
    yticks: [
      [lines[0], "was X"],
      [lines[1], "was X′"],
    ],
    layers: [
      { kind: "rule", y: 0 },
      { kind: "line", x: at, y: first, hue: "first" },
      { kind: "line", x: at, y: second, hue: "second" },
      {
        kind: "words",
        text: "X",
        bold: true,
        hue: "first",
        x: -1,
        y: Math.max(...first),
        dx: -0.7,
        dy: -0.2,
        anchor: "end",
      },
      {
        kind: "words",
        text: "X′",
        bold: true,
        hue: "second",
        x: 1,
        y: Math.max(...second),
        dx: 0.7,
        dy: -0.2,
      },
      { kind: "line", x: [values.cut, values.cut], y: [-top, top], hue: "amber", thin: true },
      { kind: "words", x: values.cut, y: top, dx: 0.5, dy: 1.1, hue: "amber", text: "say X′ →" },
      {
        kind: "words",
        x: values.cut,
        y: top,
        dx: -0.5,
        dy: 1.1,
        hue: "amber",
        text: "← say X",
        anchor: "end",
      },
      dots(true),
      dots(false),
      ...(next
        ? [
            { kind: "ring", x: inside(next.y), y: 0 },
            {
              kind: "words",
              x: inside(next.y),
              y: 0,
              dy: -0.9,
              anchor: next.y > 7 ? "end" : next.y < -7 ? "start" : "middle",
              bold: true,
              text: `${about(next.y)}?`,
            },
          ]
        : []),
    ],
    top,
  };
}

/** The plane of both errors: the corner, the mechanism's curve, the cut, and what was played. */
function right(made, values, allowed, { played }) {
  const bound = SHARES.map((share) => fewestMisses(values.epsilon, allowed, share)),
    [x, y] = errorsOfCut(made, NEAR, FAR, values.cut);
  const curve = SHARES.map((share) => tradeOff(made, NEAR, FAR, share));
  const share = (some) => some.filter((one) => !one.right).length / some.length;
  const kinds = [false, true].map((second) => played.filter((one) => one.second === second));
  return {
    title: "both errors",
    xlabel: "false positives",
    ylabel: "false negatives",
    x: [0, 1],
    y: [0, 1],
    layers: [
      { kind: "area", x: SHARES, low: SHARES.map(() => 0), high: bound, hue: "grey" },
      { kind: "line", x: SHARES, y: bound, hue: "grey", thin: true },
      { kind: "line", x: [0, 1], y: [1, 0], hue: "grey", thin: true, dash: true },
      { kind: "line", x: SHARES, y: curve, hue: "first" },
      { kind: "line", x: [0, x, x], y: [y, y, 0], hue: "amber", thin: true },
      { kind: "words", x: 0.02, y: 0.02, dy: -0.4, hue: "quiet", text: "nobody gets here" },
      { kind: "words", x: 0.62, y: 0.4, dx: 0.4, dy: -0.3, hue: "quiet", text: "guessing" },
      { kind: "dots", x: [x], y: [y], hue: "amber", size: 6 },
      { kind: "words", x, y, dx: 0.8, dy: -0.5, hue: "amber", text: "your cut" },
      ...(kinds.every((some) => some.length)
        ? [
            {
              kind: "dots",
              x: [share(kinds[0])],
              y: [share(kinds[1])],
              hue: "sliver",
              hollow: true,
              size: 6,
            },
            {
              kind: "words",
              x: share(kinds[0]),
              y: share(kinds[1]),
              dx: 0.8,
              dy: 1.2,
              hue: "sliver",
              text: "this game",
            },
          ]
        : []),
    ],
  };
}

function sentence(made, values, allowed, { played, won }) {
  const [x, y] = errorsOfCut(made, NEAR, FAR, values.cut),
    rate = (one) => about(10 + 10 * one);
  const best = advantage(made, NEAR, FAR),
    most = mostAdvantage(values.epsilon, allowed),
    broken = best > most * (1 + 1e-9);
  const score = played.length ? `You won ${won} of ${played.length} rounds. ` : "";
  const promise = `ε = ${number(values.epsilon)}${allowed ? `, δ = ${number(allowed)}` : ""}`;
  return (
    `${score}In the long run your cut wins ${rate(1 - x - y)} of 20, the best one ${rate(best)};` +
    ` a release that keeps ${promise} leaves at most ${rate(most)}${broken ? ": this one BREAKS it." : "."}`
  );
}

export const explorer = {
  facts: facts.attacker,
  handles: [{ x: "cut", panel: 0 }],
  hides: (name, { mechanism }) => name === "delta" && mechanism !== GAUSSIAN,
  begin: () => ({ seed: 17, guesses: [], key: "" }),
  actions: {
    first: {
      label: "It is X",
      act: guess(false),
      can: (values, memory) => Boolean(game(values, memory).next),
    },
    second: {
      label: "It is X′",
      act: guess(true),
      can: (values, memory) => Boolean(game(values, memory).next),
    },
    cut: {
      label: "Let the cut play on",
      act: playOn,
      can: (values, memory) => Boolean(game(values, memory).next),
    },
    again: { label: "New game", act: (values, memory) => ({ seed: memory.seed + 1, guesses: [], key: "" }) },
  },
  view(values, memory) {
    const made = noise(values),
      allowed = made.kind === GAUSSIAN ? values.delta : 0,
      played = game(values, memory);
    const one = left(made, values, played);
    return {
      panels: [one, right(made, values, allowed, played)],
      handles: [{ x: values.cut, y: 0.62 * one.top, hue: "amber" }],
      sentence: sentence(made, values, allowed, played),
    };
  },
};
