"""Pages of the site that are files of the repository, and links between all of them."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

import game_pages
from pymdownx.slugs import slugify

ROOT = Path(__file__).parents[2]

OWN_PAGES = {"contributing.md": "Contributing", "changes.md": "Changes"}
"""Sections of README.md that are pages here."""

LEFT_OUT = "Contents"
"""A section of README.md that the navigation of the site replaces."""

LANGUAGES = {".def": "c", ".h": "c", ".inc": "c", ".yml": "yaml"}
"""For the colours of source files: of files whose ending is not known as a language itself."""

PICTURES = {".svg", ".png"}

LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
NOTE = re.compile(r"^<!-- test: .*-->\n", re.MULTILINE)
"""A note for the tests about an example (tests/python/helpers/pages.py)."""
FENCE = re.compile(r"^( *)(`{3,})[^`\n]*\n.*?^\1\2`*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)

_slug = slugify(case="lower")


def repository_files() -> dict[str, str]:
    """The file of the repository that each such page shows, by the page's address."""
    return {
        "index.md": "README.md",
        **dict.fromkeys(OWN_PAGES, "README.md"),
        "server/protocol.md": "csrc/server/PROTOCOL.md",
        "server/records.md": "csrc/server/RECORDS.md",
        "server/scaling.md": "csrc/server/SCALING.md",
        "server/deploy.md": "csrc/server/deploy/README.md",
        "server/operating.md": "csrc/server/OPERATING.md",
        "server/bots.md": "csrc/server/bots/README.md",
        "benchmarks/index.md": "benchmarks/README.md",
        "benchmarks/results.md": "benchmarks/RESULTS.md",
        "benchmarks/suite.md": "benchmarks/SUITE.md",
        "benchmarks/cards.md": "benchmarks/CARDS.md",
        "tutorials/add-a-game.md": "envs/README.md",
        "reference/contract.md": "envs/CONTRACT.md",
        **{f"games/{game}-rules.md": f"envs/{game}/RULES.md" for game in game_pages.games()},
    }


def outside_fences(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is prose, not a block of code."""
    pieces, end = [], 0
    for fence in FENCE.finditer(text):
        pieces += [(text[end : fence.start()], True), (fence[0], False)]
        end = fence.end()
    return [*pieces, (text[end:], True)]


def anchors(text: str) -> set[str]:
    """The anchors of the headings in a Markdown text, as code hosts and this site make them."""
    found: set[str] = set()
    for prose, is_prose in outside_fences(text):
        if not is_prose:
            continue
        for heading in HEADING.findall(prose):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
            name, number = _slug(words, "-"), 1
            while name in found:
                name, number = f"{_slug(words, '-')}_{number}", number + 1
            found.add(name)
    return found


class Site:
    """All pages, their texts with links of the site, and the source files that they link to."""

    def __init__(self, written: Path) -> None:
        """`written`: the folder of the pages that are written by hand."""
        self._written = PurePosixPath(written.relative_to(ROOT))
        self.repository_pages = repository_files()
        self._readme = _sections((ROOT / "README.md").read_text(encoding="utf-8"))
        self._uris = {
            path: uri for uri, path in self.repository_pages.items() if uri not in OWN_PAGES
        }
        self._sources: set[str] = set()
        self.attached: dict[str, Path] = {}
        """Pictures, by their addresses."""

    def page(self, uri: str) -> str:
        """The text of a page, its links translated."""
        path = self.repository_pages.get(uri)
        if path is None:
            path = str(self._written / uri)
            text = (ROOT / path).read_text(encoding="utf-8")
        elif path == "README.md":
            text = self._readme[uri]
        else:
            text = (ROOT / path).read_text(encoding="utf-8")
        return "".join(
            LINK.sub(lambda link: self._target(link[0], path, uri), piece) if is_prose else piece
            for piece, is_prose in outside_fences(NOTE.sub("", text))
        )

    def sources(self) -> dict[str, str]:
        """The pages with the source files that the pages made so far link to, by address."""
        pages = {}
        for path in sorted(self._sources):
            pages[_source_uri(path)] = (
                _folder_page(path) if (ROOT / path).is_dir() else _source_page(path)
            )
        return pages

    def _target(self, link: str, path: str, uri: str) -> str:
        if re.match(r"[a-z]+:", link):
            return link
        name, hash_, anchor = link.partition("#")
        target = normpath(PurePosixPath(path).parent / name) if name else path
        if target == "README.md":
            home = next(
                (uri for uri, text in self._readme.items() if anchor in anchors(text)), "index.md"
            )
            place = "" if home == uri else _relative(home, uri)
        elif not name:
            place = ""
        elif target in self._uris:
            place = _relative(self._uris[target], uri)
        elif PurePosixPath(target).is_relative_to(self._written):
            place = _relative(str(PurePosixPath(target).relative_to(self._written)), uri)
        elif not (ROOT / target).exists():
            raise FileNotFoundError(f"{path}: the link {link} leads nowhere")
        elif PurePosixPath(target).suffix in PICTURES:
            self.attached[target] = ROOT / target
            place = _relative(target, uri)
        else:
            self._sources.add(target)
            place = _relative(_source_uri(target), uri)
        return place + hash_ + anchor


def _sections(readme: str) -> dict[str, str]:
    """README.md as pages of the site: what is left of it, and each section that is a page."""
    start, *sections = re.split(r"^(?=## )", readme, flags=re.MULTILINE)
    titles = {section.partition("\n")[0].removeprefix("## "): section for section in sections}
    own = {title: uri for uri, title in OWN_PAGES.items()}
    pages = {
        uri: re.sub(r"^#(#+ )", r"\1", titles[title], flags=re.MULTILINE)
        for title, uri in own.items()
    }
    rest = [section for title, section in titles.items() if title not in {*own, LEFT_OUT}]
    return {"index.md": start + "".join(rest), **pages}


def _relative(uri: str, page: str) -> str:
    return relpath(uri, PurePosixPath(page).parent)


def _source_uri(path: str) -> str:
    return f"source/{path.lstrip('.')}.md"


def _source_page(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall(r"`{3,}", text))])
    suffix = PurePosixPath(path).suffix
    language = LANGUAGES.get(suffix, suffix.removeprefix(".") or "text")
    code = f"{fence}{language}\n{text}{fence}"
    return f'{_HEAD}# {path}\n\n<div class="source" markdown>\n\n{code}\n\n</div>\n'


def _folder_page(path: str) -> str:
    names = sorted(
        f"{each.name}/" if each.is_dir() else each.name
        for each in (ROOT / path).iterdir()
        if not each.name.startswith((".", "__"))
    )
    return f"{_HEAD}# {path}\n\n" + "".join(f"- `{name}`\n" for name in names)


_HEAD = "---\nhide: [toc]\nsearch:\n  exclude: true\n---\n\n"
