"""The learning curve of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from mhing.train.folder import RunFolder

FORMATS = (".svg", ".png", ".pdf")
"""What a picture's name may end in."""

POINTS = 60


def draw(path: str | Path, folder: RunFolder, final: dict[str, Any]) -> None:
    """Writes a picture: what the learner earned over time, and what bots earn in its place.

    Args:
        path: the file; its name says which format.
        folder: of the run.
        final: what :func:`mhing.train.run.evaluate` found at the end.

    Raises:
        OSError: it cannot be written.
    """
    lines, settings = folder.lines(), folder.settings
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(*_while_learning(lines), label="while learning, actions drawn", alpha=0.6)
    seen = [(line["seconds"], line["evaluation"]) for line in lines if "evaluation" in line]
    seen.append((lines[-1]["seconds"] if lines else 0.0, final))
    axes.errorbar(
        [seconds / 60 for seconds, _ in seen],
        [found["reward"] for _, found in seen],
        [found["reward_interval"] for _, found in seen],
        fmt="o-", capsize=3, label="evaluated on held-out deals, 95 % intervals",
    )  # fmt: skip
    axes.axhline(
        final["baseline"], color="black", linestyle="--", label=f"{final['against']} in its place"
    )
    against = ", ".join(settings.opponents) or "the default bot"
    axes.set(
        title=f"{settings.game}: {settings.method}, learning against {against}",
        xlabel="minutes of learning",
        ylabel=f"{final['unit']} a round, evaluated against {final['against']}",
    )
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    figure.savefig(path)


def _while_learning(lines: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Minutes, and the mean return of the episodes that ended since the point before."""
    minutes, means = [], []
    size = -(-len(lines) // POINTS) or 1
    before = 0
    for first in range(0, len(lines), size):
        some = lines[first : first + size]
        counts = [line["rounds"] for line in some]
        ended = [count - last for count, last in zip(counts, [before, *counts], strict=False)]
        before = counts[-1]
        if sum(ended):
            earned = sum(line["return"] * n for line, n in zip(some, ended, strict=True))
            minutes.append(some[-1]["seconds"] / 60)
            means.append(earned / sum(ended))
    return minutes, means
