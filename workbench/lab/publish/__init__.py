"""Notebooks as documents: checked, copied, on slides and as pages, by nbconvert with one template.

Formulas become MathML, which browsers draw by themselves, and scripts stand in the page: it needs no network.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from workbench.charts.canonical_json import replacing
from workbench.lab.project import nbformat

TEMPLATES = Path(__file__).parent / "templates"
FENCED = re.compile(r"^( *)```math\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(<pre>.*?</pre>|<code>.*?</code>|<math.*?</math>)", re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?![\s$])(.+?)(?<![\s\\])\$", re.DOTALL)
ANCHOR = re.compile(r'(?<=<h\d) id="[^"]*"|<a class="anchor-link".*?</a>')
NORM = re.compile(r"\\(?:big|Big|bigg|Bigg)[lr]?\\(?:\||[lr]?Vert(?![A-Za-z]))")  # no large norm is read
PRIME = re.compile(r"<msup>(<m[io][^>]*>[^<]*</m[io]>)<mi>&#x02032;</mi></msup>")
# no line ends between a formula and the comma behind it
CLOSED = re.compile(r'(<math[^>]*"inline"(?:(?!</math>).)*</math>)([,.;:?!)]+)', re.DOTALL)
SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def plain(words: str) -> str:
    r"""Return Markdown that says just these words, on one line; formulas between dollars stay.

    >>> plain("an x_1 [a] *b* in $x_1$")
    'an x\\_1 \\[a\\] \\*b\\* in $x_1$'
    """
    parts = re.split(r"(\$[^$]+\$)", " ".join(words.split()).replace("<", "&lt;"))
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def mathml(tex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, or as it stands where it cannot be read."""
    from latex2mathml.converter import convert

    try:
        known = NORM.sub("‖", tex).replace("{aligned}", "{split}")  # alike, but for its name
        made: str = convert(known, display="block" if display else "inline")
    except Exception:  # the library has a class for each fault of a formula, and no common one
        return f'<code class="tex">{escape(tex)}</code>'
    return PRIME.sub(r"<mrow>\1<mo lspace='0' rspace='0'>&#x02032;</mo></mrow>", made)  # raised already


def html(markdown: str) -> str:
    nbformat()
    from nbconvert.filters.markdown import markdown2html

    def formula(found: re.Match[str]) -> str:
        return mathml(unescape(found[1] or found[2]), display=found[1] is not None)

    parts = CODE.split(ANCHOR.sub("", markdown2html(FENCED.sub(r"\1$$\n\2\1$$", markdown))))
    parts[::2] = [FORMULA.sub(formula, part) for part in parts[::2]]
    return CLOSED.sub(r'<span class="unbroken">\1\2</span>', "".join(parts))


def text(source: str, kind: str = "-", **more: Any) -> Any:
    return nbformat().v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind, **more}})


def shown(page: str, kind: str = "-", **more: Any) -> Any:
    cell = nbformat().v4.new_code_cell("", metadata={"slideshow": {"slide_type": kind, **more}})
    cell.outputs = [nbformat().v4.new_output("display_data", {"text/html": page})]
    return cell


def render(cells: list[Any], path: Path, **resources: Any) -> Path:
    """Write cells as a page, or as slides where `slides=True`, and return its path.

    `resources` are what the template reads: title, script, and of a page the menu and its place in it.
    """
    nbformat()
    import nbconvert

    made: Any = nbconvert.HTMLExporter
    exporter = made(template_name="workbench", extra_template_basedirs=[str(TEMPLATES)])
    exporter.register_filter("html", html)
    notebook = nbformat().v4.new_notebook(cells=cells)
    page, _ = exporter.from_notebook_node(notebook, {**resources, "source": source})
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(page)
    return path


def source(name: str) -> str:
    return (TEMPLATES / "workbench" / name).read_text(encoding="utf-8").replace("</script", "<\\/script")
