// An explorer as it opens, as a picture of its own.
import { prepared } from "./controls.mjs";
import { LETTER, position } from "./mount.mjs";
import { draw, escaped, tall } from "./plot.mjs";
import { STYLE } from "./style.mjs";

const SPACE = "http://www.w3.org/2000/svg";

/** The picture of an explorer as it opens, with its sentence, as a file of its own. */
export function still(told, { width = 960, letter = LETTER } = {}) {
  const controls = Object.entries(told.facts.controls).map(([name, one]) =>
    prepared(name, one, undefined, told.grids),
  );
  const state = Object.fromEntries(controls.map((one) => [one.name, one.start]));
  const view = told.view(state, told.begin?.() ?? {});
  const { svg, frames } = draw(view.panels, {
    width,
    height: Math.round(tall(view.panels.length, width, letter)),
    letter,
    name: told.facts.alt,
  });
  const rings = view.handles
    .map(({ x, y, hue }, place) => {
      const at = frames[told.handles[place].panel];
      return `<circle cx="${at.x.to(x)}" cy="${at.y.to(y)}" r="9" class="dot hue-${hue}"/>`;
    })
    .join("");
  const style = STYLE.replace(/:host\(\[data-theme="dark"\]\) \{[^}]*\}/, "").replace(":host", "svg");
  const words = escaped(`${position(controls, state, told)}. ${view.sentence}`);
  const said = `<style>${style}svg{background:var(--back)}</style><desc>${words}</desc>`;
  return svg
    .replace("<svg", `<svg xmlns="${SPACE}"`)
    .replace(">", `>${said}`)
    .replace("</svg>", `${rings}</svg>\n`);
}
