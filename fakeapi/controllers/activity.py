"""Activity: counts the reconciled and failed keys of each controller, and keeps the controller's last error.

The live page shows these reports.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from fakeapi.controllers.work import Item, WorkQueue, key_text
from fakeapi.machinery.printable import printable_line

ERROR_LENGTH_MAX = 500
"""Maximum length of an error in a report, in characters. A longer error is cut."""


class ControllerReport(msgspec.Struct, rename="camel"):
    """Describes the work of a controller at one moment.

    - `waiting`: the number of keys in the queue of the controller.
    - `delayed`: the number of keys that the controller handles later.
    - `busy_with`: the key that the controller reconciles now; "" for none.
    - `reconciled` and `failed`: the number of attempts since the controllers started.
    - `last_error`: the last failed key with its error; "" without a failure.
    """

    name: str
    waiting: int
    delayed: int
    busy_with: str
    reconciled: int
    failed: int
    last_error: str


class Activity:
    """Counts the outcomes of reconciling keys, by controller."""

    def __init__(self) -> None:
        self._reconciled: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._last_errors: dict[str, str] = {}

    def succeed(self, item: Item) -> None:
        """Counts a key that its controller reconciled without an error."""
        self._reconciled[item[0]] += 1

    def fail(self, item: Item, problem: object) -> None:
        """Counts a key that its controller could not reconcile, and keeps the error."""
        name, key = item
        self._failed[name] += 1
        self._last_errors[name] = printable_line(f"{key_text(key)}: {problem}", ERROR_LENGTH_MAX)

    def reports(self, names: Iterable[str], queue: WorkQueue, busy: Item | None) -> list[ControllerReport]:
        """Returns a report for each controller name.

        `busy`: (controller name, key) of the key that a controller reconciles now; None if there is none.
        """
        waiting = Counter(name for name, _ in queue.waiting)
        delayed = Counter(name for name, _ in queue.delayed)
        return [
            ControllerReport(
                name,
                waiting[name],
                delayed[name],
                key_text(busy[1]) if busy is not None and busy[0] == name else "",
                self._reconciled[name],
                self._failed[name],
                self._last_errors.get(name, ""),
            )
            for name in names
        ]
