"""The files of a folder use only those before them in its reading order, so there are no circles.

    python tests/layers.py NM HEADER [OBJECT...]

The comment at the top of HEADER lists the order, one name without its ending a line, for example
` *   wire   messages are read and written`. It is compared with all sources of the header's folder:
what they include, and, as NM reads their objects, which symbols of each other they need.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LINE = re.compile(r"^ \*   (\w+)(?:  .*)?$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include "(?:.*/)?(\w+)\.\w+"', re.MULTILINE)


def reading_order(header: Path) -> list[str]:
    comment, _, _ = header.read_text(encoding="utf-8").partition("*/")
    return LINE.findall(comment)


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in (".c", ".h", ".inc"))


def unlisted(order: list[str], header: Path) -> Iterator[str]:
    found = {path.stem for path in sources(header.parent)}
    for name in sorted(found - set(order)):
        yield f"{header.parent / name}: {header} does not list it; add its line where it belongs"
    for name in sorted(set(order) - found):
        yield f"{header}: lists {name}, and there is no such file"
    for name in sorted({name for name in order if order.count(name) > 1}):
        yield f"{header}: lists {name} more than once"


def includes(order: list[str], header: Path) -> Iterator[str]:
    place = {name: number for number, name in enumerate(order)}
    for path in sources(header.parent):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if place.get(name, -1) > place.get(path.stem, len(order)):
                yield f"{path}: includes {name}, which comes later in the order of {header}"


def symbols(nm: str, path: Path) -> tuple[set[str], set[str]]:
    """What an object defines for others, and what it needs."""
    defined: set[str] = set()
    needed: set[str] = set()
    for line in subprocess.check_output([nm, "-P", path], text=True).splitlines():
        name, kind = line.split()[:2]
        (needed if kind == "U" else defined if kind.isupper() else set()).add(name)
    return defined, needed


def calls(order: list[str], header: Path, nm: str, objects: list[Path]) -> Iterator[str]:
    place = {name: number for number, name in enumerate(order)}
    tables = {path.name.partition(".")[0]: symbols(nm, path) for path in objects}
    home = {symbol: name for name, (defined, _) in tables.items() for symbol in defined}
    for name, (_, needed) in sorted(tables.items()):
        for symbol in sorted(needed & home.keys()):
            if place.get(home[symbol], -1) > place.get(name, len(order)):
                yield (
                    f"{header.parent / name}.c: uses {symbol} of {home[symbol]}, which comes later "
                    f"in the order of {header}"
                )


def main(nm: str, header: Path, objects: list[Path]) -> int:
    order = reading_order(header)
    faults = [
        *unlisted(order, header),
        *includes(order, header),
        *calls(order, header, nm, objects),
    ]
    print("\n".join(faults) or f"{header}: {len(order)} names, {len(objects)} objects, no circle")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]))
