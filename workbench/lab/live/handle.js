// The browser's own slider over the places of a list of numbers, and a field for any legal number.
const part = (tag, properties) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.dataset.lmSuppressShortcuts = "true"; // keys are for the handle, not for the notebook around it
  return made;
};

function render({ model, el }) {
  const [label, unit, whole] = [model.get("label"), model.get("unit"), model.get("whole")];
  const [least, most] = model.get("legal");
  let stops;
  const id = `handle-${Math.random().toString(36).slice(2)}`;
  const name = part("label", { className: "widget-label", htmlFor: id, textContent: label + (unit && ` (${unit})`) });
  name.style.width = `${model.get("widest") + 1}ch`;
  const track = part("input", { id, type: "range", min: 0, step: 1 });
  const allowed = `a ${whole ? "whole " : ""}number, ${least} to ${most}`;
  const field = part("input", { type: "text", className: "widget-readout", inputMode: "decimal", title: allowed });
  field.ariaLabel = `${name.textContent}: ${allowed}`;
  const refusal = part("p", { className: "workbench-refusal" });
  refusal.ariaLive = "polite";

  const said = (value) => (value > 0 && value < 1e-4 ? value.toExponential() : String(value));
  // The place of a number; one that was typed gets a place of its own.
  const place = (value) => {
    if (!stops.includes(value)) stops.push(value);
    return stops.sort((a, b) => a - b).indexOf(value);
  };
  const show = () => {
    const value = model.get("value");
    stops = [...model.get("stops")];
    const at = place(value);
    track.max = stops.length - 1;
    track.value = at;
    track.ariaValueText = `${said(value)} ${unit}`.trim();
    field.value = said(value);
    track.disabled = field.readOnly = model.get("fixed");
  };
  const say = (words) => {
    refusal.textContent = words;
    field.ariaInvalid = String(words !== "");
  };
  const move = (value) => {
    say("");
    model.set("value", value);
    model.save_changes();
    show();
  };
  const type = () => {
    const text = field.value.trim();
    const typed = Number(/^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text || NaN);
    const legal = typed >= least && typed <= most && (!whole || Number.isInteger(typed));
    if (legal) return typed === model.get("value") ? show() : move(typed);
    show();
    say(`${label} = ${text || "nothing"}: expected ${allowed}`);
  };

  track.addEventListener("input", () => move(stops[track.valueAsNumber]));
  field.addEventListener("change", type);
  field.addEventListener("keydown", (event) => event.key === "Enter" && type());
  const put = () => (say(""), show()); // by others: what was refused is forgotten
  model.on("change:value", put);
  model.on("change:stops change:fixed", show);
  el.classList.add("workbench-handle");
  el.append(name, track, field, refusal);
  show();
  return () => {
    model.off("change:value", put);
    model.off("change:stops change:fixed", show);
  };
}

export default { render };
