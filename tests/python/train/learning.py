"""The examples of pages that learn, for tests that ask how well."""

from __future__ import annotations

import contextlib
import io
import re

import pages


def means(page: str, **read: str) -> list[float]:
    """The numbers that the example of a page prints as it learns, in order.

    Args:
        page: the page's name in the folder `libraries`.
        read: by the name of an argument or a variable in the example, another value for it.
    """
    block = pages.learning(str((pages.WRITTEN / "libraries" / page).relative_to(pages.ROOT)))
    assert block is not None
    code = block.code
    for name, value in read.items():
        code, found = re.subn(rf"\b({name} ?= ?)[\d_]+", rf"\g<1>{value}", code)
        assert found == 1, f"{block}: {name} = NUMBER occurs {found} times"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(block), "exec"), {"__name__": "__main__"})
    said = [pages.SAID.fullmatch(line) for line in printed.getvalue().splitlines()]
    return [float(line[2]) for line in said if line]
