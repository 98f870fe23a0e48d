// A player: play and pause, a step back and forth, and a handle to scrub. The frames are layers of one SVG.

const PAUSE = 900; // ms that a frame is seen

export function mount(element) {
  if (element.dataset.mounted) return element.film;
  const frames = [...element.querySelectorAll("g.frame")], last = frames.length - 1;
  const [button, handle, output] = ["button", "input", "output"].map((name) => element.querySelector(name));
  let place = 0, timer = null;

  const show = (wanted) => {
    place = Math.min(Math.max(wanted, 0), last);
    frames.forEach((frame, k) => k === place ? frame.removeAttribute("display") : frame.setAttribute("display", "none"));
    handle.value = place;
    output.textContent = `${place + 1} of ${last + 1}`;
    handle.setAttribute("aria-valuetext", `${output.textContent}: ${frames[place].dataset.words}`);
  };
  const pause = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶";
    button.setAttribute("aria-label", "Play");
  };
  const play = () => {
    if (place === last) show(0);
    timer = setInterval(() => { show(place + 1); if (place === last) pause(); }, PAUSE);
    button.textContent = "❚❚";
    button.setAttribute("aria-label", "Pause");
  };
  const toggle = () => timer === null ? play() : pause();
  const step = (wanted) => { pause(); show(wanted); };
  const keys = {
    " ": toggle, k: toggle, ArrowRight: () => step(place + 1), ArrowLeft: () => step(place - 1),
    ArrowUp: () => step(place + 1), ArrowDown: () => step(place - 1), Home: () => step(0), End: () => step(last)
  };

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation(); // neither slides nor notebooks turn a page
    keys[event.key]();
  });
  button.addEventListener("click", toggle);
  handle.addEventListener("input", () => step(handle.valueAsNumber));
  handle.max = last;
  element.querySelector(".player").hidden = false;
  element.dataset.mounted = "";
  show(0);
  element.film = { show: step, play, pause, get place() { return place; }, destroy: pause };
  return element.film;
}

export function mountAll(root = document) {
  root.querySelectorAll(".workbench-film").forEach(mount);
}

export default {
  render({ model, el }) {
    el.innerHTML = model.get("markup");
    const film = mount(el.querySelector(".workbench-film"));
    return () => film.destroy();
  }
};
