"""Screens over the table: pages to be read, and a question."""

from __future__ import annotations

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static


class Page(ModalScreen[None]):
    """A page to be scrolled and closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,q,question_mark,r,enter", "dismiss", "Back to the table", key_display="esc"
        ),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("pagedown,space", "turn(1)", "Page down", key_display="space"),
        Binding("pageup,b", "turn(-1)", "Page up", key_display="b"),
    ]

    def __init__(self, heading: str, content: RenderableType) -> None:
        super().__init__()
        self._heading, self._content = heading, content

    def compose(self) -> ComposeResult:
        """See Textual."""
        with VerticalScroll(id="page", can_focus=False) as scroll:
            scroll.border_title = self._heading
            yield Static(self._content)
        yield Footer(show_command_palette=False)

    def action_scroll(self, lines: int) -> None:
        """Scrolls by so many lines."""
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def action_turn(self, pages: int) -> None:
        """Scrolls by so many pages."""
        page = self.query_one("#page")
        page.scroll_relative(y=pages * max(1, page.size.height - 2), animate=False)


class Confirmation(ModalScreen[bool]):
    """A question that is answered by yes or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,q", "answer(True)", "Yes", key_display="y"),
        Binding("n,escape,enter", "answer(False)", "No", key_display="n"),
    ]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """See Textual."""
        yield Static(self._words, id="question", markup=False)
        yield Footer(show_command_palette=False)

    def action_answer(self, yes: bool) -> None:
        """Close the question."""
        self.dismiss(yes)
