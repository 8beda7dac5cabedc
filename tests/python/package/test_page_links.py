"""Links lead somewhere, on the pages in the repository and on the site built from them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import unquote, urlsplit

import pages
import pytest
from chromium import needs_chromium
from PIL import Image

pytestmark = pytest.mark.once

WRITTEN = str(pages.WRITTEN.relative_to(pages.ROOT))
MADE = pages.generated_texts()
"""Pages that only the site has; pages of the folder `WRITTEN` may link to them."""


@pytest.fixture(scope="module")
def site() -> Any:
    """The module that makes pages of the site from files of the repository."""
    pytest.importorskip("mkdocs", reason="needs the extra mhing[docs]")
    return pages.site_module("repository_pages")


@pytest.mark.parametrize("page", pages.texts())
def test_links_of_the_source(page: str, site: Any) -> None:
    text = pages.texts()[page]
    for link in links(site, text):
        if ":" in link:
            assert_external(link)
            continue
        name, _, anchor = link.partition("#")
        target = normpath(Path(page).parent / name) if name else page
        if made := MADE.get(target.removeprefix(f"{WRITTEN}/")):
            assert not anchor or anchor in site.anchors(made), f"{link}: no such heading"
            continue
        path = pages.ROOT / target
        assert path.exists(), f"{link}: no such file"
        assert path.is_relative_to(pages.ROOT), f"{link}: outside of the repository"
        if anchor:
            assert path.suffix == ".md", f"{link}: only pages have anchors"
            assert anchor in site.anchors(path.read_text(encoding="utf-8")), f"{link}: no heading"


def links(site: Any, text: str) -> Iterator[str]:
    """The targets of all links and pictures of a page; what is code is none."""
    for piece, is_prose in site.outside_fences(text):
        if is_prose:
            yield from site.LINK.findall(re.sub(r"`[^`]*`", "", piece))
            assert not re.findall(
                r"\]\[|^\[[^\]]+\]: ", re.sub(r"`[^`]*`", "", piece), re.MULTILINE
            )


def assert_external(link: str) -> None:
    """A link to elsewhere can be right; whether it is, a test without a network cannot know."""
    parts = urlsplit(link)
    assert parts.scheme == "https", link
    assert re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", parts.netloc), link


# ---- The built site -----------------------------------------------------------------------------


class Page(HTMLParser):
    """References of a page of the site, and the names that others can refer to."""

    LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}  # noqa: RUF012

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif value and (tag, name) in self.LOADS:
                self.loads.add(value)
            elif value and (tag, name) == ("a", "href"):
                self.links.add(value)


@pytest.fixture(scope="module")
def built(site: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the command that README.md gives, where it ends at the first warning."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-f", "python/docs/mkdocs.yml"]
    done = subprocess.run(
        [*command, "--strict", "--site-dir", str(folder)],
        cwd=pages.ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_links_of_the_site(built: Path) -> None:
    """Every link and everything that a page loads exists on the disk, without a network."""
    read = {path: Page(path) for path in built.rglob("*.html")}
    assert len(read) > 40
    for path, page in read.items():
        if path.name == "404.html":
            continue  # made for web servers: its paths are absolute
        for link in page.links:
            if ":" in link:
                assert_external(link)
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), f"{path.relative_to(built)}: {link}"
            if anchor and target in read:
                assert anchor in read[target].names, f"{path.relative_to(built)}: {link}"
        for load in page.loads:
            assert ":" not in load or load.startswith("data:"), f"{path.name} loads {load}"
            target = (path.parent / unquote(load).partition("?")[0]).resolve()
            assert target.is_file(), f"{path.relative_to(built)} loads {load}"
    for sheet in built.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_the_site_has_what_the_core_has(built: Path) -> None:
    """Every game's page shows all options, actions, fields, numbers and bots."""
    for address, text in pages.generated_texts().items():
        html = (built / address).with_suffix(".html").read_text(encoding="utf-8")
        names = re.findall(r"^\| `(\w+)`", text, re.MULTILINE)
        assert names or address == "games/index.md" or address.endswith("-guide.md")
        for name in names:
            assert f"<code>{name}</code>" in html, f"{address}: {name}"


def test_no_file_is_two_pages(site: Any) -> None:
    files = [path for path in site.repository_files().values() if path != "README.md"]
    assert len(set(files)) == len(files)


@pytest.mark.slow
@needs_chromium
def test_the_picture_of_the_application_can_be_taken_again() -> None:
    """`python python/docs/web_pictures.py` does; letters are those of the machine."""
    made = pages.site_module("web_pictures")
    kept, taken = (Image.open(BytesIO(png)) for png in (made.PICTURE.read_bytes(), made.taken()))
    assert kept.size == taken.size == (made.SIZE["width"], made.SIZE["height"])
    for picture in (kept, taken):
        assert len(picture.getcolors() or []) > 64  # no empty page


def test_the_picture_of_the_readme_is_current() -> None:
    """`python python/docs/table_pictures.py` writes it."""
    made = pages.site_module("table_pictures")
    assert made.README.read_text(encoding="utf-8") == made.pictures("mhing")["mhing.svg"]
