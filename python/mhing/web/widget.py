"""A table to play at in a notebook: see :func:`mhing.play_widget`.

The widget holds a :class:`mhing.web.play.PlaySession`; what is to be seen lies in its state, so
that a cell that is shown twice, loaded again, or saved has it. The notebook shows it by the page of
tables, unchanged, in a frame: keys, names and styles of the two do not meet. Nothing happens while
no page shows the table, since pages count the seconds.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from mhing._support.extras import install
from mhing.render import palette
from mhing.web import inline
from mhing.web.play import PlaySession
from mhing.web.session import SHAPES, Message, asked, asked_shape

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"play_widget: tables in notebooks need anywidget: {install('play')}"
    ) from error

_ALONE = "header > a { display: none; }\n"  # there is no other page to go to
_START = 'import "mhing/table.js";'


class TableWidget(anywidget.AnyWidget):
    """A table in a cell; :func:`mhing.play_widget` makes it.

    Args:
        session: what is played; it is the widget's from now on.
        height: of the cell, in CSS pixels.
    """

    _esm = inline.text("widget.js")
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    hello = traitlets.Dict().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    """The present picture, without its sprites."""
    sprites = traitlets.Dict().tag(sync=True)
    """All that were seen, by their names."""

    def __init__(self, session: PlaySession, height: int) -> None:
        self._session, self._shape = session, SHAPES[0]
        super().__init__(page=_page(), height=height, hello=session.hello())
        self._show()
        self.on_msg(self._hear)

    def __repr__(self) -> str:
        return f"<a table of {self.hello['title']}>"

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        """Add the picture to a widget's bundle, for notebooks without widgets."""
        bundle = super()._repr_mimebundle_(**keywords)
        if bundle is None:
            return None
        data, about = bundle
        return data | {"image/svg+xml": self._picture()}, about

    def close(self) -> None:
        """Frees what the widget holds; pages show it no longer."""
        self._session.close()
        super().close()

    def _hear(self, _: object, request: object, __: object) -> None:
        """Answer a page, then say in how many seconds it is to ask for what happens by itself."""
        try:
            messages = self._answer(request)
        except ValueError as error:
            messages = [{"kind": "error", "text": str(error)}]
        self._show()
        for message in (*messages, {"kind": "due", "seconds": self._session.due()}):
            self.send(message)

    def _answer(self, request: object) -> list[Message]:
        if not isinstance(request, dict):
            raise ValueError("this is no request")
        wanted = asked(request, "do", str)
        if wanted == "wait":
            return []
        if wanted == "tick":
            if self._session.due() == 0:  # of several pages, the first one is in time
                self._session.tick()
            return []
        if wanted == "shape":
            self._shape = asked_shape(request)
            return []
        return self._session.do(request)

    def _show(self) -> None:
        view = self._session.view(self._shape)
        frame = {name: part for name, part in view["frame"].items() if name != "sprites"}
        with self.hold_sync():
            self.sprites = self.sprites | view["frame"]["sprites"]
            self.view = view | {"frame": frame}

    def _picture(self) -> str:
        """Return the present picture as SVG, alone."""
        return self._session.picture(self._shape).to_svg()


@cache
def _page() -> str:
    """The page of a table, alone; its line goes through the page around it."""
    shared = "".join(map(inline.text, ("judged.css", "sheet.css", "app.css")))
    style = palette.css() + shared + _ALONE
    return inline.alone("table.html", "table.js", style, _START, {"line.js": "frame_line.js"})
