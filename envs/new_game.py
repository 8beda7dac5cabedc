"""Makes a new game: a copy of the template, envs/leduc, and its tests, under another name.

    python envs/new_game.py whist "Whist"              envs/whist, with its line in games.def
    python envs/new_game.py whist "Whist" --extra      without the line: MHING_EXTRA_GAMES builds it

The copy compiles and passes the tests as it is. It is still Leduc poker by its rules: change them
file by file, in the order that envs/README.md gives.
"""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path

ENVS = Path(__file__).parent
RULES = ENVS.parent / "tests/python/rules"
TEMPLATE = "leduc"
TEMPLATE_TITLE = "Leduc poker"
ABOUT_COPYING = "new_game.py"
"""A line of the template that holds this is about the template, and is left out of the copy."""

LONGEST = 23
"""Letters of a name: snapshots have 24 bytes for it."""

TAKEN_BY_C = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool complex imaginary true false main
    assert ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar
    wctype
"""
"""Keywords, and standard headers, which a game's own header would hide."""


class BadInput(Exception):
    """Something on the command line is wrong; the text is the one line to show."""


def check_name(name: str) -> None:
    """Refuses what cannot be a game's name.

    Raises:
        BadInput: with the reason.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise BadInput(f"name {name!r}: use a-z, 0-9 and _, a letter first, for example whist")
    if len(name) > LONGEST:
        raise BadInput(f"name {name!r}: it has {len(name)} letters, {LONGEST} is the most")
    if keyword.iskeyword(name):
        raise BadInput(f"name {name!r}: it is a word of Python")
    if name in TAKEN_BY_C.split():
        raise BadInput(f"name {name!r}: it is a word or a header of C")
    for path in (ENVS / name, rules_test(name)):
        if path.exists():
            raise BadInput(f"name {name!r}: {path.relative_to(ENVS.parent)} exists")
    if name.startswith("mh_"):
        raise BadInput(f"name {name!r}: names that begin with mh_ are the runtime's")
    taken = symbol_with(name)
    if taken:
        raise BadInput(f"name {name!r}: the source has {taken} already")


def symbol_with(name: str) -> str | None:
    """An identifier of the C headers that has this name, or begins with it and _."""
    folders = (ENVS, ENVS.parent / "csrc")
    for header in sorted(path for folder in folders for path in folder.rglob("*.h")):
        found = re.search(rf"\b{name}(_\w+)?\b", without_comments(header))
        if found:
            return f"{found.group()} ({header.relative_to(ENVS.parent)})"
    return None


def without_comments(path: Path) -> str:
    """The C of a file without its comments and texts."""
    return re.sub(r'/\*.*?\*/|"[^"]*"|<[^>]*>', "", path.read_text(encoding="utf-8"), flags=re.S)


def check_title(title: str) -> None:
    """Refuses a title that cannot stand in C and in JSON as it is.

    Raises:
        BadInput: with the reason.
    """
    if not re.fullmatch(r"[ -~]+", title) or title != title.strip() or set(title) & set('"\\'):
        raise BadInput(f"title {title!r}: use printable ASCII without quotes and backslashes")


def renamed(text: str, name: str, title: str) -> str:
    """A text of the template as the copy has it."""
    lines = [line for line in text.splitlines(keepends=True) if ABOUT_COPYING not in line]
    names = {
        TEMPLATE_TITLE: title,
        TEMPLATE: name,
        TEMPLATE.upper(): name.upper(),
        TEMPLATE.title(): title,
    }
    return re.sub("|".join(names), lambda found: names[found.group()], "".join(lines))


def rules_test(name: str) -> Path:
    """The file with the tests of a game's rules."""
    return RULES / f"test_{name}.py"


def copy_template(name: str, title: str) -> list[Path]:
    """Writes envs/<name> and the tests of its rules, and returns the files."""
    folder = ENVS / name
    folder.mkdir()
    copies = {
        path: folder / renamed(path.name, name, title) for path in (ENVS / TEMPLATE).iterdir()
    }
    copies[rules_test(TEMPLATE)] = rules_test(name)
    for path, copy in copies.items():
        copy.write_text(renamed(path.read_text(encoding="utf-8"), name, title), encoding="utf-8")
    return sorted(copies.values())


def register(name: str) -> None:
    """Adds the game's line to games.def."""
    path = ENVS / "games.def"
    path.write_text(path.read_text(encoding="utf-8") + f"MH_GAME({name})\n", encoding="utf-8")


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", help="of the folder, and the game's id, for example whist")
    parser.add_argument("title", help='for people, for example "Whist"')
    parser.add_argument("--extra", action="store_true", help="leave games.def as it is")
    given = parser.parse_args()
    try:
        check_name(given.name)
        check_title(given.title)
    except BadInput as error:
        parser.exit(2, f"new_game.py: {error}\n")
    files = copy_template(given.name, given.title)
    if not given.extra:
        register(given.name)
    for path in files:
        print(path.relative_to(ENVS.parent))
    setting = f", with -C cmake.define.MHING_EXTRA_GAMES={given.name}" if given.extra else ""
    print(f"next: the editable build (README.md, Contributing){setting}")
    print(f"then: pytest tests/python -k {given.name}, and step 2 of envs/README.md")


if __name__ == "__main__":
    main()
