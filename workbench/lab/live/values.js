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
  el.append(reset, keep, said);
  show();
  document.addEventListener("focusin", own);
  return () => model.off("change:values change:kept change:keeps", show);
}

export default { render };
