// A line of buttons below the controls: copy where they stand, put them back, keep the picture's curves.
const button = (text, act) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.dataset.lmSuppressShortcuts = "true";
  made.addEventListener("click", act);
  return made;
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
    keep.ariaPressed = String(kept !== "");
  };
  model.on("change:values change:kept", show);
  el.classList.add("workbench-values");
  if (model.get("values")) el.append(button("copy these values", copy));
  el.append(reset, keep, said);
  show();
  return () => model.off("change:values change:kept", show);
}

export default { render };
