"""What slides need in a browser: pinned files, each known by its digest, linked to or inlined.

Nothing is fetched unless `fetch` is called. Without the files a page links to them, with their digests, so
that a browser takes no others; with them a page needs no network.
"""

import base64
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import ArgumentError
from workbench.study.store import caches

HOST = "https://unpkg.com/"
LIMIT = 300.0  # seconds that fetching one package may take


@dataclass(frozen=True)
class Asset:
    """One file of a published package, and its SHA-384 as browsers write it."""

    package: str
    path: str
    digest: str

    @property
    def url(self) -> str:
        """Where the file is published."""
        return f"{HOST}{self.package}/{self.path}"

    @property
    def file(self) -> Path:
        """Where the file is kept once it was fetched."""
        return caches() / "slides" / self.package / self.path

    @property
    def text(self) -> str:
        """The file, as it may stand in a page; empty if it is not here or not the one that is wanted."""
        try:
            content = self.file.read_bytes()
        except (OSError, ArgumentError):  # also where there is no home, or none that may be read
            return ""
        return content.decode() if digest(content) == self.digest else ""


_REVEAL, _MATHJAX = "reveal.js@4.6.0", "mathjax@3.2.2"
ASSETS = {
    "reveal_css": Asset(
        _REVEAL, "dist/reveal.css", "sha384-bMHgPQTenDKZjTzy9iE5WKgmYS9tMni2WoqGiFidTdzigDjtUuWJmkLq9WJ4gUTL"
    ),
    "reveal_js": Asset(
        _REVEAL, "dist/reveal.js", "sha384-1BgZRI35wIBSv5NogsksvIdAsgAPqwRFj4SJUH7dDP14i/J8zwleEEcTA1TTHId3"
    ),
    "notes_js": Asset(
        _REVEAL,
        "plugin/notes/notes.js",
        "sha384-uGY994LqWhR6DceAusk0BjkwDgzWyj6cq0OskKeUtyUOqv4s77I7JAyepDX+NSi/",
    ),
    "mathjax": Asset(
        _MATHJAX, "es5/tex-svg.js", "sha384-KKWa9jJ1MZvssLeOoXG6FiOAZfAgmzsIIfw8BXwI9+kYm0lPCbC6yTQPBC00F1/L"
    ),
}


def digest(content: bytes) -> str:
    """Return the SHA-384 of a file as browsers write it."""
    return f"sha384-{base64.b64encode(hashlib.sha384(content).digest()).decode()}"


def complete() -> bool:
    """Return whether every file is here."""
    return all(asset.text for asset in ASSETS.values())


def fetch() -> None:
    """Fetch with npm what is not here; the only thing in this package that needs a network.

    Raises
    ------
    ArgumentError
        If there is no npm, if it fails, or if a file is not the one that is wanted.
    """
    npm = shutil.which("npm")
    if npm is None and not complete():
        raise ArgumentError("npm", None, "the command npm, which comes with Node.js")
    for package in dict.fromkeys(asset.package for asset in ASSETS.values() if not asset.text):
        with tempfile.TemporaryDirectory(prefix="workbench-") as scratch:
            _unpack(package, _packed(str(npm), package, scratch))


def _packed(npm: str, package: str, folder: str) -> Path:
    command = [npm, "pack", "--silent", "--ignore-scripts", package]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=LIMIT)
    except (subprocess.SubprocessError, OSError) as error:
        raise ArgumentError("npm pack", package, f"a package that can be fetched ({error})") from None
    return next(Path(folder).glob("*.tgz"))


def _unpack(package: str, archive: Path) -> None:
    with tarfile.open(archive) as packed:
        for asset in (asset for asset in ASSETS.values() if asset.package == package):
            member = packed.extractfile(f"package/{asset.path}")
            content = member.read() if member else b""
            if digest(content) != asset.digest:
                raise ArgumentError(package, asset.path, f"the file with digest {asset.digest}")
            asset.file.parent.mkdir(parents=True, exist_ok=True)
            asset.file.write_bytes(content)
