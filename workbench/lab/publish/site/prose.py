"""Texts in Markdown as HTML: formulas as MathML, links to the cards of the page, pictures by their names."""

import re
from collections.abc import Callable, Mapping
from html import escape, unescape

from workbench.lab.schemas import nbformat

CODE = re.compile(r"<pre>.*?</pre>|<code>.*?</code>", re.DOTALL)
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?![\s$])(.+?)(?<![\s\\])\$", re.DOTALL)
FENCED = re.compile(r"^( *)```math\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
ANCHOR = re.compile(r'(?<=<h\d) id="[^"]*"|<a class="anchor-link".*?</a>')
HEADING = re.compile(r"<h(\d)>(.*?)</h\1>", re.DOTALL)
LONG = 30  # characters of a formula in a line that may be wider than a narrow page
PICTURE = re.compile(r'<img src="([\w/]+)\.svg" alt="([^"]*)"\s*/?>')
LARGE = re.compile(r"\\((?:big|Big|bigg|Bigg)[lr]?)\\(?:\||[lr]?Vert(?![A-Za-z]))")  # it reads no large norm
LETTERS = {
    "eps": "ε", "epsilon": "ε", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eta": "η",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "rho": "ρ", "sigma": "σ", "tau": "τ", "xi": "ξ",
}  # fmt: skip
GREEK = re.compile(rf"(?<![\w`.])(?:{'|'.join(LETTERS)})(?![a-zA-Z`]|_[a-z]{{3}})")
ABOVE = re.compile(r"\^(?:\{([^{}]*)\}|\(([^()]*)\)|(-?[\w.]+))")
BELOW = re.compile(r"(?<![\w])([A-Za-zα-ωΣ][\u0300-\u036f]?)_(?:\{([^{}]*)\}|(\w{1,3}))\b")
TAG = re.compile(r"<[^>]*>")


def formula(tex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, which browsers draw, or as it stands where it cannot be read."""
    from latex2mathml.converter import convert

    try:
        made: str = convert(LARGE.sub(r"\\\1‖", tex), display="block" if display else "inline")
    except Exception:  # the library has many classes, one for each fault of a formula, and no common one
        return f'<code class="tex">{escape(tex)}</code>'
    return made


def html(markdown: str) -> str:
    """Return a text as HTML."""
    nbformat()
    from nbconvert.filters.markdown import markdown2html

    made: str = markdown2html(FENCED.sub(lambda found: f"{found[1]}$$\n{found[2]}{found[1]}$$", markdown))
    made = ANCHOR.sub("", made)  # with formulas in them, which are none
    return PICTURE.sub(_picture, _outside_code(made, lambda part: MATH.sub(_math, part)))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    codes = CODE.findall(text)
    parts = [change(part) for part in CODE.split(text)]
    return "".join(part + code for part, code in zip(parts, [*codes, ""], strict=True))


def _math(found: re.Match[str]) -> str:
    tex = unescape(found[1] or found[2])
    made = formula(tex, display=found[1] is not None)
    return f'<span class="long">{made}</span>' if found[2] and len(tex) > LONG else made


def _picture(found: re.Match[str]) -> str:
    name, alt = found.groups()
    return f'<img data-picture="{name}" alt="{alt}">'


def headings(text: str, change: Callable[[int, str, str], str]) -> str:
    """Return HTML with every heading replaced, given its level, its content and its words."""
    return HEADING.sub(lambda found: change(int(found[1]), found[2], words(found[2])), text)


def words(part: str) -> str:
    """Return a piece of HTML without its tags."""
    return unescape(" ".join(TAG.sub("", part).split()))


def slug(heading: str) -> str:
    """Return the anchor of a heading, as the texts link to it.

    >>> slug("1.2 With a range")
    '12-with-a-range'
    """
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def linked(text: str, targets: Mapping[str, str]) -> str:
    """Return HTML in which every known name, as code or alone in a cell, is a link to its card."""

    def link(found: re.Match[str]) -> str:
        target = targets.get(unescape(found[2]))
        inside = f"{found[1]}{found[2]}{found[3]}" if found[1] == "<code>" else found[2]
        if target is None:
            return found[0]
        made = f'<a href="#{target}">{inside}</a>'
        return made if found[1] == "<code>" else f"{found[1]}{made}{found[3]}"

    return re.sub(r"(<code>|<td>)([^<]+)(</code>|</td>)", link, text)


def inline(markdown: str) -> str:
    """Return a line of text as HTML without a paragraph around it."""
    return html(markdown).strip().removeprefix("<p>").removesuffix("</p>")


def letters(text: str) -> str:
    """Return a line with Greek letters and roots for their names.

    >>> letters("sqrt(d)/(n eps)")
    '√(d)/(n ε)'
    """
    made = GREEK.sub(lambda found: LETTERS[found[0]], text)
    return re.sub(r"\bsqrt ?(?=[(\w])", "√", made)


def typeset(text: str) -> str:
    """Return a line without markup as HTML, with its formulas as they are read.

    >>> typeset("order 1/alpha^2 + sqrt(d)/(n eps), sigma_ij < 1")
    'order 1/α<sup>2</sup> + √(d)/(n ε), σ<sub>ij</sub> &lt; 1'
    """
    made = escape(letters(text), quote=False)
    made = ABOVE.sub(lambda found: f"<sup>{found[1] or found[2] or found[3]}</sup>", made)
    return BELOW.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", made)
