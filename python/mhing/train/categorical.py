"""A categorical distribution over the legal actions of each row."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class MaskedCategorical:
    """The log-probabilities of the legal actions, row after row.

    Nothing is kept of the others: of the 341 actions of Mhing some seven are legal.
    """

    count: int  # of rows
    rows: Tensor  # (legal,) ascending
    actions: Tensor  # (legal,)
    log_probs: Tensor  # (legal,)

    @staticmethod
    def of_logits(count: int, rows: Tensor, actions: Tensor, logits: Tensor) -> MaskedCategorical:
        """The distribution that these logits describe."""
        lowest = logits.new_full((count,), -torch.inf)
        highest = lowest.scatter_reduce(0, rows, logits.detach(), "amax")
        less = logits - highest.index_select(0, rows)  # so that no exponential overflows
        sums = logits.new_zeros(count).index_add(0, rows, less.exp())
        return MaskedCategorical(count, rows, actions, less - sums.log().index_select(0, rows))

    def log_prob(self, actions: Tensor) -> Tensor:
        """(count,) the log-probability of an action for each row; 0 where it is not legal."""
        taken = (self.actions == actions.index_select(0, self.rows)).nonzero()[:, 0]
        rows, found = (one.index_select(0, taken) for one in (self.rows, self.log_probs))
        return found.new_zeros(self.count).index_add(0, rows, found)

    def entropy(self) -> Tensor:
        """The mean of all rows."""
        return -(self.log_probs.exp() * self.log_probs).sum() / self.count

    def dense(self, num_actions: int) -> Tensor:
        """(count, num_actions), -inf for what is not legal."""
        none = self.log_probs.new_full((self.count, num_actions), -torch.inf)
        return none.index_put((self.rows, self.actions), self.log_probs)

    def cpu(self) -> MaskedCategorical:
        """The same in the processor's memory."""
        return MaskedCategorical(
            self.count, self.rows.cpu(), self.actions.cpu(), self.log_probs.cpu()
        )
