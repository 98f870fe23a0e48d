// What a slide looks like at this window: overflow, the smallest letters, formulas
// that are small without need or have their comma on the next line, how much of the window the figure takes.
() => {
  const slide = document.querySelector(".slides > section.present"), scale = Reveal.getScale();
  const body = slide.querySelector(":scope > .body"), frame = slide.getBoundingClientRect();
  const over = (box) => Math.max(box.right - frame.right, box.bottom - frame.bottom, frame.left - box.left, frame.top - box.top);
  const seen = (element) => element.checkVisibility() && !element.closest("aside, mjx-assistive-mml, details > div, [aria-hidden]");
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ? [one, ...within(one.shadowRoot)] : [one]);
  const shown = within(slide).filter(seen);
  const boxes = shown.map((element) => [element, element.getBoundingClientRect()]).filter(([, box]) => box.width * box.height > 0);
  const lettered = shown.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const size = (element) => parseFloat(getComputedStyle(element).fontSize) * (element.ownerSVGElement ? Math.hypot(element.getScreenCTM().a, element.getScreenCTM().b) : scale);
  const sizes = lettered.map((element) => [element.closest("sub, sup") ? 99 : size(element), element.textContent.trim().slice(0, 40)]);
  const formulas = shown.filter((element) => element.matches("mjx-container")).map((one) => [size(one), "formula"]);
  const small = (one) => parseFloat(getComputedStyle(one).fontSize) < 0.7 * parseFloat(getComputedStyle(body).fontSize);
  const shrunk = shown.filter((one) => one.matches(".display.formula mjx-container") && small(one)
    && one.querySelector("svg").getBoundingClientRect().width < 0.8 * scale * body.clientWidth);
  const left = shown.filter((one) => {
    const behind = one.matches("mjx-container:not([display])") && one.nextSibling;
    if (!/^[.,;:!?)]/.test((behind && behind.data) ?? "")) return false;
    const mark = new Range();
    mark.setStart(behind, 0), mark.setEnd(behind, 1);
    return mark.getBoundingClientRect().top >= one.getBoundingClientRect().bottom;
  });
  const picture = slide.querySelector(".body img, .workbench-film svg");
  const heading = slide.querySelector("h1, h2")?.getBoundingClientRect();
  const figure = picture && (() => {
    const box = picture.getBoundingClientRect(), shape = (picture.naturalWidth ?? box.width) / (picture.naturalHeight ?? box.height);
    const wide = Math.min(box.width, box.height * shape), high = wide / shape;
    return {share: wide * high / (innerWidth * innerHeight), width: wide, below: box.top - heading.bottom, loaded: picture.complete !== false && shape > 0};
  })();
  return {
    layout: slide.dataset.layout, title: slide.querySelector("h1, h2")?.textContent ?? "",
    over: Math.max(0, ...boxes.filter(([one]) => !one.ownerSVGElement || one.tagName === "text").map(([, box]) => over(box))),
    hidden: Math.max(0, body.scrollHeight - body.clientHeight, body.scrollWidth - body.clientWidth),
    smallest: [...sizes, ...formulas].reduce((least, one) => one[0] < least[0] ? one : least, [99, ""]),
    number: parseFloat(getComputedStyle(document.querySelector(".slide-number")).fontSize), figure, scale,
    shrunk: shrunk.length, left: left.length
  };
}
