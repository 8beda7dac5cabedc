"""Modules of the package, which of them may import which; and the width of C files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "mhing"
COMPILED = "mhing._core"


def named(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


FILES = {named(path): path for path in PACKAGE.rglob("*.py")}


def statements(tree: ast.AST, lazy: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those that run on import; with `lazy` those in functions too, never those for type checkers.

    Nor those of ``if __name__ == "__main__"``.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test).startswith(
            ("TYPE_CHECKING", "__name__")
        ):
            continue
        elif lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from statements(node, lazy)


@cache
def imports(module: str, lazy: bool) -> set[str]:
    found = set()
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    for node in statements(tree, lazy):
        for alias in node.names:
            full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            if full in FILES or full == COMPILED:
                found.add(full)
            elif isinstance(node, ast.ImportFrom) and node.module in FILES:
                found.add(node.module)
    return found - {module}


def test_one_module_loads_the_compiled_one() -> None:
    assert [name for name in FILES if COMPILED in imports(name, True)] == ["mhing._lib.binding"]


def test_what_serves_the_core_needs_nothing_else_of_the_package() -> None:
    for name in FILES:
        if name.startswith("mhing._lib"):
            others = {other for other in imports(name, True) if other != COMPILED}
            assert all(other.startswith("mhing._lib.") for other in others), name


def test_no_circles_not_even_by_lazy_imports() -> None:
    graph = {name: imports(name, True) - {COMPILED} for name in FILES}
    assert graph["mhing.state"] > {"mhing._lib.states", "mhing.findings"}
    assert len([*TopologicalSorter(graph).static_order()]) == len(FILES)


def test_lines_of_c_files_have_120_characters_at_most() -> None:
    """The formatter leaves comments as they are."""
    for folder in ("csrc", "envs", "tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".c", ".h", ".inc"}:
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    assert len(line) <= 120, f"{path.relative_to(ROOT)}:{number}"
