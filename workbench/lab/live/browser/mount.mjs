// An explorer on a page: its controls, its picture, its sentence. A move draws everything anew, at once.
import { button, handle, prepared, says, snapped, widget } from "./controls.mjs";
import { draw, tall } from "./plot.mjs";
import { STYLE, light } from "./style.mjs";

export const LETTER = 14; // px

/** Where controls stand, in words. */
export function position(controls, state, told) {
  const shown = controls.filter((one) => !told.hides?.(one.name, state));
  return shown.map((one) => (one.options ? "" : `${one.label} = `) + says(one, state[one.name])).join(", ");
}

class Explorer {
  constructor(host, told, { values = {}, text = LETTER, height }) {
    Object.assign(this, { host, told, letter: Number(text), height: Number(height) || undefined, width: 0 });
    this.controls = Object.fromEntries(
      Object.entries(told.facts.controls).map(([name, one]) => [
        name,
        prepared(name, one, values[name], told.grids),
      ]),
    );
    this.start = Object.fromEntries(Object.values(this.controls).map((one) => [one.name, one.start]));
    this.state = { ...this.start };
    this.memory = told.begin?.() ?? {};
    this.build();
    this.watch();
  }

  get values() {
    return { ...this.state };
  }

  build() {
    const root = this.host.shadowRoot ?? this.host.attachShadow({ mode: "open" });
    const [style, bar, buttons, picture, sentence] = ["style", "div", "div", "div", "p"].map((tag) =>
      document.createElement(tag),
    );
    Object.assign(this, { picture, sentence });
    style.textContent = STYLE;
    [bar.className, buttons.className, picture.className, sentence.className] = [
      "controls",
      "buttons",
      "picture",
      "says",
    ];
    sentence.ariaLive = "polite";
    const set = (values) => this.set(values);
    this.widgets = Object.values(this.controls).map((one) => ({ name: one.name, ...widget(one, set) }));
    this.actions = Object.entries(this.told.actions ?? {}).map(([name, { label, act, can }]) => ({
      can,
      button: button(label, () => {
        this.memory = act(this.state, this.memory);
        this.draw();
      }),
      name,
    }));
    buttons.append(
      ...this.actions.map((one) => one.button),
      button("Reset", () => this.reset()),
    );
    bar.append(...this.widgets.map((one) => one.box), buttons);
    this.surface = document.createElement("div");
    picture.append(this.surface);
    this.handles = this.told.handles.map(({ x, y, panel }) => {
      const made = handle(
        { x: this.controls[x], y: this.controls[y] },
        () => this.state,
        () => this.frames[panel],
        set,
      );
      picture.append(made.point);
      return { ...made, panel };
    });
    root.replaceChildren(style, bar, picture, sentence);
    root.addEventListener("keydown", (event) => event.stopPropagation()); // keys are for the explorer alone
    this.host.dataset.lmSuppressShortcuts = "true";
    this.host.style.setProperty("--text", `${this.letter}px`);
  }

  watch() {
    this.paint = () =>
      (this.host.dataset.theme = light(getComputedStyle(this.host.parentElement ?? document.body).color)
        ? "dark"
        : "light");
    this.paint();
    this.themes = new MutationObserver(this.paint);
    for (const one of [document.documentElement, document.body])
      this.themes.observe(one, { attributes: true });
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.host);
    this.resize();
  }

  resize() {
    const width = Math.floor(this.host.clientWidth);
    if (width > 0 && width !== this.width) {
      this.width = width;
      this.draw();
    }
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) {
      if (name in this.controls) this.state[name] = snapped(this.controls[name], value);
    }
    this.draw();
  }

  reset() {
    this.state = { ...this.start };
    this.memory = this.told.begin?.() ?? {};
    this.draw();
  }

  draw() {
    if (!this.width) return;
    const view = this.told.view(this.state, this.memory),
      width = this.width,
      letter = this.letter;
    const height = this.height ?? Math.round(tall(view.panels.length, width, letter));
    const { svg, frames } = draw(view.panels, { width, height, letter, name: this.told.facts.alt });
    this.frames = frames;
    this.surface.innerHTML = svg;
    for (const { name, show } of this.widgets)
      show(this.state[name], Boolean(this.told.hides?.(name, this.state)));
    for (const one of this.actions) one.button.disabled = !(one.can?.(this.state, this.memory) ?? true);
    this.handles.forEach(({ show, panel, point }, place) => {
      const { x, y, hue } = view.handles[place];
      point.style.setProperty("--handle", `var(--${hue})`);
      show(this.state, frames[panel].x.to(x), frames[panel].y.to(y));
    });
    this.sentence.innerHTML = "";
    const where = document.createElement("b");
    where.textContent = `${position(Object.values(this.controls), this.state, this.told)}. `;
    this.sentence.append(where, view.sentence);
  }

  destroy() {
    this.themes.disconnect();
    this.sizes.disconnect();
    this.host.shadowRoot.replaceChildren();
    delete this.host.dataset.mounted;
  }
}

/** What a page uses, for these explorers by their names. */
export function page(explorers) {
  const mount = (host, { explorer = host.dataset.explorer, ...options } = {}) => {
    if (!(explorer in explorers))
      throw new Error(`no explorer "${explorer}"; there are ${Object.keys(explorers).join(", ")}`);
    host.dataset.mounted = "true";
    host.classList.add("workbench-live");
    return new Explorer(host, explorers[explorer], options);
  };
  const mountAll = (root = document) => {
    for (const host of root.querySelectorAll(".workbench-live[data-explorer]:not([data-mounted])")) {
      const { values = "{}", text, height } = host.dataset;
      mount(host, { values: JSON.parse(values), text, height });
    }
  };
  return { mount, mountAll, explorers, names: Object.keys(explorers) };
}
