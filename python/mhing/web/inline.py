"""Pages that need nothing else: modules, style and start are in them, as their policy says.

Modules are addresses of data in an import map, since a page from the disk, or in a frame, can load
no files. In the files they name each other as ``./name.js``, which data cannot, so that becomes
``mhing/name.js`` on the way.

A page that is :func:`packed` holds modules and content compressed, a third of their size. It
appears a moment after it was loaded, so a page that must appear at once is :func:`alone`.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

_BESIDE = re.compile(r'\bfrom "\./(\w+\.js)"')

_LOADED = re.compile(r"<link [^>]*>\n|<script [^>]*></script>\n")

_AS_THEY_ARE = ' !"$&()*+,-./:;=?@[]^_`{|}~'
"""Characters that may stand in an address of data, and between the tags of a script, as it is."""


def text(name: str) -> str:
    """A file of the pages. Pages have a common beginning of their heads, which is put into them."""
    content = (files("mhing.web") / "page" / name).read_text(encoding="utf-8")
    if "<head>" not in content:
        return content
    return content.replace("<head>", f"<head>\n{text('head.html').rstrip()}")


def alone(
    page: str, module: str, style: str, start: str, instead: Mapping[str, str] | None = None
) -> str:
    """A page with all that it loads from elsewhere put into it.

    Args:
        page: the file.
        module: the file of the module that `start` imports, as ``"mhing/NAME"``.
        style: replaces the page's style sheets.
        start: replaces the page's scripts.
        instead: files that stand in for modules, by the names of these.
    """
    modules = _imports(module, instead or {})
    scripts = (
        f'<script type="importmap">{modules}</script>\n<script type="module">{start}</script>\n'
    )
    return _filled(page, style, [modules, start]).replace("</head>", f"{scripts}</head>")


def packed(page: str, module: str, style: str, content: Any) -> str:
    """A page with all that it loads from elsewhere, and with what it shows, put into it.

    Args:
        page: the file.
        module: the file of the module whose ``start`` takes the content.
        style: replaces the page's style sheets.
        content: what JSON can say.
    """
    modules, start = _imports("start.js", {"start.js": module}), text("packed.js")
    held = json.dumps({"imports": modules, "content": content}, separators=(",", ":"))
    squeezed = b64encode(zlib.compress(held.encode(), 9)).decode()
    scripts = (
        f'<script type="text/plain" id="packed">{squeezed}</script>\n<script>{start}</script>\n'
    )
    return _filled(page, style, [modules, start]).replace("</body>", f"{scripts}</body>")


def _filled(page: str, style: str, scripts: Iterable[str]) -> str:
    """A page that loads nothing from elsewhere, with its style, and a policy for these scripts."""
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy(scripts, style)}">\n'
        f"<style>{style}</style>\n</head>"
    )
    return _LOADED.sub("", text(page)).replace("</head>", head)


def _imports(start: str, instead: Mapping[str, str]) -> str:
    """An import map of a module and of all modules that it needs."""
    found, needed = dict[str, str](), [start]
    while needed:
        name = needed.pop()
        if name not in found:
            found[name] = text(instead.get(name, name))
            needed += _BESIDE.findall(found[name])
    return json.dumps({"imports": {f"mhing/{name}": _data(found[name]) for name in sorted(found)}})


def policy(scripts: Iterable[str], style: str) -> str:
    """Return a page's policy as an attribute: these scripts, this style, and modules from data."""
    return escape(
        "default-src 'none'; script-src data: "
        + " ".join(map(_hash, scripts))
        + f"; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )


def _data(module: str) -> str:
    named = _BESIDE.sub(r'from "mhing/\1"', module)
    return f"data:text/javascript,{quote(named, _AS_THEY_ARE)}"


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
