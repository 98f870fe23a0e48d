// A line of buttons below the controls: copy where they stand, put them back, keep the picture's curves.
const button = (text, act) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.dataset.lmSuppressShortcuts = "true";
  made.addEventListener("click", act);
  return made;
};

// JupyterLab would take the arrow keys of a menu for its cells.
const MENUS = ":is(.workbench-explorer, .workbench-solver) select";
const own = ({ target }) => target.matches(MENUS) && (target.dataset.lmSuppressShortcuts = "true");

// The whole explorer on the whole screen, as large as fits: for those who sit in the last row.
const EDGE = 24; // px
const present = (el) => {
  const box = el.closest(":is(.workbench-explorer, .workbench-solver)");
  const { width, height } = box.getBoundingClientRect();
  const fit = () => {
    const full = document.fullscreenElement === box;
    const times = Math.min(innerWidth / (width + EDGE), innerHeight / (height + EDGE));
    box.style.zoom = full ? times : "";
    if (!full) document.removeEventListener("fullscreenchange", fit);
  };
  if (document.fullscreenElement === box) return document.exitFullscreen();
  document.addEventListener("fullscreenchange", fit);
  return box.requestFullscreen();
};

function render({ model, el }) {
  const said = document.createElement("code");
  said.ariaLive = "polite";
  const copy = async () => {
    said.textContent = model.get("values");
    try {
      await navigator.clipboard.writeText(said.textContent);
    } catch {
      getSelection().selectAllChildren(said); // no clipboard here: Ctrl+C copies what is selected
    }
  };
  const reset = button("reset", () => model.send("reset"));
  const keep = button("", () => model.send("keep"));
  const show = () => {
    if (said.textContent) said.textContent = model.get("values");
    const kept = model.get("kept");
    keep.textContent = kept ? `drop the curve of ${kept}` : "keep this curve";
    keep.hidden = !kept && !model.get("keeps");
    keep.ariaPressed = String(kept !== "");
  };
  model.on("change:values change:kept change:keeps", show);
  el.classList.add("workbench-values");
  if (model.get("values")) el.append(button("copy these values", copy));
  el.append(reset, keep, button("present", () => present(el)), said);
  show();
  document.addEventListener("focusin", own);
  return () => model.off("change:values change:kept change:keeps", show);
}

export default { render };
