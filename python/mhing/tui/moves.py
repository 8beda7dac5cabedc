"""The list of moves: chosen by arrows and Enter, by a click, by number, or by what is typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from mhing.tui.words import fitting

COMMANDS = "hunrqe?+-. "
"""Keys of the application, as long as nothing is typed; "/" begins what begins with one."""

_ESCAPED = "alt+"  # Textual's name of a key that comes with the escape before it


@dataclass(frozen=True)
class MenuMove:
    """A legal action."""

    action: int
    text: str
    """The words that are typed."""
    shown: Text
    """The words that are shown."""
    value: str = ""
    """A bot's value of it."""


class Moves(OptionList):
    """The moves that fit what is typed."""

    class Chosen(Message):
        """A move was chosen."""

        def __init__(self, action: int) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__(id="moves")
        self._moves: tuple[MenuMove, ...] = ()
        self._typed: str | None = None  # None: keys are commands

    def offer(self, moves: Iterable[MenuMove], best: int | None = None) -> None:
        """Show these moves, all of them; `best` is the action to be chosen by Enter."""
        self._moves = tuple(moves)
        self._type(None)
        for place, move in enumerate(self._moves):
            if move.action == best:
                self.highlighted = place

    def on_key(self, event: events.Key) -> None:
        """Take what is typed."""
        typed, key = self._typed, event.character
        if event.key == "escape" and typed is not None:
            self._type(None)
        elif event.key.startswith(_ESCAPED) and typed is not None:
            self._type(None)
            self.app.simulate_key(event.key.removeprefix(_ESCAPED))
        elif event.key == "backspace" and typed is not None:
            self._type(typed[:-1] or None)
        elif key == "/" and typed is None:
            self._type("")
        elif key and key.isprintable() and self._takes(key):
            self._type((typed or "") + key)
        else:
            return
        event.stop()
        event.prevent_default()

    def _takes(self, key: str) -> bool:
        """Return whether a key is typed text: a letter of a word, and no command."""
        if self._typed is None:
            return key not in COMMANDS
        return self.option_count > 0 or key.isalnum() or key not in COMMANDS

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Play a move."""
        event.stop()
        self.post_message(self.Chosen(int(event.option_id or "")))

    def _type(self, typed: str | None) -> None:
        """Show the moves that fit."""
        self._typed = typed
        texts = [move.text for move in self._moves]
        places = [texts.index(text) for text in fitting(typed or "", texts)]
        self.clear_options()
        self.add_options([self._option(place) for place in places])
        self.highlighted = 0 if places else None
        self.border_subtitle = Text(_said(typed, len(places)))

    def _option(self, place: int) -> Option:
        move = self._moves[place]
        line = Text.assemble((f"{place + 1:2d} ", "dim"), move.shown)
        if move.value:
            line.pad_right(max(0, 22 - len(line)))
            line.append(f" {move.value:>8}", "bold")
        return Option(line, id=str(move.action))


def _said(typed: str | None, fitting: int) -> str:
    """Return the typed text, or that no move fits it."""
    if typed is None:
        return ""
    return f"/{typed}" if fitting else f"no move with {typed}; Esc clears"
