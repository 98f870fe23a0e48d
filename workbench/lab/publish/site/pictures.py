"""The figures, small enough to stand in one page: shorter numbers, packed, unpacked by the browser."""

import base64
import gzip
import re
from pathlib import Path

PREAMBLE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
PATH = re.compile(r'\bd="[^"]*"|\b(?:x|y)="[^"]*"')
NUMBER = re.compile(r"-?\d+\.\d{3,}")
SIZE = re.compile(r'<svg\b[^>]*\bviewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')


def packed(folder: Path) -> dict[str, str]:
    """Return the pictures below a folder by their name in it, without suffix: gzip, as base64."""
    paths = sorted(path for depth in ("*", "*/*") for path in folder.glob(f"{depth}.svg"))
    return {key(path, folder): _pack(path) for path in paths}


def key(path: Path, folder: Path) -> str:
    """Return the name of a picture."""
    return path.relative_to(folder).with_suffix("").as_posix()


def shape(path: Path) -> tuple[float, float]:
    """Return width and height of a picture; 3 by 2 where it does not say them."""
    found = SIZE.search(path.read_text(encoding="utf-8")[:2000]) if path.is_file() else None
    return (float(found[1]), float(found[2])) if found else (3.0, 2.0)


def _pack(path: Path) -> str:
    content = smaller(path.read_text(encoding="utf-8")).encode()
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def smaller(svg: str) -> str:
    """Return a picture without what is not seen: hundredths of a point are enough for a place.

    >>> smaller('<svg><path d="M 1.23456 2" transform="scale(0.015625)"/></svg>')
    '<svg><path d="M 1.23 2" transform="scale(0.015625)"/></svg>'
    """
    places = PATH.sub(lambda part: NUMBER.sub(_short, part[0]), PREAMBLE.sub("", svg))
    return re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", places)).strip()


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
