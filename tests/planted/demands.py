"""Leaves out, one after the other, what envs/CONTRACT.md demands; shows what its test, or the
compiler, says.

    python tests/planted/demands.py                all of them: the demand, and the message
    python tests/planted/demands.py --bug TEXT     those with TEXT in their name

Exits with 1 where a test does not fail, or fails without the words that help. The template is built
in a temporary folder, as run.py does.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bugs import Bug, NotFound, bug
from run import Scratch
from scratch import ROOT, Failure

GAME = "leduc"
TABLE, CODE, HEADER = f"{GAME}.def", f"{GAME}.c", f"{GAME}.h"


@dataclass(frozen=True)
class Lack:
    """Something that is missing: the test that fails, and words of its message."""

    test: str
    words: str
    bug: Bug


def lack(test: str, words: str, *changes: str) -> Lack:
    """A part that is missing, made by changes: file, old and new, again and again."""
    return Lack(test, words, bug(GAME, test, *changes))


LACKS = [
    lack("state", "each further member of the state", TABLE, "MH_MEMBER(winner)", ""),
    lack(
        "state", "one by one",
        HEADER, "uint8_t unused[2];", "uint8_t unused[2]; struct { uint64_t chips; } pot;",
        TABLE, "MH_MEMBER(unused)", "MH_MEMBER(unused) MH_MEMBER(pot)",
    ),
    lack("id_and_title", "must be ASCII", HEADER, '"Leduc poker"', '"L\u00e9duc poker"'),
    lack("rows_have_names", "needs a meaning", TABLE, '"folded"', '""'),
    lack(
        "rows_have_names", "have the same name",
        TABLE, "MH_PRESET(one_bet,", 'MH_PRESET(one_bet, "", "as ever") MH_PRESET(one_bet,',
    ),
    lack(
        "option_num_players", "MH_OPTION(num_players,",
        TABLE, 'MH_OPTION(num_players, "", 2, 2, 2,', 'MH_OPTION(num_players, "", 2, 1, 2,',
    ),
    lack(
        "names_of_options", "the option seat needs another name",
        TABLE, "MH_OPTION(max_raises,", "MH_OPTION(seat,",
        TABLE, '"max_raises=1"', '"seat=1"',
        CODE, "state->options[OPTION_max_raises]", "state->options[OPTION_seat]",
        CODE, "= options[OPTION_max_raises]", "= options[OPTION_seat]",
    ),
    lack(
        "options_take_their_values", "must lie in its range",
        TABLE, 'MH_OPTION(max_raises, "", 2, 1, 3,', 'MH_OPTION(max_raises, "", 4, 1, 3,',
    ),
    lack(
        "option_episode", "round|game",
        TABLE, "MH_PRESET(one_bet,",
        # Two, so that the state keeps its multiple of 8 bytes.
        'MH_OPTION(episode, "deal|night", 0, 0, 1, "what is played") '
        'MH_OPTION(pace, "slow|fast", 0, 0, 1, "how it is played") MH_PRESET(one_bet,',
    ),
    lack("presets", "settings that are refused", TABLE, '"max_raises=1"', '"max_raises=7"'),
    lack(
        "bot_named_random", "MH_BOT(random,",
        TABLE, 'MH_BOT(random, "uniform over the legal actions")', "",
    ),
    lack(
        "labels_name", "MH_LABELS(cards,",
        TABLE, f"MH_LABELS(cards, DECK, {GAME}_card_text)", "",
    ),
    lack("labels_name", "each card is one word", CODE, '"sh"[card % SUITS]', '" h"[card % SUITS]'),
    lack(
        "actions_have_texts", "the same text",
        CODE, '"fold", "call", "raise"', '"fold", "call", "call"',
    ),
    lack(
        "somebody_is_to_act", "leave a legal action",
        CODE, "if (seat < 0) {", "if (seat < 0 || !state->acted) {",
    ),
    lack(
        "idle", "must choose a legal action",
        HEADER, '#include "frame/mh_declare.inc"',
        '#define MH_HAS_IDLE\n#include "frame/mh_declare.inc"',
        CODE, '#include "frame/mh_rules.inc"',
        f"int {GAME}_idle(const struct {GAME}_state *state)\n"
        '{ return state->legal[0] & 1 ? 1 : 0; }\n#include "frame/mh_rules.inc"',
    ),
    lack(
        "bots_choose", "must choose a legal action",
        CODE, "return ACTION_call; }", "return ACTION_fold; }",
    ),
    lack(
        "episodes_end", "the rules need a limit",
        CODE, "end_deal(state, 1 - seat);", "turn_up(state);",
        CODE, "} else { show_down(state);", "} else { turn_up(state);",
        CODE, "state->stakes[seat] = (uint8_t)(state->stakes[seat] + chips);", "",
    ),
    lack(
        "rounds_are_counted", "head.rounds++",
        CODE, "state->head.rounds = 1; state->winner = (int8_t)winner;", "",
    ),
    lack(
        "rounds_are_counted", "ends one round at most",
        CODE, "state->head.rounds = 1; state->winner", "state->head.rounds = 2; state->winner",
    ),
    lack(
        "rounds_are_counted", "only when a round ends",
        CODE, "info->winner[0] = state->winner;", "info->winner[0] = state->raises - 1;",
    ),
    lack(
        "winner_is_a_seat", "must be -1 before",
        CODE, "state->winner = -1; settle", "settle",
    ),
    lack(
        "rewards_are_earned", "mh_head_reward",
        CODE, "mh_head_reward(&state->head, winner, chips);", "",
        CODE, "mh_head_reward(&state->head, 1 - winner, -chips);", "",
    ),
    lack(
        "seed_decides", "mh_rng_shuffle",
        CODE, "leduc_shuffle(state, deck, state->deck);",
        "leduc_shuffle(state, deck, state->deck); if (!deck) { leduc_fill_deck(state->deck); }",
    ),
    lack(
        "deck_is_dealt", "in its order",
        CODE, "leduc_shuffle(state, deck, state->deck);",
        "leduc_shuffle(state, deck ? NULL : deck, state->deck);",
    ),
    lack(
        "saved_and_loaded", "refuses a state that play has led to",
        CODE, "if (memcmp(&again, state, sizeof again) != 0) {",
        "if (memcmp(&again, state, sizeof again) == 0) {",
    ),
    lack(
        "json_has_its_keys", 'must write "hands"',
        CODE, 'mh_json_key(out, "hands");', 'mh_json_key(out, "held");',
    ),
    lack(
        "json_has_its_keys",
        'must write "undealt"',
        CODE,
        'mh_json_key_names(out, "undealt"',
        'mh_json_key_names(out, "rest"',
    ),
    lack(
        "json_has_its_keys", "the same keys at all times",
        CODE, 'mh_json_key_ints(out, "stakes", stakes, SEATS);',
        'if (state->opened) { mh_json_key_ints(out, "stakes", stakes, SEATS); }',
    ),
    lack("json_has_its_keys", "again", CODE, '"phase"', '"seat"'),
    lack(
        "fields_keep", "its row says 2",
        TABLE, "MH_SEAT_FIELD(stake, 1, 19,", "MH_SEAT_FIELD(stake, 1, 2,",
    ),
    lack(
        "events_are_seen", "mh_events_show",
        CODE, "view->event_seat, view->event_kind,", "view->event_kind, view->event_seat,",
    ),
]  # fmt: skip


def message(package: Path, lack: Lack) -> str | None:
    """The message of the test about the broken template; None where it passes."""
    words = ["-q", "-x", "--tb=short", "--color=no", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "tests/python/runtime/test_contract.py",
         "-k", f"{lack.test} and {GAME}"],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return None
    found = re.search(r"^E +AssertionError: (.+)", done.stdout, re.MULTILINE)
    return found[1] if found else done.stdout[-2000:] + done.stderr[-2000:]


def main() -> int:
    """Prints the table, or what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bug", default="", metavar="TEXT", help="those with TEXT in the name")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="mhing-demands-") as name:
        scratch = Scratch(Path(name), {GAME})
        for number, lack in enumerate(LACKS):
            if given.bug not in lack.test:
                continue
            try:
                said = message(scratch.build(f"lack{number}", lack.bug), lack)
            except (Failure, NotFound) as error:
                demand = re.search(r'static assertion failed: "(.+)"', str(error))
                said = f"not built: {demand[1] if demand else error}"
            is_reported = said is not None and lack.words in said
            failed += not is_reported
            print(f"{'ok  ' if is_reported else 'FAIL'} {lack.test}: {said}", flush=True)
    print(f"{failed} of {len(LACKS)} are not reported" if failed else "all are reported")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
