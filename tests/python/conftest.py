"""Shared settings of the Python tests.

pytest -n auto         everything in its short form on all cores, some ten minutes on two; the slow
                       tests of all games in few variants only
pytest --full          also the long runs: a hundred thousand hands against the slow scorer, many
                       more games before the referee, more corrupted snapshots, and the tests that
                       are marked full, which all other commands leave out; .ci/nightly does it
pytest --game leduc    only the tests of all games, for this one
pytest --few           tests of all games in the default variant of each, and in the one in which as
                       many options as possible are changed
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Generator, Iterable, Iterator
from importlib import metadata
from itertools import compress
from operator import not_
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from web_process import WebProcess

sys.path.insert(0, str(Path(__file__).parent))
import rooms  # noqa: F401  # before what it finds

# A job in the background begins without Ctrl-C, and so would all commands that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


class _TestFile(pytest.Module):
    """A file whose tests are skipped where a library is missing, but not in CI."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        try:
            return super().collect()
        except self.CollectError as error:
            missing = error.__cause__
            if not isinstance(missing, ModuleNotFoundError) or os.environ.get("CI"):
                raise
            pytest.skip(f"{missing}; the extra `test` has it", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Makes a collector of each file of tests."""
    made: pytest.Module = _TestFile.from_parent(parent, path=module_path)
    return made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Names tests by their rules, for -k, and keeps those that --game and --few ask for.

    Without --full, --few holds for the slow ones.
    """
    for item in items:
        for mark in item.iter_markers("rule"):
            item.extra_keyword_matches.update(mark.args[1:])
    game, few, full = (config.getoption(name) for name in ("--game", "--few", "--full"))
    is_kept = [
        _is_of(item, game, few or (not full and item.get_closest_marker("slow") is not None))
        for item in items
    ]
    if not all(is_kept):
        config.hook.pytest_deselected(items=[*compress(items, map(not_, is_kept))])
        items[:] = compress(items, is_kept)


def _is_of(item: pytest.Item, game: str | None, few: bool) -> bool:
    """Return whether a test is of this game; None: of any, or of none.

    `few`: tests of all games have their first and last variants only.
    """
    from every_game import CASES

    given = (
        item.callspec.params
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else {}
    )
    known, options = given.get("played", (given.get("game_id"), given.get("options")))
    variants = [each for name, each in CASES if name == known]
    is_one_of_few = not variants or options in (None, variants[0], variants[-1])
    return (game is None or known == game) and (not few or is_one_of_few)


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """True if the long forms were asked for."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium: one for each module, as other modules run their own event loops."""
    from chromium import launched

    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    """`mhing web`, with an empty folder for games."""
    from web_process import WebProcess

    with WebProcess(tmp_path_factory.mktemp("saves")) as process:
        yield process


# ---- In CI nothing is skipped: everything that tests need is installed ---------------------------


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself."""
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that is skipped, or that fails since an extra is missing, as its error says."""
    report = yield
    if call.excinfo is not None and report.failed and not os.environ.get("CI"):
        missing = _missing(call.excinfo.value)
        if missing:
            path, line, _ = item.location
            report.outcome, report.longrepr = "skipped", (path, line or 0, missing)
    if not hasattr(report, "wasxfail"):
        _fail_if_skipped(report)
    return report


def _missing(error: BaseException) -> str:
    """Return what a test lacks by its error; "" if that is nothing that an extra brings."""
    extra = re.search(r"pip install '(?:\.|mhing)\[(\w+)\]'", str(error))
    if extra and not _has_extra(extra[1]):
        return f"the extra `{extra[1]}` is missing"
    is_import = isinstance(error, ModuleNotFoundError) and error.name
    return f"{error.name} is missing; the extra `test` has it" if is_import else ""


def _has_extra(extra: str) -> bool:
    """Return whether all that an extra of the package brings is installed."""
    for requirement in map(Requirement, metadata.requires("mhing") or []):
        marker = requirement.marker
        if marker and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""}):
            try:
                metadata.version(requirement.name)
            except metadata.PackageNotFoundError:
                return False
    return True


def _fail_if_skipped(report: pytest.CollectReport | pytest.TestReport) -> None:
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
