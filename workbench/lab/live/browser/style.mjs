// How an explorer looks; hues are variables, so that a dark page changes them alone.

export const STYLE = `
:host {
  display: block; color: var(--ink); 
  font: var(--text, 14px)/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  --ink: #222222; --quiet: #5c5c5c; --grey: #8a8a8a; --line: #d0d0d0; --back: #ffffff; --truth: #111111;
  --first: #0072b2; --second: #d55e00; --good: #009e73; --sliver: #b04a8b; --amber: #b97a00; --sky: #2f8fc9;
}
:host([data-theme="dark"]) {
  --ink: #e6e6e3; --quiet: #b4b4b0; --grey: #8f8f8c; --line: #4a4d50; --back: #1e2124; --truth: #ffffff;
  --first: #56b4e9; --second: #ff9a62; --good: #5fd0a8; --sliver: #f08cc8; --amber: #e8c060; --sky: #8fd0f5;
}
* { box-sizing: border-box; }
.controls { display: flex; flex-wrap: wrap; gap: .35em 1.6em; align-items: center; margin: 0 0 .5em; }
.control { display: flex; align-items: center; gap: .55em; flex: 1 1 15em; min-width: 13em; max-width: 30em; }
.control > label { white-space: nowrap; }
.control > input[type="range"] { 
  flex: 1 1 0; min-width: 5em; height: 1.7em; margin: 0; accent-color: var(--first); cursor: pointer;
}
.control > output { min-width: 5.4em; font-variant-numeric: tabular-nums; white-space: nowrap; }
.control.idle { opacity: .45; }
.control.choice { flex: 0 1 auto; min-width: 0; }
select, button {
  font: inherit; color: inherit; background: var(--back); border: 1px solid var(--grey); border-radius: 6px;
  padding: .18em .6em; cursor: pointer;
}
button:disabled { opacity: .45; cursor: default; }
:focus-visible { outline: 2px solid var(--first); outline-offset: 2px; }
.buttons { display: flex; gap: .5em; flex-wrap: wrap; margin-left: auto; }
.picture { position: relative; touch-action: pan-y; }
.picture > svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.handle {
  position: absolute; width: 1.5em; height: 1.5em; margin: -.75em 0 0 -.75em; border-radius: 50%;
  cursor: grab; touch-action: none;
  background: var(--handle, var(--second)); border: 2.5px solid var(--back);
  box-shadow: 0 0 0 1.5px var(--handle, var(--second));
}
.handle::after { content: ""; position: absolute; inset: -.7em; border-radius: 50%; }
.handle:active { cursor: grabbing; }
.handle:focus-visible { outline-offset: 4px; }
.says { margin: .3em 0 0; min-height: 2.9em; }
.says b { font-weight: 600; }
.words {
  fill: var(--hue); stroke: var(--back); stroke-width: .22em; stroke-linejoin: round; paint-order: stroke;
}
.line { fill: none; stroke: var(--hue); stroke-width: 2.2; stroke-linejoin: round; }
.line.thin { stroke-width: 1.2; }
.line.dash { stroke-dasharray: 5 4; }
.axis { fill: none; stroke: var(--grey); stroke-width: 1; }
.area { fill: var(--hue); fill-opacity: .17; stroke: none; }
.area.strong { fill-opacity: .75; }
.dot { fill: var(--hue); stroke: var(--back); stroke-width: 1; }
.dot.hollow { fill: var(--back); stroke: var(--hue); stroke-width: 2; }
.ring { fill: none; stroke: var(--hue); stroke-width: 2; }
${["ink", "quiet", "grey", "first", "second", "good", "sliver", "amber", "sky", "truth"]
  .map((name) => `.hue-${name} { --hue: var(--${name}); }`)
  .join("\n")}
`;

/** Whether letters of this colour are light, so that the page is dark. */
export function light(colour) {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140;
}
