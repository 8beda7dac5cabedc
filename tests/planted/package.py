"""Plants bugs in the Python package and its pages, one after the other, and shows that for each the
test that is named beside it fails.

    python tests/planted/package.py                all of them, as a table
    python tests/planted/package.py --bug TEXT     those with TEXT in their name

Exits with 1 if a bug is not noticed, if its place in the source is gone, or if the tests fail
without any bug. The package is copied to a temporary folder, with the core that is installed. It
needs what the tests do, Chromium among it: a test that is skipped notices nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bugs import Change, NotFound, changes, planted
from scratch import ROOT, Failure, copy_package

SOURCE = ROOT / "python" / "mhing"


@dataclass(frozen=True)
class Slip:
    """A bug in the package, and the test that must notice it."""

    test: str
    """FILE::FUNCTION, without ``test_`` before either, and without the folder."""
    name: str
    changes: tuple[Change, ...]

    @property
    def path(self) -> str:
        """The test, as pytest takes it."""
        file, function = self.test.split("::")
        (path,) = (ROOT / "tests" / "python").glob(f"*/test_{file}.py")
        return f"{path.relative_to(ROOT)}::test_{function}"


def slip(test: str, name: str, *words: str) -> Slip:
    """A bug from its changes: file of the package, old and new, again and again."""
    return Slip(test, name, changes(*words))


SLIPS = [
    # ---- mhing train --profile
    slip(
        "train_profile::a_clock_adds_up_by_part_and_begins_anew",
        "profile: seconds are counted in every iteration after",
        "train/clock.py", "spent, self._spent = self._spent, {}", "spent = dict(self._spent)",
    ),
    slip(
        "train_profile::shares_sum_to_one_with_the_rest",
        "profile: what is not measured takes no time",
        "train/profile.py", "max(0.0, whole - sum(sums.values()))", "0.0",
    ),
    slip(
        "train_profile::actors_play_at_the_same_time",
        "profile: actors take their seconds one after the other",
        "train/clock.py", "seconds / len(taken)", "seconds",
    ),
    # ---- A page with all that it needs in it
    slip(
        "replay_page::only_its_own_scripts_and_style_are_allowed[leduc]",
        "packed: its policy does not know its modules",
        "web/inline.py", '_filled(page, style, [modules, start]).replace("</body>"',
        '_filled(page, style, [start]).replace("</body>"',
    ),
    slip(
        "replay_page::names_of_strangers_are_text",
        "packed: it still loads what is in it",
        "web/inline.py", '_LOADED.sub("", text(page))', "text(page)",
    ),
    slip(
        "replay_page::the_modules_are_in_it_as_they_are[leduc]",
        "packed: modules name each other as files",
        "web/inline.py", """_BESIDE.sub(r'from "mhing/\\1"', module)""", "module",
    ),
    slip(
        "replay_page::it_is_small[mhing-wide]",
        "packed: nothing is compressed",
        "web/inline.py", "zlib.compress(held.encode(), 9)", "zlib.compress(held.encode(), 0)",
    ),
    slip(
        "browser_replay::a_link_leads_to_its_frame",
        "packed: it is unpacked as what it is not",
        "web/page/packed.js", '"deflate"', '"deflate-raw"',
    ),
    # ---- Tables of a server
    slip(
        "web_server::a_question_that_comes_again_is_not_asked_twice",
        "at a server: what was answered is asked again",
        "web/at_server.py", "return number == self._answered", "return False",
    ),
    slip(
        "web_server::a_question_that_comes_again_is_not_asked_twice",
        "at a server: the table marks a seat that is not asked",
        "web/at_server.py", 'return {"asked": None, "mask": None}', 'return {"asked": self._seat}',
    ),
    slip(
        "web_server::only_the_server_says_that_it_has_played",
        "at a server: it has played as soon as time is up",
        "web/at_server.py", "self._asked, self._notice = None, _LATE",
        'self._asked, self._notice = None, f"{_LATE}: the server has played for you"',
    ),
    slip(
        "web_server::who_waits_sees_what_others_do",
        "at a server: a player who is called you passes for the viewer",
        "web/at_server.py", """f"'{name}'" if name == YOU else name""", "name",
    ),
    slip(
        "browser_server::bots_are_watched_and_a_seat_is_taken_beside_one",
        "tables of a server: a seat is offered where none is free",
        "web/page/server.js", 'state === "waiting" && free > 0', 'state === "waiting" && free > 1',
    ),
    # ---- What others may not know
    slip(
        "streams::callables_of_the_arena[mhing-3-in_rows]",
        "arena: a table falls behind the others while somebody is asked in secret",
        "arena/tables.py", "if table.advance() and table.is_secret]:", "if False]:",
    ),
    slip(
        "streams::programs_of_the_arena[mhing-3]",
        "arena: turns count the questions to all programs",
        "arena/listeners.py", "self._game, asked.turn + 1,",
        "self._game, sum(one.turn for one in self.seats.values()) + 1,",
    ),
    slip(
        "streams::pages[mhing-3-through_a_page]",
        "tables: a pause shows that others were asked beside the viewer",
        "web/play.py", "is_shown and not with_viewer", "is_shown",
    ),
    slip(
        "replay_streams::a_page_of_one_seat[mhing-3]",
        "replays: a page of one seat has a frame for each decision of anybody",
        "web/film.py", "if None in seats or film.seat == state.seat or", "if True or",
    ),
    # ---- The application in the terminal
    slip(
        "tui::letters_of_commands_are_typed_after_a_slash",
        "terminal: a slash is a letter like others",
        "tui/moves.py", 'key == "/" and typed is None', "False",
    ),
    slip(
        "tui::a_hint_is_beside_the_moves",
        "terminal: a hint stays when its moment is over",
        "tui/app.py", 'self._hint["number"] != view["number"]', "False",
    ),
    slip(
        "tui::leaving_a_game_that_is_not_kept_asks_first",
        "terminal: a game is lost without a question",
        "tui/app.py", "if not lost or await", "if lost or await",
    ),
    slip(
        "tui::a_hint_is_beside_the_moves",
        "terminal: Enter plays the first move, whatever a hint says",
        "tui/app.py", 'hint["best"] if hint else None', "None",
    ),
    # ---- Pages, and cards on them
    slip(
        "browser_web::nothing_can_be_typed_before_the_games_are_known",
        "lobby: fields can be filled in before they are known",
        "web/page/lobby.html", 'class="settings" disabled', 'class="settings"',
    ),
    slip(
        "browser_web::nothing_can_be_typed_before_the_games_are_known",
        "lobby: fields stay disabled",
        "web/page/lobby.js", 'find(".settings").disabled = false;', "",
    ),
    slip(
        "browser_replay::of_the_moves_with_a_card_the_best_one_counts",
        "replays: of the moves with a card the worst one counts",
        "web/page/analysis.js", "value === null || best.has(card)", "value === null",
    ),
    slip(
        "browser_review::a_telephone_has_the_upright_picture",
        "reviews: the picture stays as it is when the window is turned",
        "web/page/review.js", "narrow.onchange = reshape;", "",
    ),
    slip(
        "browser_review::whatever_leads_to_a_mistake_leads_to_its_decision",
        "reviews: a mistake's line leads to the frame after it",
        "web/page/replay.js", "bad.length ? this.where(bad[0]) : at", "at",
    ),
    slip(
        "browser_review::each_page_of_a_review_has_its_own_judge",
        "reviews: a page takes the session of another one",
        "web/app.py", "self._shelf.open, is_own=True", "self._shelf.open",
    ),
    slip(
        "browser_review::a_game_that_is_not_there_yet_is_being_read",
        "reviews: what is not there yet can be played on",
        "web/page/replay.html", 'aria-label="Replay" disabled', 'aria-label="Replay"',
    ),
    slip(
        "analysis::a_network_judges_by_the_softmax_of_its_logits",
        "policies: illegal actions take part in the softmax",
        "players/rows.py", "np.where(masks, np.asarray(logits, np.float64), -np.inf)",
        "np.asarray(logits, np.float64)",
    ),
    slip(
        "analysis::mistakes_of_a_policy_are_what_it_hardly_ever_plays",
        "policies: whatever they would not play is a mistake",
        "analysis.py", "if one.is_unlikely]", "]",
    ),
    slip(
        "analysis::it_is_said_onto_which_meld",
        "decisions: moves are said as somebody else is told them",
        "judge.py", 'state.words(state.seat, "move"', 'state.words(0, "move"',
    ),
    slip(
        "web_review::a_policy_judges",
        "reviews: strangers name files of this machine as judges",
        "web/review.py", 'if not self._may_load:', "if False:",
    ),
]  # fmt: skip


def copy(folder: Path) -> Path:
    """A copy of the package; its folder for PYTHONPATH."""
    copy_package(folder)
    core = find_spec("mhing._core")
    assert core
    assert core.origin
    shutil.copy2(core.origin, folder / "mhing")
    return folder


def failing(package: Path, tests: Iterable[str]) -> tuple[str, str]:
    """The first of these tests that fails, "" if none does; and what pytest says."""
    words = ["-q", "-x", "-rfE", "--tb=short", "--color=no", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *dict.fromkeys(tests)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if not found and done.returncode:
        raise Failure(f"the tests do not run\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return found[1] if found else "", done.stdout


def noticed(folder: Path, slip: Slip) -> bool:
    """Return whether the test fails in a package with the bug."""
    package = copy(folder)
    for path, text in planted(slip.changes, package / "mhing", slip.name).items():
        path.write_text(text, encoding="utf-8")
    found, _ = failing(package, [slip.path])
    shutil.rmtree(package)
    return bool(found)


def main() -> int:
    """Prints the table, or what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bug", default="", metavar="TEXT", help="those with TEXT in their name")
    given = parser.parse_args()
    slips = [slip for slip in SLIPS if given.bug in slip.name]
    if not slips:
        parser.error("no bug is chosen")
    try:
        for slip in slips:  # all of them at once, before anything slow
            planted(slip.changes, SOURCE, slip.name)
        return show(slips)
    except (Failure, NotFound) as error:
        print(error, file=sys.stderr)
        return 1


def show(slips: list[Slip]) -> int:
    """Prints a line for each bug as it is judged; 1 if one was not noticed."""
    missed = 0
    with (
        tempfile.TemporaryDirectory(prefix="mhing-package-") as name,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        folder = Path(name)
        found, output = failing(copy(folder / "sound"), [slip.path for slip in slips])
        if found:
            raise Failure(f"{found} fails without any bug\n{output[-3000:]}")
        folders = [folder / f"bug{number}" for number in range(len(slips))]
        for slip, is_noticed in zip(slips, pool.map(noticed, folders, slips), strict=True):
            missed += not is_noticed
            print(f"{'ok  ' if is_noticed else 'FAIL'} {slip.name}: {slip.test}", flush=True)
    print(f"{len(slips) - missed} of {len(slips)} bugs of the package are noticed")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
