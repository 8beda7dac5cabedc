"""The log-probabilities of legal actions, against those of all actions."""

from __future__ import annotations

import pytest
import torch

from mhing.train.categorical import MaskedCategorical


def test_a_policy_is_what_all_actions_would_make_it() -> None:
    """Against log-probabilities of all actions, those that are not legal at minus infinity."""
    draw = torch.Generator().manual_seed(5)
    masks = torch.rand(40, 30, generator=draw) < torch.rand(40, 1, generator=draw)
    masks[:, 7] = True  # one is legal at least
    masks[3] = torch.arange(30) == 7  # and no other
    rows, actions = masks.nonzero(as_tuple=True)
    logits = 300 * torch.randn(len(rows), generator=draw)  # exponentials overflow
    logits[rows % 2 == 0] /= 300
    one, other = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    policy = MaskedCategorical.of_logits(40, rows, actions, one)
    none = torch.full((40, 30), -torch.inf)
    every = none.index_put((rows, actions), other).log_softmax(1)
    assert torch.allclose(policy.dense(30), every, atol=1e-4)
    surely = torch.where(masks, every, 0.0)
    assert policy.entropy().item() == pytest.approx(-(surely.exp() * surely).sum().item() / 40)
    asked = torch.randint(30, (40,), generator=draw)
    found = policy.log_prob(asked)
    expected = surely.gather(1, asked[:, None])[:, 0]
    assert torch.allclose(found, expected, atol=1e-4)
    assert 0 < masks.gather(1, asked[:, None]).sum() < 40
    for numbers in (found, expected):
        (numbers.clamp(min=-20) * torch.arange(40)).sum().backward()
    assert one.grad is not None
    assert torch.allclose(one.grad, other.grad, atol=1e-3)
