"""Networks of PyTorch as nets of the core, which play as ``net:FILE`` (`mhing._lib.nets`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.nets import save_net
from mhing._support.ids import changed
from mhing.game import Game
from mhing.train.layers import CoreLayers
from mhing.train.learner import Settings, method, usual_teacher

FREE = {"dealer", "hints", "lay_down", "next_starter", "rounds", "scoring", "stake", "target"}
"""Options of whatever game with which a net may play although it was trained with other values:
they change nothing in what is best in a round, or nobody uses what they allow."""

DRAWN = {"objective": 0}
"""Values of options by which deals draw: a net trained with one plays with all of that option."""

NOTE = 255
"""Letters that a file's note may have."""


def weights_of(net: CoreLayers, scale: float = 1.0, shift: float = 0.0) -> NDArray[np.float32]:
    """All weights, of what the net puts out scaled and shifted."""
    weights: NDArray[np.float32] = net.weights.detach().cpu().numpy().copy()
    last = net.sizes[-2] + 1  # the weights of the last layer, and its only bias
    weights[-last:] *= np.float32(scale)
    weights[-1] += np.float32(shift)
    return weights


def net_bytes(
    game: Game,
    net: CoreLayers,
    note: str,
    scale: float = 1.0,
    shift: float = 0.0,
) -> bytes:
    """A net as a file of the core, for options that it was trained with or does not need."""
    options = game.describe()["options"]
    chosen = game.options
    free = FREE if chosen["reward"] == "win" else FREE | {"episode"}
    free |= {name for name, value in DRAWN.items() if chosen.get(name) == value}
    low, high = (
        [option[end] if option["name"] in free else _number_of(option) for option in options]
        for end in ("low", "high")
    )
    return save_net(game._handle, weights_of(net, scale, shift), net.sizes, low, high, note)


def _number_of(option: dict[str, Any]) -> int:
    """An option's value as the core counts it."""
    if option["kind"] == "choice":
        return int(option["low"]) + list(option["choices"]).index(option["value"])
    return int(option["value"])


def made_by(settings: Settings, game: Game) -> str:
    """The command that makes what a run learns, for its file."""
    parts = [f"mhing train {settings.game} --method {settings.method}"]
    steps, minutes = settings.steps, settings.minutes
    parts.append(f"--steps {steps}" if steps else f"--minutes {minutes:g}")
    parts.append(f"--seed {settings.seed}")
    if settings.opponents:
        parts.append(f"--opponents {','.join(settings.opponents)}")
    teacher = settings.teacher or ("" if method(settings.method).NEEDED else "none")
    if teacher not in ("", usual_teacher(settings.method, game)):
        parts.append(f"--teacher {teacher}")
    if settings.skip:
        parts.append(f"--skip {','.join(settings.skip)}")
    parts += [f"--option {one}" for one in changed(game)]
    parts += [f"--tune {name}={value:g}" for name, value in settings.tuning.items()]
    return " ".join(parts)[:NOTE]
