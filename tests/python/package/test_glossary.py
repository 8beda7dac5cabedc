"""The glossary: each term once, and each name of the code in it is one."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "python" / "docs" / "pages" / "glossary.md"
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", re.MULTILINE)
FORMER = "told lot lots news house crew muster robbed slate stray astray muted doubt lessons taught"
"""Words that stood for terms of the page in names: reported, draw, changes, context, worker..."""
NAMES = re.compile(r"\b(?:def|class) (\w+)|\bself\.(\w+)|^ *(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
STRUCT = re.compile(r"^struct (\w+) \{", re.MULTILINE)
FOLDERS = [ROOT / name for name in ("python", "tests", "benchmarks", "envs", "csrc")]
MODULES = [path for folder in FOLDERS for path in folder.rglob("*.py")]
SOURCES = {
    path.read_text(encoding="utf-8")
    for folder, pattern in (("csrc", "*.[ch]"), ("envs", "*.[ch]"), ("python/mhing", "*.py"))
    for path in (ROOT / folder).rglob(pattern)
}


def test_every_row_is_read() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| term ")]
    assert len(rows) == len(ROW.findall("\n".join(rows))) > 60


def test_no_term_stands_twice() -> None:
    terms = [
        term.strip() for row, _ in ROW.findall(PAGE.read_text("utf-8")) for term in row.split(",")
    ]
    assert sorted({*terms}) == sorted(terms)


def test_names_are_in_the_code() -> None:
    missing = [
        name
        for _, name in ROW.findall(PAGE.read_text(encoding="utf-8"))
        if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in SOURCES)
    ]
    assert not missing


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    """As readers of other libraries know them: "Return the legal actions", "True if it is over"."""
    question = re.compile(r'"""(What|How|Whether|Whose?|Whom|Where|Which|When|Why)\b.*')
    rest = re.compile(r'"""(Of|In|By|For|As|With|To|From|On|At|Among|Th(at|ose)|If|So|None)\b.*')
    package = ROOT / "python" / "mhing"
    for path in MODULES:
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = question.search(text) or (path.is_relative_to(package) and rest.search(text))
            assert not found, f"{path.relative_to(ROOT)}:{line}: {found.group()}"


def test_names_have_no_former_word() -> None:
    former = {*FORMER.split()}
    for line in ("def test_it_is_{}_so() -> None:", "    {}: int = 2", "        self._{} = 1"):
        assert all(named(line.format(word), former) for word in former)
    for path in MODULES:
        found = named(path.read_text(encoding="utf-8"), former)
        assert not found, f"{path.relative_to(ROOT)}: {sorted(found)}; the glossary has a term"


def named(text: str, words: set[str]) -> set[str]:
    """Return the names that a module gives and that have one of these words."""
    names = {name for found in NAMES.findall(text) for name in found if name}
    return {name for name in names if words & {*re.findall("[a-z]+", name.lower())}}


def test_a_struct_has_one_name() -> None:
    """A grep says where a struct is; two games may have one for the same thing."""
    core = sorted((ROOT / "csrc").rglob("*.[ch]"))
    for game in sorted(path for path in (ROOT / "envs").iterdir() if path.is_dir()):
        files = [*core, *sorted(game.glob("*.[ch]")), *sorted(game.glob("bots/*.[ch]"))]
        tags = [tag for path in files for tag in STRUCT.findall(path.read_text(encoding="utf-8"))]
        assert sorted({*tags}) == sorted(tags), sorted({tag for tag in tags if tags.count(tag) > 1})


def test_a_class_has_one_name() -> None:
    """Each method of the trainer has a module with its `Tuning`, found by that name."""
    files = sorted((ROOT / "python" / "mhing").rglob("*.py"))
    names = [name for path in files for name in CLASS.findall(path.read_text(encoding="utf-8"))]
    names.remove("Tuning")
    assert sorted({*names}) == sorted(names), {name for name in names if names.count(name) > 1}
