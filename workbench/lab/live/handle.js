// The browser's own slider over the places of a list of numbers, and a field for any number between its ends.
const part = (tag, properties) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.dataset.lmSuppressShortcuts = "true"; // keys are for the handle, not for the notebook around it
  return made;
};

function render({ model, el }) {
  const [label, unit, stops] = [model.get("label"), model.get("unit"), [...model.get("stops")]];
  const id = `handle-${Math.random().toString(36).slice(2)}`;
  const name = part("label", { className: "widget-label", htmlFor: id, textContent: label + (unit && ` (${unit})`) });
  name.style.width = `${model.get("widest") + 1}ch`;
  const track = part("input", { id, type: "range", min: 0, step: 1 });
  const [low, high] = [stops[0], stops.at(-1)];
  const title = `any ${model.get("whole") ? "whole " : ""}number from ${low} to ${high}`;
  const field = part("input", { type: "text", className: "widget-readout", inputMode: "decimal", title });
  field.ariaLabel = `${name.textContent}: ${title}`;

  // The place of a number; one that was typed gets a place of its own.
  const place = (value) => {
    if (!stops.includes(value)) stops.push(value);
    return stops.sort((a, b) => a - b).indexOf(value);
  };
  const show = () => {
    const value = model.get("value"), at = place(value);
    track.max = stops.length - 1;
    track.value = at;
    track.ariaValueText = `${value} ${unit}`.trim();
    field.value = value;
  };
  const move = (value) => {
    model.set("value", value);
    model.save_changes();
    show();
  };
  const type = () => {
    const typed = Number(field.value.trim() || NaN);
    if (!Number.isFinite(typed)) return show();
    const within = Math.min(Math.max(typed, low), high);
    move(model.get("whole") ? Math.round(within) : within);
  };

  track.addEventListener("input", () => move(stops[track.valueAsNumber]));
  field.addEventListener("change", type);
  field.addEventListener("keydown", (event) => event.key === "Enter" && type());
  model.on("change:value", show);
  el.classList.add("workbench-handle");
  el.append(name, track, field);
  show();
  return () => model.off("change:value", show);
}

export default { render };
