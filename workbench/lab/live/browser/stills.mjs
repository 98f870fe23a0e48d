// Draws every explorer as it opens: `node stills.mjs` writes the pictures in stills/ anew.
import { writeFileSync } from "node:fs";
import facts from "./facts.json" with { type: "json" };
import { still } from "./still.mjs";

for (const name of Object.keys(facts)) {
  const { explorer } = await import(`./${name}.mjs`);
  writeFileSync(new URL(`stills/${name}.svg`, import.meta.url), still(explorer));
}
