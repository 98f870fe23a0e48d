r"""Formulas in TeX as MathML, which browsers draw by themselves, without scripts or fonts.

>>> mathml(r"\sqrt n")
'<math><msqrt><mi>n</mi></msqrt></math>'
"""

import re
from html import escape

from workbench.lab.publish.site.elements import fence, fraction, operator, simple, styled
from workbench.lab.publish.site.symbols import ACCENTS, FENCES, FUNCTIONS, LIMITS, SIZES, STYLES

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\.\d+|\s+|.", re.DOTALL)
RAW = re.compile(r"\\(text|mathrm|operatorname|mathsf|mathit|textbf|tag)\s*\{([^{}]*)\}")
TABLES = {"pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "cases": ("{", "")}
THIN = '<mspace width="0.17em"/>'


class TeXError(ValueError):
    """A formula with something in it that is not known here."""


def mathml(tex: str, *, display: bool = False) -> str:
    """Return a formula as MathML.

    Raises
    ------
    TeXError
        If a command is not known, or a brace is missing.
    """
    kept: list[str] = []
    reader = _Reader(TOKEN.findall(RAW.sub(lambda found: _keep(found, kept), tex)), kept, display)
    body = reader.row()
    if reader.tokens:
        raise TeXError(f"{reader.tokens[-1]!r} too many in {tex!r}")
    return f"<math{' display=block' if display else ''}>{body}</math>"


def _keep(found: re.Match[str], kept: list[str]) -> str:
    """Return a mark in place of words, which are no formula, and keep them."""
    style, words = found.groups()
    words = words.replace(r"\_", "_")
    if style == "tag":
        kept.append(f'<mspace width="2em"/><mtext>({escape(words)})</mtext>')
    elif style == "text":
        kept.append(f"<mtext>{escape(words).replace(' ', chr(160))}</mtext>")
    else:
        kept.append(styled(words, STYLES[style]))
    function = style == "operatorname"
    return rf"\{'function' if function else 'kept'}{chr(0xE000 + len(kept))}"


class _Reader:
    """Reads tokens from the left; the next one stands last."""

    def __init__(self, tokens: list[str], kept: list[str], display: bool) -> None:
        self.tokens, self.kept, self.display = tokens[::-1], kept, display

    def next(self) -> str:
        """Return the next token that is no space, which is left in place; empty at the end."""
        while self.tokens and self.tokens[-1].isspace():
            self.tokens.pop()
        return self.tokens[-1] if self.tokens else ""

    def take(self) -> str:
        if not self.next():
            raise TeXError("a formula that ends too early")
        return self.tokens.pop()

    def row(self, *ends: str) -> str:
        """Return all that comes before one of some tokens."""
        parts: list[str] = []
        while self.next() and self.next() not in (*ends, "}"):
            before = parts[-1] if parts else ""
            function = self.next()[1:] in (*FUNCTIONS, *LIMITS) or self.next() == r"\function"
            if (
                function
                and before
                and not before.startswith("<mo")
                and self.next() not in (r"\sum", r"\prod")
            ):
                parts.append(THIN)
            parts.append(self.scripted())
            if function and self.next() not in ("", "(", r"\left", ")", "}", ",", "=", "[", *ends):
                parts.append(THIN)
        return "".join(parts) if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """Return an atom with what stands above and below it."""
        limits = self.display and self.next()[1:] in LIMITS
        base, below, above = self.atom(), "", ""
        while self.next() in ("_", "^", "'"):
            mark = self.take()
            if mark == "_":
                below = self.argument()
            else:
                above += "<mo>′</mo>" if mark == "'" else self.argument()
        above = f"<mrow>{above}</mrow>" if above.count("<mo>′") and above != "<mo>′</mo>" else above
        kind = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
        if below and above:
            return f"<{kind[2]}>{base}{below}{above}</{kind[2]}>"
        name = kind[0] if below else kind[1]
        return f"<{name}>{base}{below}{above}</{name}>" if below or above else base

    def argument(self) -> str:
        """Return what a command is applied to: a group, or one token, of a number its first digit."""
        token = self.next()
        if token == "{":
            return self.group()
        if token[:1].isdigit() and len(token) > 1:
            self.take()
            self.tokens.append(token[1:])
            return f"<mn>{token[0]}</mn>"
        return self.atom()

    def group(self) -> str:
        self.take()
        return self.until("}")

    def until(self, end: str) -> str:
        found = self.row(end)
        if self.next() != end:
            raise TeXError(f"no {end!r}")
        self.take()
        return found

    def atom(self) -> str:
        token = self.take()
        if token.startswith("\\"):
            return self.command(token[1:])
        if token == "{":
            self.tokens.append(token)
            return self.group()
        if token[0].isdigit() or (token[0] == "." and len(token) > 1):
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        return fence(token) if token in "()[]|" else operator(token)

    def command(self, name: str) -> str:
        """Return what a command stands for."""
        if found := simple(name):
            return found
        match name:
            case "kept" | "function":
                return self.kept[ord(self.tokens.pop()) - 0xE001]
            case "frac" | "tfrac" | "dfrac" | "binom":
                return fraction(name, self.argument(), self.argument())
            case "sqrt":
                return f"<msqrt>{self.argument()}</msqrt>"
            case "left":
                left, inside = self.fence(), self.row(r"\right")
                if self.take() != r"\right":
                    raise TeXError(r"no \right")
                return f"<mrow>{fence(left, 'true')}{inside}{fence(self.fence(), 'true')}</mrow>"
            case "begin":
                return self.table()
        if name in ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo stretchy="false">{ACCENTS[name]}</mo></mover>'
        if name in SIZES:
            return fence(self.fence(), "true", f' minsize="{SIZES[name]}em" maxsize="{SIZES[name]}em"')
        if name in STYLES:
            return styled(re.sub("<[^>]*>", "", self.argument()), STYLES[name])
        raise TeXError(f"\\{name} is not known")

    def fence(self) -> str:
        """Return the fence that stands next; none for a dot."""
        token = self.take()
        return "" if token == "." else FENCES.get(token[1:], token)

    def table(self) -> str:
        self.take()
        name = ""
        while self.next() != "}":
            name += self.take()
        self.take()
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row("&", "\\\\", r"\end"))
            mark = self.take()
            if mark == "\\\\":
                rows.append([])
            elif mark == r"\end":
                break
        self.group()
        cells = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        left, right = TABLES.get(name, ("", ""))
        ends = fence(left, "true"), fence(right, "true")
        return f"<mrow>{ends[0]}<mtable>{cells}</mtable>{ends[1]}</mrow>"
