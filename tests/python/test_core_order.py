"""The files of the core use each other in one direction, in the order that mh_game.h gives."""

from __future__ import annotations

import re
from pathlib import Path

CSRC = Path(__file__).parents[2] / "csrc"
PROSE = {"mh_contract.h"}


def listed() -> list[str]:
    """The files of the core from the ground up: a .c that has a .h of its own counts for both."""
    head = (CSRC / "mh_game.h").read_text(encoding="utf-8").partition("*/")[0]
    rows = re.findall(r"^ \*   ((?:mh_\w+\.\w+ )+) +\S", head, re.MULTILINE)
    return [name for row in rows for name in row.split()]


def places() -> dict[str, int]:
    """By file: its place in the order."""
    found: dict[str, int] = {}
    for place, name in enumerate(listed()):
        header = Path(name).with_suffix(".h").name
        for part in (header, name) if header not in listed() else (name,):
            if (CSRC / part).exists():
                found[part] = place
    return found


def test_every_file_has_its_place() -> None:
    files = {path.name for path in CSRC.iterdir() if path.suffix in (".c", ".h", ".inc")}
    assert set(places()) == files - PROSE, "mh_game.h lists the files of csrc/ in their order"


def test_no_file_uses_a_later_one() -> None:
    order = places()
    for name, place in order.items():
        text = (CSRC / name).read_text(encoding="utf-8")
        for used in re.findall(r'^#include "(mh_\w+\.\w+)"', text, re.MULTILINE):
            assert order[used] <= place, f"{name} includes {used}, which mh_game.h lists after it"
