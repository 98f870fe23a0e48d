(() => {
  const root = document.querySelector(".reveal .slides");
  const body = (slide) => slide.querySelector(":scope > .body");
  const SMALL = 20; // px of letters that are still read when 1280 px are shown on 1024
  const high = (slide) => body(slide).scrollHeight > body(slide).clientHeight + 1;
  const folded = (element) => element.tagName === "DETAILS";

  // What a list, a table or a box is made of; itself where it cannot be parted.
  const parts = (element) => {
    const inner = element.matches(".display, .box, .question") ? [...element.children] : [];
    if (inner.length === 1) return parts(inner[0]);
    if (inner.length > 1) return [element, inner];
    if (element.matches("ol, ul")) return [element, [...element.children]];
    if (element.matches("table")) return [element, [...element.querySelectorAll("tbody > tr")]];
    return [element, []];
  };

  const next = (slide) => {
    const copy = slide.cloneNode(true);
    body(copy).replaceChildren();
    slide.after(copy);
    return copy;
  };

  // Move what does not fit to a slide behind this one: whole parts first, then rows and items of the last part.
  const split = (slide) => {
    if (!high(slide)) return;
    const children = [...body(slide).children].filter((child) => !folded(child));
    if (children.length > 1) {
      const behind = next(slide);
      while (high(slide) && body(slide).children.length > 1) body(behind).prepend(body(slide).lastElementChild);
      return split(slide), split(behind);
    }
    if (!children.length) return;
    const [whole, inner] = parts(children[0]);
    if (inner.length < 2) return;
    const behind = next(slide), copy = children[0].cloneNode(true), [rest, twins] = parts(copy);
    body(behind).append(copy, ...[...body(slide).children].filter(folded));
    let kept = inner.length;
    while (kept > 1 && high(slide)) inner[(kept -= 1)].remove();
    twins.slice(0, kept).forEach((twin) => twin.remove());
    if (rest.tagName === "OL") rest.start = (whole.start || 1) + kept;
    split(behind);
  };

  // Set what is a little too long in smaller letters, before it is split.
  const shrink = (slide, share) => body(slide).querySelectorAll(".box, .question, .display, pre").forEach((part) => {
    const size = parseFloat(getComputedStyle(part).fontSize), least = Math.max(SMALL, share * size);
    for (let now = size; high(slide) && now > least; ) part.style.fontSize = `${(now = Math.max(least, now - 2))}px`;
    if (high(slide)) part.style.fontSize = "";
  });

  // A formula that is wider than its slide is set smaller, down to the size of a label.
  const narrow = (slide) => slide.querySelectorAll(":is(.body, h1, h2) mjx-container").forEach((formula) => {
    const room = formula.closest(".body, h1, h2").clientWidth - 20;
    let size = parseFloat(getComputedStyle(formula).fontSize);
    const drawn = [...formula.querySelectorAll("svg")]; // what holds it may be as wide as the slide
    const wide = () => Math.max(...drawn.map((one) => one.getBoundingClientRect().width));
    if (wide() > room) size = Math.ceil(size * room / wide()) + 1;
    for (; wide() > room && size > SMALL; size -= 1) formula.style.fontSize = `${size - 1}px`;
  });

  // No line begins with the comma behind a formula.
  const tie = () => root.querySelectorAll("mjx-container:not([display])").forEach((formula) => {
    const behind = formula.nextSibling, marks = /^[,.;:!?)]+/.exec(behind?.data)?.[0];
    if (!marks) return;
    const whole = document.createElement("span");
    whole.className = "tied";
    formula.before(whole);
    behind.splitText(marks.length);
    whole.append(formula, behind);
  });

  const fit = async () => {
    if (window.MathJax?.startup?.promise) {
      await MathJax.startup.promise;
      await MathJax.typesetPromise([root]);
      tie();
    }
    document.body.classList.add("measuring");
    for (const slide of [...root.children]) { narrow(slide); shrink(slide, 0.75); split(slide); }
    for (const slide of [...root.children]) shrink(slide, 0); // what cannot be split
    document.body.classList.remove("measuring");
  };

  const start = async () => {
    await fit();
    await Reveal.initialize({
      width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 4, center: false, hash: true, slideNumber: "c/t",
      controls: false, transition: "none", display: "flex", plugins: window.RevealNotes ? [RevealNotes] : []
    });
    document.documentElement.dataset.ready = "";
  };

  start();
})();
