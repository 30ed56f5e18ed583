"""Lists recorded requests whose responses differ from fakeapi's, and the reason for each difference.

`make fidelity` renders `docs/fidelity.md` from this table and the recordings.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Known:
    """Recorded requests (exchanges) whose responses are known to differ from the recording.

    - `recordings`, `scenario`: shell patterns for the names
    - `exchanges`: the numbers of the exchanges in the scenario, from 1
    - `reason`: why the responses differ
    - `wording_only`: whether only the text of messages differs
    - `sometimes`: whether the responses may also be equal, because Kubernetes responds at random
    """

    recordings: str
    scenario: str
    exchanges: frozenset[int]
    reason: str
    wording_only: bool = False
    sometimes: bool = False


MAP_ORDER = (
    "Kubernetes up to 1.28 sends the first events of a watch in the order of a Go map, which differs each "
    "time. fakeapi sends them in the order of names, as Kubernetes does from 1.29 on. Kubernetes' own 1.27 "
    "agreed with its recording in 2 of 20 runs."
)
BOOKMARK_TICK = (
    "Kubernetes sends bookmarks at the ticks of a clock that all watches share. Whether a tick falls into "
    "the scenario is chance: with Kubernetes' own 1.32 it did in 12 of 70 runs. fakeapi sends the bookmark "
    "after a second."
)

KNOWN: tuple[Known, ...] = (
    Known("1.2[78]", "watching.starts_with_what_exists", frozenset({3, 4, 5}), MAP_ORDER, sometimes=True),
    Known("1.32*", "watching.send_initial_events", frozenset({3}), BOOKMARK_TICK, sometimes=True),
)


def of(recording: str, scenario: str) -> list[Known]:
    """Returns the known differences of one scenario in one recording."""
    return [
        known
        for known in KNOWN
        if fnmatchcase(recording, known.recordings) and fnmatchcase(scenario, known.scenario)
    ]
