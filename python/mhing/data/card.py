"""The card of a data set: what it is, how it was made, and what it is not for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mhing.words import plural

if TYPE_CHECKING:
    from mhing.data.prompts import Prompts


def card(name: str, prompts: Prompts, rows_of: Mapping[str, int], games: int) -> str:
    """The card of a file of prompts, in Markdown.

    Args:
        name: of the file.
        prompts: what it has.
        rows_of: the number of its rows in each split.
        games: the number of games that it has rows of.
    """
    game, played = prompts.game, prompts.games
    players = ", ".join(f"`{player.name}`" for player in played.players)
    lines = [
        f"# {name}",
        "",
        f"{plural(sum(rows_of.values()), 'decision')} of {plural(games, 'game')} of {game.title}, "
        f"as prompts for language models. {players} played.",
        "",
        _judgement(prompts),
        "",
        "| split | rows |",
        "|---|---:|",
        *(f"| {split} | {count:,} |" for split, count in rows_of.items()),
        "",
        "All decisions of a deal are in the same split, which follows from the seed of the deal "
        "alone: so it is the same in every file. Deals of the benchmark are in `test`.",
        "",
        "## Columns",
        "",
        "| column | meaning |",
        "|---|---|",
        *(f"| `{column.name}` | {column.meaning} |" for column in prompts.columns),
        "",
        "## Limits",
        "",
        "- Positions are those that these players reach; others reach other ones.",
        "- Decisions of one game are alike: count games, not rows.",
        "- `seed` reveals all cards. The order of rows shows who was asked in secret. Neither may "
        "become a model's input.",
        *_limits(prompts),
        "",
        "## How it was made",
        "",
        "```json",
        json.dumps(_settings(prompts, games), indent=2, ensure_ascii=False),
        "```",
        "",
    ]
    return "\n".join(lines)


def _judgement(prompts: Prompts) -> str:
    if prompts.bot is None:
        return "No bot has judged the moves."
    return (
        f"`{prompts.bot}` says what each move is worth, in {prompts.game.unit} from the decision "
        "to the end of the round, by what the seat knows and nothing else."
    )


def _limits(prompts: Prompts) -> list[str]:
    if prompts.bot is None:
        return []
    return [
        f"- Values are what `{prompts.bot}` expects, not the truth: a model that learns them plays "
        "as well as it does, and makes its mistakes."
    ]


def _settings(prompts: Prompts, games: int) -> dict[str, Any]:
    game, played = prompts.game, prompts.games
    return {
        "mhing": version("mhing"),
        "game": game.id,
        "rules_version": game.rules_version,
        "options": game.options,
        "players": [[player.name, player.identity] for player in played.players],
        "first_seed": played.seed,
        "games": games,
        "texts": prompts.texts.name,
        "bot": prompts.bot,
        "unit": game.unit,
    }
