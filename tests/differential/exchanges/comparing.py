"""Compares the responses of two servers. Equal errors in another order are one difference."""

import json
import re
from typing import Any

from tests.conformance.differences import Difference
from tests.conformance.world import WorldComparison

ORDER = ".body.details.causes.order"
"""The path of the difference between two Statuses with the same errors in another order."""

_PART = re.compile(r", |\[|\]|\n")
"""Separates the errors in the message of a Status."""


class OrderComparison(WorldComparison):
    """A comparison of responses. Reports equal errors in another order as one difference with the path ORDER.

    The difference names the kind of the rejected object and the fields of the causes in another order. For a
    Status without causes, it has the beginning of the message.
    """

    def answer(self, recorded: dict[str, Any], actual: dict[str, Any]) -> list[Difference]:
        lines = super().answer(recorded, actual)
        if not lines or not all(line.startswith((".body.details.causes", ".body.message")) for line in lines):
            return lines
        one = self._settled(self._translated(recorded["body"]), self._recorded)
        other = self._settled(actual["body"], str)
        if _in_any_order(one) != _in_any_order(other):
            return lines
        moved = _moved(one, other)
        return [Difference(ORDER, moved, moved)]


def _causes(status: Any) -> list[dict[str, str]]:
    causes: list[dict[str, str]] = status.get("details", {}).get("causes", [])
    return causes


def _in_any_order(status: Any) -> tuple[list[str], list[str]]:
    """Returns the sorted causes of a Status, and the sorted parts of its message."""
    parts = _PART.split(status.get("message", ""))
    return sorted(json.dumps(cause, sort_keys=True) for cause in _causes(status)), sorted(parts)


def _moved(one: Any, other: Any) -> str:
    """Returns the kind of an object, and the fields of its errors in another order, without their indexes."""
    if not _causes(one):
        return str(one["message"].partition(" (")[0])
    pairs = zip(_causes(one), _causes(other), strict=True)
    fields = {re.sub(r"\[[^\]]*\]", "", a.get("field", "")) for a, b in pairs if a != b}
    return " ".join([one["details"].get("kind", ""), *sorted(fields)])
