"""Makes Markdown of docstrings: roles (``:func:`mhing.points` ``) become links, examples blocks."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`([\w.]+)`")
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)

_log = griffe.get_logger("docstrings")


class Docstrings(griffe.Extension):
    """Translates the docstrings of a package when all of it is known."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Called by griffe once for each package."""
        _translate(pkg)


def _translate(obj: griffe.Object) -> None:
    if obj.docstring:
        text = ROLE.sub(lambda role: _link(obj, role[1]), obj.docstring.value)
        obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)
    for member in obj.members.values():
        if not member.is_alias:
            _translate(member)  # type: ignore[arg-type]


def _link(obj: griffe.Object, name: str) -> str:
    """A link to what `name` means in the docstring of `obj`: seen from there, or from outside."""
    if any(part.startswith("_") for part in name.split(".")):
        return f"`{name}`"  # no page shows what is private
    package, _, rest = name.partition(".")
    if name == package == obj.package.name:
        return f"`{name}`"
    if package == obj.package.name:
        found = _find(obj.package, rest)
    else:
        scope: griffe.Object | None = obj
        while scope is not None and not (found := _find(scope, name)):
            scope = scope.parent  # type: ignore[assignment]
    if found:
        return f"[`{name}`][{found}]"
    _log.warning("%s: its docstring refers to %s, which is not there", obj.path, name)
    return f"`{name}`"


def _find(scope: griffe.Object, name: str) -> str | None:
    """The full name of a member, where it is defined."""
    try:
        return scope[name].canonical_path
    except (KeyError, griffe.AliasResolutionError):
        return None
