"""All tests of this folder compare results with their schemas."""

from checked_results import check_results  # noqa: F401
