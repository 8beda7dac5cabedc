"""``python -m mhing``: the command where it is not on the path."""

import sys

from mhing.cli import main

sys.exit(main())
