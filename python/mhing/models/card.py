"""The card of a model, in Markdown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game
from mhing.models.catalogue import LICENCE, Model, ModelScore


def card(model: Model) -> str:
    """Return the card of a model: what it is, how it was made, how good it is, and its limits."""
    game = model.make_game()
    layers = model.layers()
    sizes = [len(layers[0][0]), *(len(biases) for _, biases in layers)]
    bot = f"net:{model.name}"
    unread = _unread(game, layers[0][0])
    options = "".join(f" --option {name}={value}" for name, value in model.options.items())
    return f"""\
# {model.id}

A net that plays {game.title} with {game.num_seats} players for the reward
`{game.options["reward"]}`. It judges what is left after each move, in layers of
{", ".join(map(str, sizes))} numbers, and plays the move of the highest value.

## Use

It is built into the package as the bot `{bot}` of the game with these options:

    mhing arena {bot} greedy --field greedy --game {model.game}{options}

`mhing models export {model.id} --out net.safetensors` writes its weights for other
libraries, and `--out net.onnx` writes a graph.

## Data and training

It learned from rounds that bots played, and from no records of people: values were fitted to what
followed. The class of training is small: minutes on one core. The command:

    {model.command}

## Scores

In the same seats of the same deals, with 95 % intervals by deal. Nothing was trained or chosen on
these deals.

{_table(model.scores)}

## Limits

- It takes {sizes[0]} features of an afterstate, which the package computes from a state
  (`State.afterstates`). It does not read observations, and plays nothing else than {game.title}.
{unread}- It was trained for one number of players and one reward, and refuses other options that
  change what is best.
- It values a move among opponents like those of its training. It does not guess at hidden hands.

## Facts

- Licence: {LICENCE}
- Size: {model.size:,} bytes, {sum(w.size + b.size for w, b in layers):,} numbers
- SHA-256: {model.sha256}
- `mhing models verify {model.id}` compares its hash and its first decisions with recorded ones.
"""


def _unread(game: Game, weights: NDArray[np.float32]) -> str:
    """A line about the features that have no weight, or nothing."""
    names = [
        f"`{one.name}`"
        for one in game.features
        if not weights[one.offset : one.offset + one.count].any()
    ]
    listed = " and ".join(names)
    return f"- Of these it leaves out {listed}: their weights are 0.\n" if names else ""


def _table(scores: list[ModelScore]) -> str:
    rows = [
        f"| {one.difference.signed} | {one.unit} | {one.than} | {one.field} | {one.note} "
        f"| {one.deals:,} | {one.date} | `{one.source}` |"
        for one in scores
    ]
    return "\n".join(
        [
            "| earned more a round | unit | than | all others | options | deals | date | result |",
            "|---:|---|---|---|---|---:|---|---|",
            *rows,
        ]
    )
