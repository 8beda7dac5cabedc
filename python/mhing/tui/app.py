"""The application: a table, a list of moves and a log, on whatever a session plays."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar

from rich.markdown import Markdown
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.events import Resize
from textual.widgets import Footer, Static

from mhing import render
from mhing.decision import say_score
from mhing.tui import words
from mhing.tui.moves import MenuMove, Moves
from mhing.tui.pages import Confirmation, Page
from mhing.web.play import SLOWEST, PlaySession
from mhing.web.session import rules_of

_COLUMNS, _ROWS = 80, 24  # of a terminal in which all is seen
_WIDE = 120  # columns from which the moves stand beside the table
_SIDE = 44  # columns of them there
_KEYS_LINE = 1  # at the bottom
_BELOW, _LOG = 6, 3  # lines at least for moves and log below the table; for a log alone
_RESULT = 12  # lines for a result, if it has as many
_FASTER = 1.5  # by how much + and - change the speed
_QUICKEST = 0.05  # seconds between moves of bots

_KEYS = """\
arrows, Enter   choose a move, as a click does
5s  pass  12    shows moves by card, word or number; Enter plays the first
/               before a word that begins with h, u, n, r, q or e; esc ends it
h               a hint: what a bot would play, and expects of the moves
u               takes your last move back
n               begins the next round, or another game
space  .  + -   pauses the others; one step; faster or slower
e               with whose eyes you watch: all hands open, or one
r  ?  =         the rules; this page; the score sheet of a game
q               leaves the table"""


class TableApp(App[None]):
    """A game to be played or watched.

    Args:
        session: what is played.
        letters: cards in letters alone, for terminals that lack the symbols.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = f"""
    #heading, #status {{ height: auto; padding: 0 1; text-style: bold; }}
    #heading {{ background: $panel; }}
    #notes {{ padding: 0 1; color: $text-muted; }}
    #room, #left, #table {{ height: auto; }}
    #result {{ height: 1fr; }}
    #room {{ height: 1fr; }}
    #board, #result, #hint {{ padding: 0 1; }}
    #side {{ height: 1fr; layout: horizontal; }}
    #moves, #log {{ width: 1fr; height: 100%; border: round $primary; padding: 0; }}
    .wide #room {{ layout: horizontal; }}
    .wide #left {{ width: 1fr; height: 100%; }}
    .wide #side {{ width: {_SIDE}; height: 100%; layout: vertical; }}
    .wide #moves {{ width: 100%; height: 60%; }}
    .wide #log {{ width: 100%; height: 1fr; }}
    .hidden {{ display: none; }}
    #moves:nocolor > .option-list--option-highlighted {{ text-style: bold underline; }}
    Page, Question {{ align: center middle; }}
    #page {{ width: 100%; max-width: 100; height: 1fr; border: round $primary; padding: 0 1; }}
    #question {{ width: auto; max-width: 76; border: round $primary; padding: 1 2; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "ask('hint')", "Hint"),
        Binding("u", "ask('undo')", "Undo"),
        Binding("n", "ask('next')", "Next"),
        Binding("space", "ask('pause')", "Pause"),
        Binding("space", "ask('go')", "Go on"),
        Binding("full_stop", "ask('step')", "Step", key_display="."),
        Binding("plus", "speed(False)", "Faster", key_display="+"),
        Binding("minus", "speed(True)", "Slower", key_display="-"),
        Binding("e", "eyes", "Eyes"),
        Binding("equals_sign", "sheet", "Sheet", key_display="="),
        Binding("r", "rules", "Rules"),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q,ctrl+c", "leave", "Leave", key_display="q"),
    ]

    def __init__(self, session: PlaySession, letters: bool = False) -> None:
        # Textual drops colours if it leaves the terminal's alone, and else turns them into greys.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.session = session
        self.view: Mapping[str, Any] = session.words()
        self._letters = letters
        self._hint: Mapping[str, Any] | None = None
        self._offered = -1  # the number of the view of which the list has the moves
        self._alone = asyncio.Lock()  # a session is used by one thread at a time
        self._woken = asyncio.Event()

    def compose(self) -> ComposeResult:
        """See Textual."""
        yield Static(id="heading")
        yield Static(id="notes")
        with Container(id="room"):
            with Vertical(id="left"):
                with VerticalScroll(id="table", can_focus=False):
                    yield Static(id="board")
                yield Static(id="status")
                yield Static(id="hint")
                with VerticalScroll(id="result"):
                    yield Static(id="ended")
            with Container(id="side"):
                yield Moves()
                with VerticalScroll(id="log", can_focus=False):
                    yield Static(id="lines")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the table, and let the others play."""
        self.title = self.session.game.title
        self.query_one("#moves").border_title = "Your move"
        self.query_one("#log").border_title = "What happened"
        self._show()
        self._advance()

    def on_resize(self, event: Resize) -> None:
        """Write the table anew in the room that there is."""
        self.screen.set_class(event.size.width >= _WIDE, "wide")
        self.call_after_refresh(self._show)

    # ---- What is asked for ----------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works now, and hence is in the footer."""
        can = self.view["can"]
        if action == "ask":
            return parameters[0] in can
        if action == "eyes":
            return "eyes" in can
        if action == "sheet":
            return self.view["sheet"] is not None
        return "pause" in can or "go" in can if action == "speed" else True

    async def on_moves_chosen(self, message: Moves.Chosen) -> None:
        """Play a move."""
        await self._request(do="play", action=message.action, number=self._offered)

    async def action_ask(self, name: str) -> None:
        """Ask the session for something that needs no more words."""
        await self._request(do=name)

    async def action_speed(self, slower: bool) -> None:
        """Let the bots play faster or slower."""
        seconds = max(self.view["speed"], _QUICKEST)
        seconds = min(seconds * _FASTER, SLOWEST) if slower else seconds / _FASTER
        await self._request(do="speed", seconds=seconds if seconds >= _QUICKEST else 0)
        self.notify(f"{self.view['speed']:.2f} seconds from move to move", timeout=2)

    async def action_eyes(self) -> None:
        """Go to the next seat, or back to all cards open."""
        seats = [None, *range(self.session.game.num_seats)]
        at = seats.index(self.view["eyes"])
        await self._request(do="eyes", seat=seats[(at + 1) % len(seats)])

    def action_rules(self) -> None:
        """Show the rules of the game."""
        self.push_screen(Page("Rules", Markdown(rules_of(self.session.game))))

    def action_sheet(self) -> None:
        """Show the score sheet of a game of several rounds."""
        written = self.session.table.state.sheet().text(self.session.called, self.size.width - 4)
        self.push_screen(Page("Score sheet", Text(written)))

    def action_keys(self) -> None:
        """Show what keys do, and how cards are written."""
        table, _ = self.session.shown
        board = self._board(100)
        notation = render.notation(table, symbols=not self._letters)
        legend = [Text.from_ansi(board.legend), *map(Text, board.notes)]
        self.push_screen(
            Page("Keys and cards", Text("\n").join([Text(f"{_KEYS}\n\n{notation}\n"), *legend]))
        )

    @work
    async def action_leave(self) -> None:
        """Leave the table; where that loses a game, not without asking."""
        lost = not (self.view["over"] or self.session.saved_as or self.session.seat is None)
        words = "Leave the table? The game is lost; --record FILE would keep it.   y  n"
        if not lost or await self.push_screen_wait(Confirmation(words)):
            self.exit()

    # ---- The session ----------------------------------------------------------------------------

    async def _request(self, **request: Any) -> None:
        for answer in await self._do(lambda: self.session.do(request)) or ():
            if answer["kind"] == "hint":
                self._hint = answer
                self._show()

    async def _do(self, do: Callable[[], Any]) -> Any:
        """Have the session do something, in a thread: a bot may think for long."""
        async with self._alone:
            answers = None
            try:
                answers = await asyncio.to_thread(do)
            except ValueError as error:
                self.notify(str(error), severity="error", timeout=20, markup=False)
            self.view = self.session.words()
            self._show()
        self._woken.set()
        return answers

    @work
    async def _advance(self) -> None:
        """Let the others play whenever their time has come."""
        while True:
            self._woken.clear()
            async with self._alone:
                due = self.session.due()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._woken.wait(), due)
                continue
            await self._do(self.session.tick)

    # ---- What is to be seen ---------------------------------------------------------------------

    def _show(self) -> None:
        """Show all that the session has to be seen."""
        view = self.view
        if self._hint and self._hint["number"] != view["number"]:
            self._hint = None
        is_wide = self.screen.has_class("wide") if self.screen_stack else False
        room = self.size.width - _SIDE * is_wide - 2
        board = self._board(room)
        self._write("heading", self._small() or board.heading)
        self._write("notes", "\n".join(board.notes))
        self._write("board", "\n".join(board.lines))
        self._write("status", f"{'Paused. ' if 'go' in view['can'] else ''}{board.status}")
        self._write("hint", self._hint_line())
        ended = self._ended(board) if "next" in view["can"] else []
        self._write("ended", "\n".join(ended))
        self._arrange(board, is_wide, len(ended))
        self._offer()
        self._show_log()
        self.refresh_bindings()

    def _small(self) -> str:
        """Return the fault of the terminal's size; "" where there is none."""
        if self.size.width >= _COLUMNS and self.size.height >= _ROWS:
            return ""
        here = f"{self.size.width}x{self.size.height}"
        return f"This terminal is {here}: make it {_COLUMNS}x{_ROWS} to see all"

    def _board(self, columns: int) -> render.Board:
        table, eyes = self.session.shown
        return render.board(
            table,
            eyes,
            self.session.called,
            columns=columns,
            color=not self.no_color,
            symbols=not self._letters,
        )

    def _arrange(self, board: render.Board, is_wide: bool, ended: int) -> None:
        """Give the table the room that it needs, and the rest to what is beside or below it."""
        find, is_asked = self.screen_stack[0].query_one, self.view["asked"]
        find("#moves").set_class(not is_asked, "hidden")
        find("#side").set_class(ended > 0 and not is_wide, "hidden")
        find("#result").set_class(not ended, "hidden")
        find("#hint").set_class(self._hint is None, "hidden")
        find("#notes").set_class(ended > 0 or not board.notes, "hidden")
        find("#left").styles.height = "1fr" if is_wide or ended else "auto"
        least = min(ended, _RESULT) if ended else 0 if is_wide else _BELOW if is_asked else _LOG
        around = _KEYS_LINE + len((*board.heading.splitlines(), *board.status.splitlines()))
        find("#table").styles.max_height = max(4, self.size.height - around - least)
        if not self._is_covered:
            find("#moves" if is_asked else "#result").focus()

    @property
    def _is_covered(self) -> bool:
        return len(self.screen_stack) > 1

    def _write(self, id: str, text: str) -> None:
        """Text with ANSI colours; nothing in it is markup."""
        self.screen_stack[0].query_one(f"#{id}", Static).update(Text.from_ansi(text))

    def _hint_line(self) -> str:
        if self._hint is None:
            return ""
        how = f"; beside the moves {words.judgement(self._hint['unit'])}"
        beside = how if self._hint["values"] else ""
        return self._spelled(f"{self._hint['bot']} would play {self._hint['text']}{beside}")

    def _ended(self, board: render.Board) -> list[str]:
        """Return lines about the end of a round or a game, and its rewards."""
        return [
            *(board.result or self.view["result"]),
            *words.totals(self.view),
            "n: another game" if self.view["over"] else "n: the next round",
        ]

    def _offer(self) -> None:
        """Offers the moves, with what a hint says of them."""
        hint, number = self._hint, self.view["number"]
        if self._offered == number and hint is None:
            return
        values = dict(hint["values"]) if hint else {}
        self._offered = number
        self.screen_stack[0].query_one(Moves).offer(
            (
                MenuMove(
                    each["action"],
                    each["text"],
                    Text.from_ansi(self._spelled(each["text"])),
                    say_score(values[each["action"]], hint["unit"])
                    if hint and each["action"] in values
                    else "",
                )
                for each in self.view["moves"]
            ),
            hint["best"] if hint else None,
        )

    def _show_log(self) -> None:
        """All that happened; what is updates stands out."""
        lines, since = self.view["log"], self.view["since"]
        if not lines and self.view["asked"]:
            lines = [words.NO_EVENTS]
        shown = [Text.from_ansi(self._spelled(line)) for line in lines]
        for line in shown[: len(shown) - since]:
            line.stylize("dim")
        self.screen_stack[0].query_one("#lines", Static).update(Text("\n").join(shown))
        log = self.screen_stack[0].query_one("#log")
        self.call_after_refresh(log.scroll_end, animate=False)

    def _spelled(self, text: str) -> str:
        """A text of the game for this reader: cards in colours and symbols."""
        table, _ = self.session.shown
        return render.spelled(table, text, color=not self.no_color, symbols=not self._letters)
