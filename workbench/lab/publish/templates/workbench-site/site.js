"use strict";
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const all = (selector, home = document) => [...home.querySelectorAll(selector)];
const root = document.documentElement, main = document.getElementById("main");
const query = document.getElementById("query"), panel = document.getElementById("panel");
const list = document.getElementById("results"), found = document.getElementById("found");

// Pictures: unpacked when they come into sight, and drawn in the colours of the theme.
const packed = read("pictures"), unpacked = new Map(), addresses = new Map();

async function unpack(key) {
  const bytes = Uint8Array.from(atob(packed[key]), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function darker(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const high = Math.max(r, g, b), low = Math.min(r, g, b), light = (high + low) / 2;
  if (high - low < 0.05) return grey(1 - 0.88 * light);
  const wanted = Math.max(light, 0.42 + 0.25 * light), by = (wanted - light) / (1 - light);
  return hex([r, g, b].map((part) => part + (1 - part) * by));
}
const grey = (light) => (light < 0.13 ? "#1e2124" : hex([light, light, light]));
const hex = (parts) => "#" + parts.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("");

async function address(key, theme) {
  const name = `${theme} ${key}`;
  if (addresses.has(name)) return addresses.get(name);
  if (!unpacked.has(key)) unpacked.set(key, unpack(key));
  const svg = await unpacked.get(key), raster = svg.includes("<image");
  const drawn = theme === "dark" && !raster ? svg.replace(/(?<=: )#[0-9a-f]{6}\b/g, darker) : svg;
  const made = { url: URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" })), raster };
  addresses.set(name, made);
  return made;
}

async function draw(image) {
  const { url, raster } = await address(image.dataset.picture, root.dataset.theme);
  image.classList.toggle("light", raster);
  image.src = url;
}
const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    sight.unobserve(target);
    target.dataset.drawn = "";
    draw(target);
  }
}, { rootMargin: "400px" });
const pictures = all("img[data-picture]").filter((image) => image.dataset.picture in packed);
for (const image of pictures) sight.observe(image);

// Theme: that of the system until another one is chosen.
const remembered = { get: () => { try { return localStorage.theme; } catch { return undefined; } },
  set: (value) => { try { localStorage.theme = value; } catch { /* a file may not remember */ } } };
function paint(theme) {
  root.dataset.theme = theme;
  document.getElementById("theme").setAttribute("aria-label", `Theme: ${theme}`);
  pictures.filter((image) => "drawn" in image.dataset).forEach(draw);
}
paint(remembered.get() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
document.getElementById("theme").addEventListener("click", () => {
  paint(root.dataset.theme === "dark" ? "light" : "dark");
  remembered.set(root.dataset.theme);
});

// Views and cards: the address says which view is shown, and which card is open.
const views = all(".view"), links = all("nav a");
main.dataset.ready = "";
function show(view) {
  for (const one of views) one.classList.toggle("shown", one === view);
  for (const link of links) {
    if (link.hash === `#${view.id}`) { link.setAttribute("aria-current", "page"); link.scrollIntoView({ block: "nearest", inline: "center" }); }
    else link.removeAttribute("aria-current");
  }
  document.title = `workbench: ${view.dataset.label}`;
}
function go() {
  const [id, status] = decodeURIComponent(location.hash.slice(1)).split("?");
  const target = document.getElementById(id || "start") ?? document.getElementById("start");
  const view = target.closest(".view");
  if (!view) return;
  show(view);
  if (view.id === "claims") filter(status || "all");
  for (let part = target; part; part = part.parentElement?.closest("details")) if (part.tagName === "DETAILS") part.open = true;
  if (target === view) return scrollTo(0, 0);
  const card = target.closest("summary") ?? target.querySelector(":scope > summary");
  card?.focus({ preventScroll: true });
  target.scrollIntoView();
}
addEventListener("hashchange", go);
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) go();
});

function filter(status) {
  for (const button of all("[data-status]", document.querySelector(".filter"))) button.setAttribute("aria-pressed", button.dataset.status === status);
  for (const card of all(".claim")) card.hidden = status !== "all" && card.dataset.status !== status;
  for (const part of all("#claims > section")) part.hidden = !part.querySelector(".claim:not([hidden])");
}
for (const button of all(".filter button")) button.addEventListener("click", () => filter(button.dataset.status));

// Search: every word must stand somewhere; one in the name counts more than one in the text.
const GREEK = { ε: "epsilon", δ: "delta", ρ: "rho", α: "alpha", β: "beta", μ: "mu", σ: "sigma", κ: "kappa", ξ: "xi", γ: "gamma", λ: "lambda", ν: "nu", τ: "tau", η: "eta" };
const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/\beps\b/g, "epsilon").replace(/[α-ω]/g, (letter) => ` ${GREEK[letter] ?? letter} `).replace(/[-_/·.,:;()]+/g, " ");
const index = read("index").map(([kind, id, title, line, more], place) => ({ kind, id, title, line, place, name: ` ${plain(`${title} ${id}`)}`, text: ` ${plain(`${kind} ${title} ${line} ${more}`)}` }));
const SHOWN = 40;
let chosen = -1, moved = false;

const worth = (entry, word) => (entry.name.includes(` ${word}`) ? 8 : entry.name.includes(word) ? 4 : entry.text.includes(` ${word}`) ? 2 : entry.text.includes(word) ? 1 : 0);
function search(text) {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const scored = index.map((entry) => ({ entry, marks: words.map((word) => worth(entry, word)) }));
  return scored.filter(({ marks }) => marks.every(Boolean))
    .map(({ entry, marks }) => ({ entry, score: marks.reduce((sum, mark) => sum + mark, 0) }))
    .sort((one, other) => other.score - one.score || one.entry.place - other.entry.place).map(({ entry }) => entry);
}
const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
function row(entry, place) {
  const item = Object.assign(document.createElement("li"), { id: `result-${place}`, role: "option" });
  item.setAttribute("role", "option");
  item.dataset.target = entry.id;
  item.append(element("span", entry.kind), element("b", entry.title), element("small", entry.line));
  return item;
}
function choose(place) {
  const items = all("li", list);
  chosen = items.length ? (place + items.length) % items.length : -1;
  items.forEach((item, at) => item.setAttribute("aria-selected", at === chosen));
  if (chosen < 0) return query.removeAttribute("aria-activedescendant");
  query.setAttribute("aria-activedescendant", items[chosen].id);
  items[chosen].scrollIntoView({ block: "nearest" });
}
function close() {
  panel.hidden = true;
  query.setAttribute("aria-expanded", "false");
  query.removeAttribute("aria-activedescendant");
}
function answer() {
  const began = performance.now(), text = query.value.trim();
  if (!text) return close();
  const hits = search(text);
  list.replaceChildren(...hits.slice(0, SHOWN).map(row));
  const kinds = Object.entries(Object.groupBy ? Object.groupBy(hits, ({ kind }) => kind) : {});
  found.textContent = hits.length ? kinds.map(([kind, some]) => `${some.length} ${kind}${some.length > 1 ? "s" : ""}`).join(", ") || `${hits.length} found` : `Nothing has “${text}” in it.`;
  panel.hidden = false;
  query.setAttribute("aria-expanded", "true");
  choose(0);
  performance.measure("search", { start: began, detail: text });
  requestAnimationFrame(() => setTimeout(() => performance.measure("search shown", { start: began, detail: text })));
}
function open(item) {
  if (!item) return;
  close();
  query.value = "";
  if (location.hash === `#${item.dataset.target}`) go();
  else location.hash = item.dataset.target;
}
query.addEventListener("input", answer);
query.addEventListener("focus", answer);
query.addEventListener("keydown", (event) => {
  const keys = { ArrowDown: () => choose(chosen + 1), ArrowUp: () => choose(chosen - 1), Enter: () => open(list.children[chosen]) };
  if (event.key === "Escape") { query.value = ""; close(); query.blur(); }
  else if (!panel.hidden && keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
list.addEventListener("mousedown", (event) => { event.preventDefault(); open(event.target.closest("li")); });
query.addEventListener("blur", close);

// Keys: / searches, arrows move from card to card, Escape closes a card.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && event.target !== query) { event.preventDefault(); query.focus(); query.select(); }
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step && event.target.matches(".card > summary")) {
    const cards = all(".view.shown .card > summary").filter((one) => one.checkVisibility?.() ?? one.offsetParent);
    const next = cards[cards.indexOf(event.target) + step];
    if (next) { event.preventDefault(); next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }
  if (event.key === "Escape") {
    const card = event.target.closest?.(".card[open]") ?? document.querySelector(".view.shown .card[open]");
    if (card) { card.open = false; card.querySelector("summary").focus(); }
  }
});
go();
