// Records, inside the page, when a control was moved, when pictures came, and how far each of them was.
(box) => {
  if (box.probe) return;
  const picture = box.querySelector("img");
  const said = () => box.querySelector("[data-stage]");
  const words = () => said().dataset;
  let moved = 0, left = null, shown = [], loaded = picture.src;
  const move = (event) => (moved ||= event.timeStamp);
  for (const kind of ["pointerdown", "keydown", "change"]) box.addEventListener(kind, move, true);
  // Pictures of the position that was left may still be under way.
  picture.addEventListener("load", () => {
    loaded = picture.src;
    if (moved && words().move !== left) shown.push({ stage: words().stage, after: performance.now() - moved });
  });
  const first = (...stages) => shown.find((one) => stages.includes(one.stage))?.after;
  // A view may end without runs, and its last picture may have come before the word that it was the last.
  const ended = () => words().move !== left && words().stage === "finished" && loaded === picture.src;
  const refused = () => words().move !== left && said().getAttribute("role") === "alert";
  box.probe = {
    start() {
      [moved, shown, left] = [0, [], words().move];
    },
    reached(until) {
      if (until === "words") return ended() ? {} : null; // after a refusal the same picture may come back
      if (refused()) return { refused: said().textContent };
      if (!shown.length || !(ended() || until === "picture" || (until === "simulation" && first(until)))) return null;
      return { first: shown[0].after, coarse: first("simulation", "finished"), last: shown.at(-1).after };
    },
    state() {
      return { moved, left, shown, words: { ...words() }, loaded: loaded === picture.src, focus: document.activeElement.className };
    },
    async digest() {
      const bytes = await (await fetch(picture.src)).arrayBuffer();
      const digest = await crypto.subtle.digest("SHA-256", bytes);
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    cutOff() {
      const parts = [...box.querySelectorAll(".widget-label, .widget-readout, .widget-html-content")];
      return parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent || part.value);
    },
  };
};
