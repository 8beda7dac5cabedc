"""Generalized advantage estimates where several seats decide in turn."""

from __future__ import annotations

import torch
from torch import Tensor


def gae(
    seats: Tensor,
    values: Tensor,
    earned: Tensor,
    ends: Tensor,
    last: Tensor,
    gae_lambda: float,
    discount: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Generalized advantage estimates for each seat on its own.

    A seat's decision is followed by the next one of the same seat, or by the end of the episode.

    Args:
        seats: (time + 1, rows) who decides.
        values: (time + 1, rows) what that seat expects.
        earned: (time, rows) what the seat that decides next has earned since its last decision.
        ends: (time, rows) bool: the step ended the episode; the next decision is of another one.
        last: (time, rows, seats) what each seat earned since then, where the episode ended.
        gae_lambda: the lambda of GAE.
        discount: its gamma, from a seat's decision to its next one.

    Returns:
        Advantages (time, rows), and whether they are known: after the last decision of a seat
        nothing is known of what it earned, unless it is the seat to act.
    """
    shape = last.shape[1:]
    follows, later, gains = (torch.zeros(shape, device=last.device) for _ in range(3))
    known = torch.zeros(shape, dtype=torch.bool, device=last.device)

    def put(table: Tensor, seat: Tensor, value: Tensor) -> None:
        table.scatter_(1, seat[:, None], value[:, None])

    advantages, certain = torch.zeros_like(earned), torch.zeros_like(ends)
    for t in reversed(range(len(earned))):
        put(follows, seats[t + 1], values[t + 1])
        put(gains, seats[t + 1], earned[t])
        if t + 1 == len(earned):
            put(known, seats[t + 1], torch.ones_like(ends[t]))
        over = ends[t][:, None]
        gains = torch.where(over, last[t], gains)
        follows, later = follows.masked_fill(over, 0.0), later.masked_fill(over, 0.0)
        known = known | over
        seat = seats[t][:, None]
        certain[t] = known.gather(1, seat)[:, 0]
        error = (gains + discount * follows).gather(1, seat)[:, 0] - values[t]
        advantages[t] = (error + discount * gae_lambda * later.gather(1, seat)[:, 0]) * certain[t]
        put(later, seats[t], advantages[t])
        put(known, seats[t], torch.ones_like(ends[t]))
    return advantages, certain
