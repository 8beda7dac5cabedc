"""The learning curve of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from mhing.train.folder import RunFolder

FORMATS = (".svg", ".png", ".pdf")
"""The endings that a picture's name may have."""

POINTS = 60

UNITS = (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
"""The units of time, with their seconds; a run is shown in the largest one of which it took two."""


def draw(path: str | Path, folder: RunFolder, final: dict[str, Any]) -> None:
    """Write a picture: what the learner earned over time, and what bots earn in its place.

    Args:
        path: the file; its name says which format.
        folder: of the run.
        final: what :func:`mhing.train.run.evaluate` found at the end.

    Raises:
        OSError: it cannot be written.
    """
    lines, settings = folder.lines(), folder.settings
    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.subplots()
    took = lines[-1]["seconds"] if lines else 0.0
    name, unit = next((one for one in UNITS if took >= 2 * one[1]), UNITS[-1])
    seconds, means = _while_learning(lines)
    axes.plot(
        [at / unit for at in seconds],
        means,
        label="while learning, actions drawn",
        alpha=0.6,
        marker=".",
    )
    points = [(line["seconds"], line["evaluation"]) for line in lines if "evaluation" in line]
    points.append((took, final))
    axes.errorbar(
        [at / unit for at, _ in points],
        [found["reward"] for _, found in points],
        [found["reward_interval"] for _, found in points],
        fmt="o-", capsize=3, label="evaluated on held-out deals, 95 % intervals",
    )  # fmt: skip
    axes.axhline(
        final["baseline"], color="black", linestyle="--", label=f"{final['against']} in its place"
    )
    against = ", ".join(settings.opponents) or "the default bot"
    axes.set(
        title=f"{settings.game}: {settings.method}, learning against {against}",
        xlabel=f"{name} of learning",
        ylabel=f"{final['unit']} a round, evaluated against {final['against']}",
    )
    axes.set_xlim(left=0)
    figure.legend(loc="outside lower center", ncols=2)  # below the axes: no curve is under it
    axes.grid(alpha=0.3)
    figure.savefig(path)


def _while_learning(lines: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Seconds, and the mean return of the episodes that ended since the point before."""
    seconds, means = [], []
    size = -(-len(lines) // POINTS) or 1
    before = 0
    for first in range(0, len(lines), size):
        some = lines[first : first + size]
        counts = [line["rounds"] for line in some]
        ended = [count - last for count, last in zip(counts, [before, *counts], strict=False)]
        before = counts[-1]
        if sum(ended):
            earned = sum(line["return"] * n for line, n in zip(some, ended, strict=True))
            seconds.append(some[-1]["seconds"])
            means.append(earned / sum(ended))
    return seconds, means
