// Sliders that rest at round numbers, menus, buttons, and handles on the picture.
import { nearest, number, stops } from "./words.mjs";

const LEAP = 10; // places, of Page up and Page down
let made = 0;

const part = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);

/** A control's places and words, from what is told about it and from where it starts. */
export function prepared(name, told, start, grids) {
  if (told.options) return { ...told, name, start: told.options.includes(start) ? start : told.value };
  const value = start ?? told.value;
  const list = told.grid ? grids[told.grid] : stops({ ...told, value });
  const log = Boolean(told.log || told.grid);
  return { ...told, name, log, stops: list, start: list[nearest(list, value, log)] };
}

/** Where a control stands, in words. */
export const says = (control, value) =>
  control.options ? value : `${number(value)}${control.unit ? ` ${control.unit}` : ""}`;

/** The nearest value that a control can take. */
export const snapped = (control, value) =>
  control.options
    ? control.options.includes(value)
      ? value
      : control.start
    : control.stops[nearest(control.stops, value, control.log)];

/** The value so many places on. */
export function stepped(control, value, places) {
  const at = nearest(control.stops, value, control.log) + places;
  return control.stops[Math.min(Math.max(at, 0), control.stops.length - 1)];
}

/** The element of a control; `show` puts it where the control stands. */
export function widget(control, moved) {
  const id = `live-${(made += 1)}`,
    box = part("div", { className: "control" });
  box.append(part("label", { htmlFor: id, textContent: control.label }));
  if (control.options) {
    const menu = part("select", { id });
    menu.append(...control.options.map((one) => part("option", { value: one, textContent: one })));
    menu.addEventListener("change", () => moved({ [control.name]: menu.value }));
    box.classList.add("choice");
    box.append(menu);
    return { box, show: (value) => (menu.value = value) };
  }
  const track = part("input", { id, type: "range", min: 0, max: control.stops.length - 1, step: 1 });
  const said = part("output", { htmlFor: id });
  track.addEventListener("input", () => moved({ [control.name]: control.stops[track.valueAsNumber] }));
  box.append(track, said);
  const show = (value, idle) => {
    track.disabled = idle;
    box.classList.toggle("idle", idle);
    track.value = nearest(control.stops, value, control.log);
    track.ariaValueText = said.textContent = says(control, value);
  };
  return { box, show };
}

/** A button. */
export function button(label, pressed) {
  const one = part("button", { type: "button", textContent: label });
  one.addEventListener("click", pressed);
  return one;
}

const KEYS = {
  ArrowLeft: ["x", -1],
  ArrowRight: ["x", 1],
  ArrowDown: ["y", -1],
  ArrowUp: ["y", 1],
  PageDown: ["x", -LEAP],
  PageUp: ["x", LEAP],
  Home: ["x", -Infinity],
  End: ["x", Infinity],
};

/** A handle on the picture that moves one control along x, one along y, or both. */
export function handle(controls, standing, frameOf, moved) {
  const point = part("div", { className: "handle", tabIndex: 0, role: "slider" });
  const along = controls.x ?? controls.y;
  const both = [controls.x, controls.y].filter(Boolean);
  point.ariaLabel = both.map((one) => one.label).join(" and ");
  point.ariaValueMin = along.stops[0];
  point.ariaValueMax = along.stops.at(-1);
  const drag = (event) => {
    const box = point.parentElement.getBoundingClientRect(),
      zoom = box.width / point.parentElement.offsetWidth;
    const at = frameOf(),
      values = {};
    if (controls.x) values[controls.x.name] = at.x.from((event.clientX - box.left) / zoom);
    if (controls.y) values[controls.y.name] = at.y.from((event.clientY - box.top) / zoom);
    moved(values);
  };
  point.addEventListener("pointerdown", (event) => {
    point.setPointerCapture(event.pointerId);
    point.focus({ preventScroll: true });
    event.preventDefault();
  });
  point.addEventListener("pointermove", (event) => point.hasPointerCapture(event.pointerId) && drag(event));
  point.addEventListener("keydown", (event) => {
    const [axis, places] = KEYS[event.key] ?? [];
    const control = controls[axis] ?? along;
    if (axis) {
      event.preventDefault();
      moved({ [control.name]: stepped(control, standing()[control.name], places) });
    }
  });
  const show = (values, x, y) => {
    Object.assign(point.style, { left: `${x}px`, top: `${y}px` });
    point.ariaValueNow = values[along.name];
    point.ariaValueText = both.map((one) => `${one.label} = ${says(one, values[one.name])}`).join(", ");
  };
  return { point, show };
}
