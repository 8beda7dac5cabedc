"""The planted bugs: small changes of a game's C, each of which the tests of all games must notice.

They are planted into the smallest registered game, into the one with answers that stay hidden
while others are asked, into the template for new games, and into the one with shuffles inside
rounds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


class NotFound(Exception):
    """A piece of source is not there, or there more than once; the text says which."""


@dataclass(frozen=True)
class Change:
    """A piece of a file, and what stands there instead."""

    file: str
    old: str
    """White space in it does not matter."""
    new: str

    def made(self, text: str, where: str) -> str:
        """The file's text with the change."""
        pattern = r"\s+".join(map(re.escape, self.old.split()))
        found = re.findall(pattern, text)
        if len(found) != 1:
            raise NotFound(
                f"{where} has {len(found)} times\n    {self.old}\n"
                "plant the bug anew, in what the code is now"
            )
        return text.replace(found[0], self.new)


def changes(*words: str) -> tuple[Change, ...]:
    """Changes from their words: file, old and new, again and again."""
    triples = zip(words[::3], words[1::3], words[2::3], strict=True)
    return tuple(Change(*triple) for triple in triples)


def planted(changes: tuple[Change, ...], folder: Path, name: str) -> dict[Path, str]:
    """The texts of the folder's files that have the bug of this name in them."""
    texts: dict[Path, str] = {}
    for change in changes:
        path = folder / change.file
        where = f"{name}: {'/'.join(folder.parts[-2:])}/{change.file}"
        if not path.is_file():
            raise NotFound(f"{where} does not exist")
        text = texts.get(path) or path.read_text(encoding="utf-8")
        texts[path] = change.made(text, where)
    return texts


@dataclass(frozen=True)
class Bug:
    """A bug in a game, and how it is planted."""

    game: str
    name: str
    changes: tuple[Change, ...]

    def planted(self, envs: Path) -> dict[Path, str]:
        """The texts of the files that have the bug in them."""
        return planted(self.changes, envs / self.game, self.name)


def bug(game: str, name: str, *words: str) -> Bug:
    """A bug from its changes: file, old and new, again and again."""
    return Bug(game, name, changes(*words))


NEXT = "mh_head_next(&state->head, seat)"

GENERAL = [
    bug(
        "general_mhing",
        "observation: the next hand is left out of the unseen cards",
        "observe.c",
        "write_cards(unseen, view->unseen);",
        f"write_cards(unseen & ~state->hands[{NEXT}], view->unseen);",
    ),
    bug(
        "general_mhing",
        "observation: everybody sees the card that was drawn",
        "observe.c",
        "view->drawn[0] = mine ? state->drawn[0] : 0;",
        "view->drawn[0] = state->drawn[0];",
    ),
    bug(
        "general_mhing",
        "observation: the top card of the draw pile",
        "observe.c",
        "view->taken[0] = state->taken;",
        "view->taken[0] = (uint8_t)(state->next < CARDS ? state->deck[state->next] + 1 : 0);",
    ),
    bug(
        "general_mhing",
        "resample: deals nothing",
        "resample.c",
        "const int asked = state->head.seat;",
        "const int asked = state->head.seat; if (asked < SEATS) { return; }",
    ),
    bug(
        "general_mhing",
        "resample: keeps the generator of later deals",
        "resample.c",
        "state->head.rng = mh_rng_stream(seed, 'F');",
        "",
    ),
    bug(
        "general_mhing",
        "resample: keeps the generator of later shuffles",
        "resample.c",
        "state->shuffler = mh_rng_stream(seed, 'S');",
        "",
    ),
    bug(
        "general_mhing",
        "resample: the generator is the same for all seeds",
        "resample.c",
        "state->head.rng = mh_rng_stream(seed, 'F');",
        "state->head.rng = mh_rng_stream(1, 'F');",
    ),
    bug(
        "general_mhing",
        "resample: moves cards that everybody knows to be in a hand",
        "resample.c",
        "general_unseen(state, observer) &",
        "ALL_CARDS & ~(state->open | state->hands[observer]) &",
    ),
    bug(
        "general_mhing",
        "resample: the next hand stays",
        "resample.c",
        "i == TRIES && asked != observer ? asked : -1",
        "mh_head_next(&state->head, observer)",
    ),
    bug(
        "general_mhing",
        "resample: the last card of the draw pile stays",
        "resample.c",
        "const int asked = state->head.seat;",
        "const int asked = state->head.seat; const int last = state->deck[CARDS - 1];",
        "resample.c",
        "if (asked >= 0 && asked != observer) {",
        "for (int i = state->next; i < CARDS; i++) {"
        "    if (state->deck[i] == last) {"
        "        state->deck[i] = state->deck[CARDS - 1]; state->deck[CARDS - 1] = (uint8_t)last;"
        "    }"
        "}"
        "if (asked >= 0 && asked != observer) {",
    ),
    bug(
        "general_mhing",
        "resample and observation: the next hand stays, and is left out of the unseen cards",
        "resample.c",
        "i == TRIES && asked != observer ? asked : -1",
        "mh_head_next(&state->head, observer)",
        "observe.c",
        "write_cards(unseen, view->unseen);",
        f"write_cards(unseen & ~state->hands[{NEXT}], view->unseen);",
    ),
    bug(
        "general_mhing",
        "bot: greedy knows the next hand",
        "bots.c",
        ".live = general_unseen(state, seat)}",
        f".live = general_unseen(state, seat) & ~state->hands[{NEXT}]}}",
    ),
    bug(
        "general_mhing",
        "idle action: depends on the draw pile",
        "legal.c",
        "const int drawn = ACTION_discard + state->drawn[0] - 1;",
        "const int drawn = ACTION_discard + state->drawn[0] - 1;"
        "if (state->next < CARDS && state->deck[state->next] % 2) {"
        "    return mh_set_next(state->legal, LEGAL_WORDS, 0);"
        "}",
    ),
    bug(
        "general_mhing",
        "rewards: points are paid twice",
        "match.c",
        "mh_head_reward(head, winner, points);",
        "mh_head_reward(head, winner, points);mh_head_reward(head, winner, points);",
    ),
    bug(
        "general_mhing",
        "rewards: paid to the next seat",
        "match.c",
        "mh_head_reward(head, winner, points);",
        "mh_head_reward(head, mh_head_next(head, winner), points);",
    ),
    bug(
        "general_mhing",
        "rewards: a single point is lost",
        "match.c",
        "mh_head_reward(head, winner, points);",
        "if (points > 1) { mh_head_reward(head, winner, points); }",
    ),
    bug(
        "general_mhing",
        "rewards: paid out, and not added up",
        "match.c",
        "mh_head_reward(head, winner, points);",
        "head->rewards[winner] += (float)points;",
    ),
    bug(
        "general_mhing",
        "mask: one card too many can be discarded",
        "legal.c",
        "mh_set_add_run(legal, ACTION_discard, hand);",
        "mh_set_add_run(legal, ACTION_discard, hand | card_bit(7));",
    ),
    bug(
        "general_mhing",
        "mask: the lowest card cannot be discarded",
        "legal.c",
        "mh_set_add_run(legal, ACTION_discard, hand);",
        "mh_set_add_run(legal, ACTION_discard, hand & (hand - 1));",
    ),
    bug(
        "general_mhing",
        "mask: a discard can be taken that makes no sequence",
        "legal.c",
        "return state->offer && general_sequences_with(state->hands[state->on_turn],"
        " state->offer - 1) != 0;",
        "return state->offer != 0;",
    ),
    bug(
        "general_mhing",
        "check: accepts everything",
        "check.c",
        "int status = check_ranges(state, message);",
        "int status = check_ranges(state, message); if (status <= MH_OK) { return MH_OK; }",
    ),
    bug(
        "general_mhing",
        "check: a card may lie in two places",
        "check.c",
        "status = status == MH_OK ? check_cards(state, message) : status;",
        "",
    ),
    bug(
        "general_mhing",
        "check: any action may be legal",
        "check.c",
        "const int status = general_settle(&again, message);",
        "const int status = general_settle(&again, message);"
        " memcpy(again.legal, state->legal, sizeof again.legal);",
    ),
    bug(
        "general_mhing",
        "event: shows that a discard could have been taken",
        "round.c",
        "} else { draw_for_turn(state); }",
        "} else { mh_events_add(&state->events, state->on_turn, EVENT_deal, 0, 0); "
        "draw_for_turn(state); }",
    ),
]

MHING = [
    bug(
        "mhing",
        "observation: shows that an earlier seat has claimed",
        "observe.c",
        "memcpy(view->revealed, state->last.revealed, sizeof view->revealed);",
        "memcpy(view->revealed, state->last.revealed, sizeof view->revealed);"
        "for (int i = 0; i < SEATS; i++) {"
        "    view->revealed[0] |= state->answers[i] && state->answers[i] != ACTION_pass + 1;"
        "}",
    ),
    bug(
        "mhing",
        "observation: shows who is being asked",
        "observe.c",
        "view->claimed_from[0] = mh_head_relative(&state->head, seat, state->claimed_from);",
        "view->claimed_from[0] = mh_head_relative(&state->head, seat,"
        " state->phase == PHASE_CLAIM ? state->head.seat : state->claimed_from);",
    ),
    bug(
        "mhing",
        "observation: shows whether the next hand waits for a last card",
        "observe.c",
        "view->rules[0] = state->head.seats;",
        f"view->rules[0] = state->head.seats;view->target[0] = state->hands[{NEXT}].waits != 0;",
    ),
    bug(
        "mhing",
        "observation: shows whether the last card of the source is a flower",
        "observe.c",
        "view->rules[0] = state->head.seats;",
        "view->rules[0] = state->head.seats;view->target[0] = state->deck[DECK - 1] == FLOWER;",
    ),
    bug(
        "mhing",
        "resample: keeps the generator of later deals",
        "resample.c",
        "state->head.rng = mh_rng_stream(seed, 'F');",
        "",
    ),
    bug(
        "mhing",
        "resample: keeps the answers that are still hidden",
        "resample.c",
        "memset(state->answers, 0, sizeof state->answers);",
        "",
        "resample.c",
        "state->answers[seat] = (uint16_t)(mhing_choose(state, seat, legal) + 1);",
        "if (!state->answers[seat]) {"
        "    state->answers[seat] = (uint16_t)(mhing_choose(state, seat, legal) + 1);"
        "}",
    ),
    bug(
        "mhing",
        "resample: the source stays as it is",
        "resample.c",
        "for (int i = state->next; i < DECK; i++) { left[state->deck[i]]++; }",
        "",
    ),
    bug(
        "mhing",
        "resample: the next hand stays",
        "resample.c",
        "return seat == observer ||",
        "return seat == observer || seat == mh_head_next(&state->head, observer) ||",
    ),
    bug(
        "mhing",
        "resample: deals the seat's own hand anew",
        "resample.c",
        "return seat == observer ||",
        "return (seat == observer && state->phase != PHASE_CLAIM) ||",
    ),
    bug(
        "mhing",
        "resample and observation: the source stays, and its next card is shown",
        "resample.c",
        "for (int i = state->next; i < DECK; i++) { left[state->deck[i]]++; }",
        "",
        "observe.c",
        "view->drawn[0] = state->on_turn == seat ? state->drawn : 0;",
        "view->drawn[0] = (uint8_t)(state->next < DECK ? state->deck[state->next] % 35 + 1 : 0);",
    ),
    bug(
        "mhing",
        "bots: they know the last card of the source",
        "player.c",
        "mhing_unseen(state, seat, player->unseen);",
        "mhing_unseen(state, seat, player->unseen);"
        "if (state->next < DECK && state->deck[DECK - 1] < FLOWER) {"
        "    player->unseen[state->deck[DECK - 1]] = 0;"
        "}",
    ),
    bug(
        "mhing",
        "idle action: claims what the next hand has none of",
        "legal.c",
        "const int drawn = ACTION_discard + state->drawn - 1;",
        "const int drawn = state->hands[mh_head_next(&state->head, state->on_turn)].twice ? -1"
        "                                                     : ACTION_discard + state->drawn - 1;",
        "legal.c",
        "return state->drawn && mh_set_has(state->legal, drawn)",
        "return state->drawn && drawn >= 0 && mh_set_has(state->legal, drawn)",
    ),
    bug(
        "mhing",
        "rewards: credits are paid twice",
        "match.c",
        "mh_head_reward(&state->head, winner, state->last.score.credits);",
        "mh_head_reward(&state->head, winner, 2 * state->last.score.credits);",
    ),
    bug(
        "mhing",
        "rewards: credits for a discard are lost",
        "match.c",
        "mh_head_reward(&state->head, winner, state->last.score.credits);",
        "if (state->last.payer < 0) {"
        "    mh_head_reward(&state->head, winner, state->last.score.credits);"
        "}",
    ),
    bug(
        "mhing",
        "mask: one card too many can be discarded",
        "legal.c",
        "legal[0] = hand_types(hand->held) |",
        "legal[0] = 1u | hand_types(hand->held) |",
    ),
    bug(
        "mhing",
        "mask: triplets cannot be claimed with two jokers",
        "legal.c",
        "struct claims claims = {laid_triplets[held][jokers] & 7u, 0};",
        "struct claims claims = {laid_triplets[held][jokers] & 3u, 0};",
    ),
    bug(
        "mhing",
        "check: accepts everything",
        "check.c",
        "int status = mhing_settle(&again, message);",
        "int status = mhing_settle(&again, message); if (status <= MH_OK) { return MH_OK; }",
    ),
    bug(
        "mhing",
        "check: any answer may have been given",
        "check.c",
        "return status == MH_OK ? check_answers(state, message) : status;",
        "return status;",
    ),
    bug(
        "mhing",
        "event: shows a pass",
        "round.c",
        "state->answers[seat] = (uint16_t)(action + 1);",
        "state->answers[seat] = (uint16_t)(action + 1);"
        "if (action == ACTION_pass) {"
        "    mh_events_add(&state->events, seat, EVENT_deal, 0, 0);"
        "}",
    ),
]

LEDUC = [
    bug(
        "leduc",
        "observation: shows the other card",
        "leduc.c",
        "seats[i].shown[state->deck[other]] = state->shown;",
        "seats[i].shown[state->deck[other]] = 1;",
    ),
    bug(
        "leduc",
        "observation: shows the card to be turned up",
        "leduc.c",
        "view->open[state->deck[PLACE_OPEN]] = state->opened;",
        "view->open[state->deck[PLACE_OPEN]] = 1;",
    ),
    bug(
        "leduc",
        "resample: deals nothing",
        "leduc.c",
        "mh_rng_shuffle(&rng, hidden, count); for (int place = 0; place < DECK; place++) {",
        "for (int place = DECK; place < DECK; place++) {",
    ),
    bug(
        "leduc",
        "resample: keeps the generator",
        "leduc.c",
        "state->head.rng = mh_rng_stream(seed, 'F');",
        "",
    ),
    bug(
        "leduc",
        "resample: ignores what a seat knows",
        "leduc.c",
        "return place == seat || (place < SEATS && state->shown) ||"
        " (place == PLACE_OPEN && state->opened);",
        "return place == seat || (place < SEATS && state->shown);",
    ),
    bug(
        "leduc",
        "resample: the other card stays",
        "leduc.c",
        "return place == seat ||",
        "return place == seat || place == 1 - seat ||",
    ),
    bug(
        "leduc",
        "resample: the last card stays",
        "leduc.c",
        "return place == seat ||",
        "return place == seat || place == DECK - 1 ||",
    ),
    bug(
        "leduc",
        "resample and observation: the other card stays, and is shown",
        "leduc.c",
        "return place == seat ||",
        "return place == seat || place == 1 - seat ||",
        "leduc.c",
        "seats[i].shown[state->deck[other]] = state->shown;",
        "seats[i].shown[state->deck[other]] = 1;",
    ),
    bug(
        "leduc",
        "bot: greedy knows the other card",
        "leduc.c",
        "if (!pair && rank == 0 &&",
        "if (!pair && rank < card_rank(state->deck[1 - state->head.seat]) &&",
    ),
    bug(
        "leduc",
        "rewards: the winner is paid twice",
        "leduc.c",
        "mh_head_reward(&state->head, winner, chips);",
        "mh_head_reward(&state->head, winner, 2 * chips);",
    ),
    bug(
        "leduc",
        "rewards: what the loser has put in is not taken",
        "leduc.c",
        "mh_head_reward(&state->head, 1 - winner, -chips);",
        "",
    ),
    bug(
        "leduc",
        "mask: one raise too many",
        "leduc.c",
        "if (state->raises < state->options[OPTION_max_raises]) {",
        "if (state->raises <= state->options[OPTION_max_raises]) {",
    ),
    bug(
        "leduc",
        "mask: no call of the last raise",
        "leduc.c",
        "mh_set_add(state->legal, ACTION_call);",
        "if (state->raises < 2) { mh_set_add(state->legal, ACTION_call); }",
    ),
    bug(
        "leduc",
        "check: accepts everything",
        "leduc.c",
        "if (memcmp(&again, state, sizeof again) != 0) {",
        "if (!state) {",
    ),
]

RUMMY = [
    bug(
        "mexican_rummy",
        "shuffle: the newest card always comes to lie at the bottom",
        "round.c",
        "mh_rng_shuffle(&state->shuffler, deck, count);",
        "mh_rng_shuffle(&state->shuffler, deck, count - 1);",
    ),
    bug(
        "mexican_rummy",
        "shuffle: the last card of the deal stays where it is",
        "round.c",
        "mh_rng_shuffle(&state->head.rng, state->deck, CARDS);",
        "mh_rng_shuffle(&state->head.rng, state->deck, CARDS - 1);",
    ),
    bug(
        "mexican_rummy",
        "resample: what was counted is forgotten",
        "match.c",
        "state->shown = rummy_held(state);",
        "",
        "check.c",
        "state->shown = rummy_held(state);",
        "",
    ),
]

BUGS = [*GENERAL, *MHING, *LEDUC, *RUMMY]
