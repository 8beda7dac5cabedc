"""The files of a folder use only those before them in its reading order, so there are no circles.

    python tests/layers.py NM HEADER [OBJECT...]

The comment at the top of HEADER lists the order, for example ` *   wire   messages, read and
written` or ` *   mh_text.c mh_pool.c   text; threads`. A name without an ending, or with that of a
C file, stands for its header too, unless that is listed on its own. Folders beside HEADER are
floors, one above the other: ` *   net/   sockets` begins one, and its files follow it, two columns
further in. The order is compared with all sources of these folders: where they are, what they
include, and, as NM reads their objects, which symbols of each other they need.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROW = re.compile(r"^ \*   (  )?((?:\w+(?:\.\w+)? )+|\w+/ ) +\S", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include "(?:.*/)?(\w+\.\w+)"', re.MULTILINE)
ENDINGS = (".c", ".h", ".inc")


class Order:
    """The places of files in the reading order of a header's folder and its floors."""

    def __init__(self, header: Path) -> None:
        self.header = header
        comment, _, _ = header.read_text(encoding="utf-8").partition("*/")
        folders = [header.parent]
        rows: list[tuple[Path, str]] = []
        for inside, words in ROW.findall(comment):
            if words.endswith("/ "):
                folders.append(header.parent / words.rstrip())
            else:
                rows += [(folders[-1] if inside else folders[0], name) for name in words.split()]
        names = [name for _, name in rows]
        listed = [*names, *(f"{folder.name}/" for folder in folders)]
        self.place: dict[str, int] = {}
        placed: list[Path] = []
        self.faults = [
            f"{header}: lists {name} twice" for name in sorted({*listed}) if listed.count(name) > 1
        ]
        for place, (folder, name) in enumerate(rows):
            files = _files_of(folder, name, names)
            self.place.update({path.name: place for path in files})
            placed += files
            if not files:
                self.faults.append(f"{header}: lists {folder / name}, and there is no such file")
        self.sources = [
            path
            for folder in folders
            for path in sorted(folder.glob("*"))
            if path.suffix in ENDINGS
        ]
        self.faults += [
            f"{path}: {header} does not list it; add it where it belongs"
            for path in self.sources
            if path not in placed
        ]

    def is_later(self, used: str, user: str) -> bool:
        return self.place.get(used, -1) > self.place.get(user, len(self.place))


def _files_of(folder: Path, name: str, names: list[str]) -> list[Path]:
    stem, _, ending = name.partition(".")
    both = [f"{stem}.c", f"{stem}.h"] if ending in ("", "c") else [name]
    paths = [folder / file for file in both if file == name or file not in names]
    return [path for path in paths if path.exists()]


def includes(order: Order) -> Iterator[str]:
    for path in order.sources:
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if order.is_later(name, path.name):
                yield f"{path}: includes {name}, which comes later in the order of {order.header}"


def symbols(nm: str, path: Path) -> tuple[set[str], set[str]]:
    """The names that an object defines for others, and those that it needs."""
    defined: set[str] = set()
    needed: set[str] = set()
    for line in subprocess.check_output([nm, "-P", path], text=True).splitlines():
        name, kind = line.split()[:2]
        (needed if kind == "U" else defined if kind.isupper() else set()).add(name)
    return defined, needed


def calls(order: Order, nm: str, objects: list[Path]) -> Iterator[str]:
    tables = {f"{path.name.partition('.')[0]}.c": symbols(nm, path) for path in objects}
    home = {symbol: name for name, (defined, _) in tables.items() for symbol in defined}
    for name, (_, needed) in sorted(tables.items()):
        for symbol in sorted(needed & home.keys()):
            if order.is_later(home[symbol], name):
                yield (
                    f"{name}: uses {symbol} of {home[symbol]}, which comes later in the order of "
                    f"{order.header}"
                )


def main(nm: str, header: Path, objects: list[Path]) -> int:
    order = Order(header)
    faults = [*order.faults, *includes(order), *calls(order, nm, objects)]
    print("\n".join(faults) or f"{header}: {len(order.place)} files, {len(objects)} objects")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]))
