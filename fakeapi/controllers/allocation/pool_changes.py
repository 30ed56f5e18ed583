"""PoolChanges: a log of the resource pools whose devices in use have changed."""

from collections import deque
from collections.abc import Iterable
from itertools import islice

from fakeapi.controllers.allocation.model import PoolID

CHANGES_MAX = 10_000
"""Maximum number of changes in the log. At the limit, each new change drops the oldest change."""


class PoolChanges:
    """The last changes of resource pools, numbered from 0 on.

    `position`: the number of the next change.
    """

    def __init__(self) -> None:
        self._log: deque[PoolID] = deque(maxlen=CHANGES_MAX)
        self.position = 0

    def add(self, pools: Iterable[PoolID]) -> None:
        for pool in pools:
            self._log.append(pool)
            self.position += 1

    def since(self, position: int) -> set[PoolID] | None:
        """Returns the pools that have changed since an earlier position of the log.

        Returns None if the log no longer contains all changes since this position.
        """
        count = self.position - position
        if count > len(self._log):
            return None
        return set(islice(reversed(self._log), count))
