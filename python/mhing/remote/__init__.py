"""Games on a server: environments as in this process, and tables for bots.

>>> import mhing
>>> connection = mhing.connect("tcp://127.0.0.1:7644")  # mhing serve prints the endpoint
>>> env = connection.make("Mhing-v0")  # or gym.make("Mhing-v0", endpoint="tcp://...")
>>> connection.close()

Needs the extra ``mhing[server]``. Modules: :mod:`mhing.remote.connection` (sessions),
:mod:`mhing.remote.batch` (rows that a server steps), :mod:`mhing.remote.bot` (seats at tables).
"""

from mhing.remote.bot import Bot, Turn
from mhing.remote.connection import Connection

__all__ = ["Bot", "Connection", "Turn"]
