"""Updates of a table that wait for a page: their number, and their order."""

from __future__ import annotations

from views import a_view

from mhing.web.updates import _MOST, Began, Ended, Happened, Inbox


def test_updates_that_nobody_takes_are_not_kept_without_end() -> None:
    inbox, view = Inbox(), a_view(0)
    start = {"number": 0, "games": 1, "players": ["ann", "bob"], "seeded": False}
    inbox.put(Began(start))
    for number in range(20_000):
        inbox.put(Happened(((1, 2, number % 100, 0),)))
        inbox.put(view if number < 19_999 else a_view(1))
        assert len(inbox._updates) <= 2 * _MOST
    inbox.put(Ended({"returns": [1.0, 0.0], "over": True}))
    taken = inbox.take()
    assert isinstance(taken[0], Began)
    assert isinstance(taken[-1], Ended)
    lines = [one.events[0][2] for one in taken if isinstance(one, Happened)]
    assert lines[-200:] == [number % 100 for number in range(19_800, 20_000)]


def test_no_line_is_ahead_of_the_picture() -> None:
    """A spectator of a fast table is sent events of each move, and pictures of some."""
    inbox, first, second = Inbox(), a_view(0), a_view(1)
    moves = [Happened(((1, 2, number, 0),)) for number in range(4)]
    for one in (moves[0], first, moves[1], moves[2]):
        inbox.put(one)
    assert inbox.take_view() == [moves[0], first]
    assert inbox.take_view() == []
    inbox.put(second)
    inbox.put(moves[3])
    assert inbox.take_view() == [moves[1], moves[2], second]
    ended = Ended({"returns": [1.0, 0.0], "over": True})
    inbox.put(ended)
    assert inbox.take_view() == [moves[3], ended]
