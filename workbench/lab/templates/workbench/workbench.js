"use strict";
const all = (selector, home = document) => [...home.querySelectorAll(selector)];

// Slides: letters shrink a little where a text does not fit, and what still does not fit is scrolled.
const SMALL = 20; // px of letters that are read in a hall

function fit(slide) {
  if (slide.querySelector(".workbench-explorer")) return; // which fits itself
  const fits = () => slide.scrollHeight <= slide.clientHeight + 1 && all(".text", slide).every((one) => one.scrollHeight <= one.clientHeight + 1);
  for (const part of all(":scope > .text, :scope > .shown:has(.highlight)", slide)) {
    let size = parseFloat(getComputedStyle(part).fontSize);
    while (!fits() && size > SMALL) part.style.fontSize = `${(size -= 1)}px`;
    part.classList.toggle("scrolls", part.scrollHeight > part.clientHeight + 1);
  }
}

async function present() {
  Reveal.on("ready", ({ currentSlide }) => fit(currentSlide));
  Reveal.on("slidechanged", ({ currentSlide }) => fit(currentSlide));
  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 4, center: false, hash: true,
    slideNumber: "c/t", controls: false, transition: "none", display: "flex", plugins: [RevealNotes]
  });
  document.documentElement.dataset.ready = "";
}

// Pages: the address opens a card, a filter leaves what has every word, keys go from card to card.
function opened() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target?.scrollIntoView();
}

function filtered(query) {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const card of all(".card, .entry")) {
    const text = `${card.id} ${card.textContent}`.toLowerCase();
    card.hidden = !words.every((word) => text.includes(word)) || (card.matches(".entry") && !words.length);
  }
  for (const part of all("section")) part.hidden = words.length > 0 && !part.querySelector(".card:not([hidden])");
}

function keyed(event) {
  const query = document.getElementById("query"), summaries = all(".card:not([hidden]) > summary");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], place = summaries.indexOf(document.activeElement);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !event.target.matches("input")) query.focus();
  else if (step && place >= 0 && summaries[place + step]) summaries[place + step].focus();
  else if (event.key === "Escape" && event.target === query) filtered(Object.assign(query, { value: "" }));
  else if (event.key === "Escape") {
    const card = event.target.closest?.(".card[open]");
    if (card) card.open = false;
    card?.querySelector("summary").focus();
  } else return;
  event.preventDefault();
}

function read() {
  const query = document.getElementById("query");
  query.hidden = !document.querySelector(".card, .entry");
  query.addEventListener("input", () => filtered(query));
  filtered(query);
  addEventListener("keydown", keyed);
  addEventListener("hashchange", opened);
  opened();
  document.documentElement.dataset.ready = "";
}

if (document.querySelector(".reveal")) present();
else read();
