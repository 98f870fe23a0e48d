// A PNG in an <img>, with the words for those who do not see it.
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
  return () => {
    model.off("change:value", draw);
    model.off("change:alt", tell);
  };
}

export default { render };
