import os
import re
import stat
import tarfile

import pytest
from workbench.lab.publish.assets import ASSETS, Asset
from workbench.lab.publish.slides.page import page
from workbench.lab.publish.slides.slide import Slide

from workbench.errors import ArgumentError
from workbench.lab.publish import assets


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "workbench" / "slides"


def made():
    return page("01_good", [Slide("title", "All")], {})


@pytest.mark.usefixtures("cache")
def test_without_the_files_a_page_links_to_them_by_digest_and_to_nothing_else():
    links = [
        tag for tag in re.findall(r"<(?:script|link)\b[^>]*>", made()) if "src=" in tag or "href=" in tag
    ]
    assert len(links) == len(ASSETS)
    for asset in ASSETS.values():
        (link,) = [tag for tag in links if f'"{asset.url}"' in tag]
        assert f'integrity="{asset.digest}"' in link
    assert not assets.complete()


def small(name, content, package="pack@1"):
    return Asset(package, name, assets.digest(content))


@pytest.fixture
def contents(monkeypatch):
    """Small files in place of the real ones."""
    found = {name: f"/* {name} */".encode() for name in ASSETS}
    monkeypatch.setattr(
        assets, "ASSETS", {name: small(f"dist/{name}", content) for name, content in found.items()}
    )
    return found


def publish(folder, contents, monkeypatch):
    """Put a command npm on the path whose package holds these files."""
    archive = folder / "pack-1.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, content in contents.items():
            path = folder / name
            path.write_bytes(content)
            packed.add(path, f"package/dist/{name}")
    npm = folder / "npm"
    npm.write_text(f'#!/bin/sh\n[ "$1" = pack ] && cp "{archive}" .\n')
    npm.chmod(npm.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_with_the_files_a_page_needs_no_network(cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents, monkeypatch)
    assets.fetch()
    assert sorted(path.name for path in cache.rglob("*") if path.is_file()) == sorted(contents)
    found = made()
    assert not re.findall(r"<script[^>]*\bsrc=|<link\b|@import", found)
    assert all(content.decode() in found for content in contents.values())
    monkeypatch.setenv("PATH", "")
    assets.fetch()  # all is here: nothing to fetch, and no npm needed


def test_another_file_than_the_wanted_is_not_taken(cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents | {"mathjax": b"something else"}, monkeypatch)
    with pytest.raises(ArgumentError, match="the file with digest sha384-"):
        assets.fetch()
    assert not assets.complete()
    (cache / "pack@1" / "dist" / "mathjax").write_bytes(b"changed on disk")
    assert assets.ASSETS["mathjax"].text == ""


def test_npm_that_fails_or_is_missing_is_one_line(cache, contents, tmp_path, monkeypatch):
    publish(tmp_path, contents, monkeypatch)
    (tmp_path / "npm").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(ArgumentError, match="a package that can be fetched"):
        assets.fetch()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ArgumentError, match="npm = None: expected the command npm"):
        assets.fetch()
    assert not cache.exists()


def test_the_files_wanted_are_published_in_a_fixed_version():
    assert all(re.fullmatch(r"[a-z.]+@\d+\.\d+\.\d+", asset.package) for asset in ASSETS.values())
    assert all(re.fullmatch(r"sha384-[A-Za-z0-9+/]{64}", asset.digest) for asset in ASSETS.values())
