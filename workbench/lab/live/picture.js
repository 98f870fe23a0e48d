// A PNG in an <img>, with the words for those who do not see it; and a point on it that is dragged, if it has one.
function pointOver(model, el) {
  const svg = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const surface = svg("svg", { class: "workbench-surface" });
  const label = model.get("label");
  const name = label || "point on the map: n and epsilon";
  const point = svg("circle", { r: 9, tabindex: 0, role: "slider", "aria-label": name });
  const [scale, unscale] = label ? [(x) => x, (x) => x] : [Math.log, Math.exp];
  point.dataset.lmSuppressShortcuts = "true";
  surface.append(point);
  let held = false;
  const at = () => model.get("point");
  const ends = (axis) => model.get("ends").slice(2 * axis, 2 * axis + 2);
  const free = (axis) => model.get("free").includes("xy"[axis]);

  const share = (axis) => {
    const [low, high] = ends(axis).map(scale);
    return (scale(at()[axis]) - low) / (high - low);
  };
  const show = () => {
    if (!at().length) return;
    const [left, top, width, height] = model.get("area");
    point.setAttribute("cx", `${100 * (left + width * share(0))}%`);
    point.setAttribute("cy", `${100 * (top + height * (1 - share(1)))}%`);
    const [epsilon, n] = [at()[0], Math.round(at()[1])];
    point.setAttribute("aria-valuenow", label ? epsilon : n);
    point.setAttribute("aria-valuetext", label ? `${label} = ${epsilon}` : `n = ${n.toLocaleString("en")} rows, epsilon = ${Number(epsilon.toPrecision(3))}`);
  };
  const put = (axis, value) => {
    if (!free(axis) || value === at()[axis]) return;
    model.set("point", at().map((old, place) => (place === axis ? value : old)));
    model.save_changes();
  };
  const nearest = (axis, value) => {
    const far = (stop) => Math.abs(scale(stop) - scale(value));
    return model.get("stops")[axis].reduce((best, stop) => (far(stop) < far(best) ? stop : best));
  };
  const next = (axis, by) => {
    const stops = model.get("stops")[axis].filter((stop) => (stop - at()[axis]) * by > 1e-9 * Math.abs(stop));
    const places = by > 0 ? stops : stops.reverse();
    return places[Math.min(Math.abs(by), places.length) - 1] ?? at()[axis];
  };
  const drag = (event) => {
    const box = surface.getBoundingClientRect(), [left, top, width, height] = model.get("area");
    const x = ((event.clientX - box.left) / box.width - left) / width;
    const y = 1 - ((event.clientY - box.top) / box.height - top) / height;
    [x, y].forEach((part, axis) => {
      if (!free(axis)) return;
      const [low, high] = ends(axis).map(scale);
      put(axis, nearest(axis, unscale(low + (high - low) * Math.min(Math.max(part, 0), 1))));
    });
  };
  const KEYS = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [1, -5], PageUp: [1, 5],
  };
  surface.addEventListener("pointerdown", (event) => {
    if (label && event.target !== point) return;
    held = true;
    surface.setPointerCapture(event.pointerId);
    point.focus();
    drag(event);
    event.preventDefault();
  });
  surface.addEventListener("pointermove", (event) => held && drag(event));
  for (const end of ["pointerup", "pointercancel"]) surface.addEventListener(end, () => (held = false));
  point.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    const [axis, by] = KEYS[event.key];
    put(axis, next(axis, by));
    event.preventDefault();
    event.stopPropagation();
  });
  model.on("change:point change:area change:ends", show);
  el.classList.add("workbench-picture");
  el.append(surface);
  show();
  return () => model.off("change:point change:area change:ends", show);
}

function render({ model, el }) {
  const picture = document.createElement("img");
  Object.assign(picture.style, { display: "block", width: "100%", borderRadius: "6px" });
  const draw = () => {
    const old = picture.src;
    picture.src = URL.createObjectURL(new Blob([model.get("value")], { type: "image/png" }));
    URL.revokeObjectURL(old);
  };
  const tell = () => (picture.alt = model.get("alt"));
  model.on("change:value", draw);
  model.on("change:alt", tell);
  el.append(picture);
  draw();
  tell();
  const leave = model.get("ends").length ? pointOver(model, el) : () => {};
  return () => {
    model.off("change:value", draw);
    model.off("change:alt", tell);
    leave();
  };
}

export default { render };
