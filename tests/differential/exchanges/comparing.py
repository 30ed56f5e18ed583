"""Compares the responses of two servers. Equal errors in another order are one difference."""

import json
from typing import Any

from tests.conformance.differences import Difference
from tests.conformance.world import WorldComparison

ORDER = ".body.details.causes.order"
"""The path of the difference between two Statuses with the same causes in another order."""


class OrderComparison(WorldComparison):
    """A comparison of responses. Reports equal causes in another order as one difference with the path ORDER.

    The difference names the kind of the rejected object.
    """

    def answer(self, recorded: dict[str, Any], actual: dict[str, Any]) -> list[Difference]:
        lines = super().answer(recorded, actual)
        if not lines or not all(line.startswith((".body.details.causes", ".body.message")) for line in lines):
            return lines
        one = self._settled(self._translated(recorded["body"]), self._recorded)
        other = self._settled(actual["body"], str)
        kind = one.get("details", {}).get("kind")
        return lines if _in_any_order(one) != _in_any_order(other) else [Difference(ORDER, kind, kind)]


def _in_any_order(status: Any) -> tuple[list[str], list[str]]:
    """Returns the sorted causes of a Status, and the sorted words of its message."""
    causes = status.get("details", {}).get("causes", [])
    words = status["message"].replace("[", "[ ").replace("]", " ]").replace(",", "")
    return sorted(json.dumps(cause, sort_keys=True) for cause in causes), sorted(words.split())
