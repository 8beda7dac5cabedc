"""Small changes of C, each of which is a bug nearly always: mutants.

Conditions are negated, bounds shifted, operators exchanged, constants changed by 1, statements and
whole ``if`` left out, other values returned: everywhere in functions, and in tables of constants.
Assertions, declarations, macros and what frees memory stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_c
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_c.language()))

EXCHANGED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
    "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=",
}  # fmt: skip
FIXED = ("enum_specifier", "struct_specifier", "union_specifier", "array_declarator")
"""Parts that must stay for anything to work: types and sizes."""
DROPPED = ("expression_statement", "break_statement", "continue_statement")
LEFT = ("assert", "static_assert", "_Static_assert", "free")
"""Calls that stay: only the sanitized tests notice what is not freed."""


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file."""

    file: str
    line: int
    column: int
    function: str
    text: str
    """The line, without the white space around it."""
    what: str
    """The change; with a number where a function has the same in the same text before."""
    start: int
    end: int
    new: str

    @property
    def id(self) -> str:
        """Its place and its change."""
        return f"{self.file}:{self.line}:{self.column}: {self.what}"

    @property
    def key(self) -> tuple[str, str, str]:
        """A name that stays the same while other lines of the file change."""
        return f"{self.file} {self.function}", self.text, self.what

    def made(self, source: bytes) -> bytes:
        """The file's text with the change; lines keep their numbers."""
        new = self.new.encode()
        lines = source[self.start : self.end].count(b"\n") - new.count(b"\n")
        return source[: self.start] + new + b"\n" * lines + source[self.end :]


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """All mutants of a file, in its order."""
    source = (root / file).read_bytes()
    lines = source.decode().splitlines()
    found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for function, node, what, start, end, new in _changes(PARSER.parse(source).root_node):
        row, column = node.start_point
        text = lines[row].strip()
        seen[function, text, what] += 1
        count = seen[function, text, what]
        named = f"{what} #{count}" if count > 1 else what
        found.append(Mutant(file, row + 1, column + 1, function, text, named, start, end, new))
    return found


Change = tuple[str, Node, str, int, int, str]


def _changes(root: Node) -> Iterator[Change]:
    stack = list(reversed(root.children))
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if body and not body.has_error:
                yield from _in_code(body, _name(node), _returns(node))
        elif node.type == "init_declarator" and not node.has_error:
            yield from _in_code(node, _name(node), "")
        elif node.type not in FIXED:
            stack += reversed(node.children)


def _text(node: Node | None) -> str:
    return node.text.decode() if node and node.text else ""


def _name(node: Node) -> str:
    while node and node.type != "identifier":
        inner = node.child_by_field_name("declarator")
        if not inner:
            break
        node = inner
    return _text(node)


def _returns(function: Node) -> str:
    """The type of a function, "*" for pointers."""
    declarator = function.child_by_field_name("declarator")
    if declarator and declarator.type == "pointer_declarator":
        return "*"
    return _text(function.child_by_field_name("type"))


def _in_code(top: Node, function: str, returns: str) -> Iterator[Change]:
    stack = [top]
    while stack:
        node = stack.pop()
        if node.type in FIXED or _stays(node):
            continue
        for what, start, end, new in _of_node(node, returns):
            yield function, node, what, start, end, new
        stack += reversed(node.children)


def _stays(node: Node) -> bool:
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return _text(node.child_by_field_name("function")) in LEFT


def _of_node(node: Node, returns: str) -> Iterator[tuple[str, int, int, str]]:
    whole = (node.start_byte, node.end_byte)
    if node.type in ("binary_expression", "assignment_expression"):
        sign = node.child_by_field_name("operator")
        new = EXCHANGED.get(_text(sign))
        if sign and new:
            yield f"{_text(sign)} to {new}", sign.start_byte, sign.end_byte, new
    elif node.type == "number_literal" and not _is_truth_or_nothing(node):
        value = _text(node)
        if not any(letter in value for letter in ".eExXpP"):
            yield f"{value} to {value} + 1", *whole, f"({value} + 1)"
            if value.rstrip("uUlL") != "0":
                yield f"{value} to {value} - 1", *whole, f"({value} - 1)"
    elif node.type in DROPPED and node.text != b";":
        yield "statement left out", *whole, ";"
    elif node.type == "unary_expression" and _text(node.child_by_field_name("operator")) == "!":
        yield "! left out", node.start_byte, node.start_byte + 1, ""
    elif node.type in ("if_statement", "while_statement", "conditional_expression"):
        condition = node.child_by_field_name("condition")
        assert condition
        if not _is_equality(condition):
            yield (
                "condition negated",
                condition.start_byte,
                condition.end_byte,
                f"(!({_text(condition)}))",
            )
        if node.type == "if_statement" and not node.child_by_field_name("alternative"):
            yield "if left out", *whole, ";"
    elif node.type == "return_statement" and node.named_children and returns not in ("", "*"):
        value = _text(node.named_children[0])
        if not returns.startswith("struct") and value not in ("0", "false"):
            yield "0 returned", *whole, "return 0;"


def _is_truth_or_nothing(number: Node) -> bool:
    """True for that of ``return 1``, where 2 is as true, and of ``= {0}``, which clears."""
    around = _text(number.parent)
    return around in ("return 1;", "{0}")


def _is_equality(condition: Node) -> bool:
    while condition.type == "parenthesized_expression":
        condition = condition.named_children[0]
    return _text(condition.child_by_field_name("operator")) in ("==", "!=", "!")
