"""The episodes of one player as a Minari dataset."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import gymnasium as gym
import numpy as np

from mhing import environment_id, spaces
from mhing._lib import episodes
from mhing._support.extras import install
from mhing._support.interrupts import held
from mhing.data.games import Block, Games, Progress


def write_minari(name: str, games: Games, progress: Progress | None = None) -> None:
    """Make a new Minari dataset of what the first player saw and did.

    An episode is a game as one of this player's seats saw it, as :class:`mhing.env.CardGameEnv`
    shows it: flat observations, one reward for each decision, and as infos ``action_mask`` int8 and
    ``seat`` for every observation, the last one included. A seat that had no decision has no
    episode. Games are added as they are played, so that a kill leaves those before
    it, and Ctrl-C all that were over.

    Args:
        name: such as ``"mhing/expert-v0"``; ``minari.load_dataset(name)`` loads it.
        games: what is played; their number of players divides that of the seats.
        progress: is called with the number of games that are done.

    Raises:
        FileExistsError: there is such a dataset.
        ValueError: the name is none, there are too many players, or one has failed.
        ModuleNotFoundError: minari is missing (extra ``mhing[minari]``).
    """
    try:
        minari = import_module("minari")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"minari is missing: {install('minari')}") from error
    if games.game.num_seats % len(games.players):
        raise ValueError(
            f"players: {len(games.players)} do not divide {games.game.num_seats} seats, so that "
            "the first one has others beside it from game to game"
        )
    try:
        minari.dataset.minari_dataset.parse_dataset_id(name)
    except TypeError:  # what it makes of a missing version
        raise ValueError(f"the dataset's name {name} has no version; write {name}-v0") from None
    if name in minari.list_local_datasets():
        raise FileExistsError(f"the dataset {name} already exists")
    dataset = None
    with held():
        for block in games.blocks():
            episodes = [*_episodes_of(games, block, minari.data_collector.EpisodeBuffer)]
            if dataset is None:
                dataset = _create(minari, name, games, episodes)
            else:
                dataset.storage.update_episodes(episodes)
            if progress:
                progress(block.first + len(block.episodes.seeds))


def _create(minari: Any, name: str, games: Games, episodes: list[Any]) -> Any:
    names = [player.name for player in games.players]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # there is no author, mail address or link
        return minari.create_dataset_from_buffers(
            name,
            episodes,
            env=_environment(games),
            observation_space=spaces.flat_observation_space(games.game),
            action_space=spaces.action_space(games.game),
            algorithm_name=names[0],
            description=f"{games.game!r}: {names[0]} among {', '.join(names)}, seed {games.seed}",
            data_format="arrow",
        )


def _environment(games: Games) -> Any:
    """The environment that the first player was in; None if others in it have no names."""
    clockwise = games.seating(0)[1:]
    others = [games.players[player].identity.partition(" sha256:")[0] for player in clockwise]
    plays = [games.players[player].plays for player in clockwise]
    if not all(isinstance(one, int) for one in plays):
        return None
    options: dict[str, Any] = {"opponents": others, **games.game.options}
    return gym.make(environment_id(games.game.id), **options)


def _episodes_of(games: Games, block: Block, make: Any) -> Iterator[Any]:
    game, starts = games.game, block.episodes.starts
    made, ends = episodes.decisions(
        game._handle, block.episodes, games.num_threads, ends_observed=True
    )
    over = np.ones((1, game.num_actions), np.int8)
    for place, seed in enumerate(block.episodes.seeds.tolist()):
        own = slice(starts[place], starts[place + 1])
        for seat, player in enumerate(games.seating(block.first + place)):
            chosen = np.flatnonzero(made.seats[own] == seat) + starts[place]
            if player or not len(chosen):
                continue
            last = ends.observations[place, seat][None]
            terminations = np.zeros(len(chosen), np.bool_)
            terminations[-1] = True
            yield make(
                seed=seed,
                observations=np.concatenate([made.observations[chosen], last]),
                actions=block.episodes.actions[chosen].astype(np.int64),
                rewards=made.rewards[chosen],
                terminations=terminations,
                truncations=np.zeros(len(chosen), np.bool_),
                infos={
                    "action_mask": np.concatenate([made.masks[chosen], over]),
                    "seat": [seat] * (len(chosen) + 1),  # Minari reads no array of one dimension
                },
            )
