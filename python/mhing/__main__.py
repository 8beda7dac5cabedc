"""``python -m mhing``: the command where it is not on the path."""

import sys

from mhing.cli import command

sys.exit(command())
