"""What a network makes of the legal actions of some rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """The log-probabilities of the legal actions, row after row.

    Nothing is kept of the others: of the 341 actions of Mhing some seven are legal.
    """

    count: int  # of rows
    rows: Tensor  # (legal,) ascending
    actions: Tensor  # (legal,)
    logs: Tensor  # (legal,)

    @staticmethod
    def of_logits(count: int, rows: Tensor, actions: Tensor, logits: Tensor) -> Policy:
        """As these logits have it."""
        lowest = logits.new_full((count,), -torch.inf)
        highest = lowest.scatter_reduce(0, rows, logits.detach(), "amax")
        less = logits - highest[rows]  # so that no exponential overflows
        sums = logits.new_zeros(count).index_add(0, rows, less.exp())
        return Policy(count, rows, actions, less - sums.log()[rows])

    def of(self, actions: Tensor) -> Tensor:
        """(count,) the log-probability of an action for each row; 0 where it is not legal."""
        taken = (self.actions == actions[self.rows]).nonzero()[:, 0]
        return self.logs.new_zeros(self.count).index_add(0, self.rows[taken], self.logs[taken])

    def entropy(self) -> Tensor:
        """The mean of all rows."""
        return -(self.logs.exp() * self.logs).sum() / self.count

    def dense(self, num_actions: int) -> Tensor:
        """(count, num_actions), -inf for what is not legal."""
        none = self.logs.new_full((self.count, num_actions), -torch.inf)
        return none.index_put((self.rows, self.actions), self.logs)

    def cpu(self) -> Policy:
        """The same in the processor's memory."""
        return Policy(self.count, self.rows.cpu(), self.actions.cpu(), self.logs.cpu())
