"""The recorded exchanges that are answered otherwise, each with its reason.

`docs/fidelity.md` is made from this table and the recordings: `make fidelity`.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Known:
    """`recordings` and `scenario` are patterns; `exchanges` count from one, empty for all that differ."""

    recordings: str
    scenario: str
    exchanges: frozenset[int]
    reason: str


KNOWN: tuple[Known, ...] = ()

SOMETIMES: dict[str, frozenset[int]] = {}
"""Exchanges in which Kubernetes' own server is of two minds, so that they may agree as well."""


def differing(recording: str, scenario: str) -> frozenset[int]:
    """The numbers of the exchanges that are known to differ."""
    found: frozenset[int] = frozenset()
    for known in KNOWN:
        if fnmatchcase(recording, known.recordings) and fnmatchcase(scenario, known.scenario):
            found |= known.exchanges
    return found
