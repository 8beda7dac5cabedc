"""Elements as nested lists, ``[tag, attributes, *content]``: pages make them, and parse nothing."""

from __future__ import annotations

from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, fromstring

from mhing._support.extras import install

Tree: TypeAlias = list[Any]
"""The content is texts and trees."""

_LOWEST = 6  # level of headings


def tree(element: Element) -> Tree:
    """An element as nested lists.

    >>> tree(fromstring('<p class="rule">Play <b>one</b> card.</p>'))
    ['p', {'class': 'rule'}, 'Play ', ['b', {}, 'one'], ' card.']
    """
    content: Tree = [element.text] if element.text else []
    for one in element:
        content += [tree(one), one.tail] if one.tail else [tree(one)]
    return [element.tag, dict(element.attrib), *content]


def of_markdown(text: str) -> list[Tree]:
    """A text in Markdown as trees of HTML, to stand below a heading of the page.

    Headings are one level lower. Of links the words are left: the text has come away from what it
    was beside.

    Raises:
        ValueError: the library that reads Markdown is missing.
    """
    try:
        from markdown_it import MarkdownIt  # noqa: PLC0415  an extra, wanted for the rules alone
    except ModuleNotFoundError:
        raise ValueError(f"rules: they need markdown-it-py: {install('play')}") from None
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    whole = fromstring(f"<div>{html}</div>")
    for one in whole.iter():
        one.attrib.clear()
        if one.tag == "a":
            one.tag = "span"
        elif one.tag[0] == "h" and one.tag[1:].isdigit():
            one.tag = f"h{min(int(one.tag[1:]) + 1, _LOWEST)}"
    return [tree(one) for one in whole]
