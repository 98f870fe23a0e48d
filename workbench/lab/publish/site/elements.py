"""The elements of MathML that one command or sign of TeX stands for."""

from html import escape

from workbench.lab.publish.site.symbols import (
    CAPITALS,
    DOUBLE,
    FENCES,
    FUNCTIONS,
    LETTERS,
    LIMITS,
    OPENING,
    OPERATORS,
    SPACES,
)

BOLD = {ord(letter): 0x1D400 + place for place, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}
BOLD |= {ord(letter): 0x1D41A + place for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}


def styled(words: str, style: str) -> str:
    """Return letters in a style: upright, bold, italic or double."""
    if style == "double":
        return f"<mi>{''.join(DOUBLE.get(letter, letter) for letter in words)}</mi>"
    if style == "bold":
        return f'<mi mathvariant="normal">{words.translate(BOLD)}</mi>'
    upright = ' mathvariant="normal"' if style == "normal" and len(words) == 1 else ""
    return f"<mi{upright}>{escape(words)}</mi>"


def operator(sign: str) -> str:
    """Return a sign of one character."""
    if sign == "/":
        return '<mo lspace="0" rspace="0">/</mo>'
    return f"<mo>{escape({'-': '−', '*': '∗'}.get(sign, sign))}</mo>"


def simple(name: str) -> str:
    """Return what a command without an argument stands for; nothing if it is none."""
    if name in LETTERS:
        return f"<mi>{LETTERS[name]}</mi>"
    if name in CAPITALS:
        return f'<mi mathvariant="normal">{CAPITALS[name]}</mi>'
    if name in FENCES:
        return fence(FENCES[name])
    if name in OPERATORS:
        return f"<mo>{escape(OPERATORS[name])}</mo>"
    if name in SPACES:
        return f'<mspace width="{SPACES[name]}em"/>'
    if name in ("sum", "prod"):
        return f"<mo>{LIMITS[name]}</mo>"
    return f"<mi>{LIMITS.get(name, name)}</mi>" if name in (*FUNCTIONS, *LIMITS) else ""


def fraction(name: str, above: str, below: str) -> str:
    """Return a fraction, small, or without a line for a binomial coefficient."""
    if name == "binom":
        stacked = f'<mfrac linethickness="0">{above}{below}</mfrac>'
        return f"<mrow>{fence('(', 'true')}{stacked}{fence(')', 'true')}</mrow>"
    small = name == "tfrac"
    made = f"<mfrac>{above}{below}</mfrac>"
    return f'<mstyle displaystyle="false">{made}</mstyle>' if small else made


def fence(sign: str, stretchy: str = "false", more: str = "") -> str:
    """Return a bracket; nothing for none."""
    if not sign:
        return ""
    form = ' form="prefix"' if sign in OPENING else ' lspace="0" rspace="0"' if sign in "|‖" else ""
    return f'<mo{form} stretchy="{stretchy}"{more}>{escape(sign)}</mo>'
