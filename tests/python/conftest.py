"""Shared settings of the Python tests.

pytest                 everything in its short form, a minute and a half or so
pytest --full          also the long runs: a hundred thousand hands against the slow scorer, many
                       more games before the referee, more corrupted snapshots (some 20 minutes)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long forms of the tests too")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the long forms were asked for."""
    return bool(request.config.getoption("--full"))


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
    """A test that is skipped."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _fail_if_skipped(report)
    return report


def _fail_if_skipped(report: pytest.CollectReport | pytest.TestReport) -> None:
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
