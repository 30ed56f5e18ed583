"""The options of a replay, and its progress."""

import time
from dataclasses import dataclass, field
from typing import Literal

from fakeapi.clients.http import CONNECTIONS
from fakeapi.traces.fieldpaths import FieldPath

Order = Literal["recorded", "actors", "fast"]
"""The order of requests.

"recorded": one request at a time, in the order in which they took effect. "actors": each actor's requests in
order, in parallel with other actors. "fast": as many at a time as the order of each object allows.
"""

ORDERS: tuple[Order, ...] = ("recorded", "actors", "fast")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a replay.

    - `speed`: 1 keeps the recorded pace, 10 is ten times as fast, None does not wait
    - `until`: the offset after which nothing is sent
    - `strict`: explained divergences, and requests that are not served, count as failures
    - `ignore`: fields that are not compared
    - `seed`: create the initial state first
    - `marks`: collect the data of the time line
    - `stop_at_first`: end at the first divergence without an explanation
    - `keep_names`: use the names that the recorded server generated instead of newly generated ones
    - `connections`: requests at a time in the order "fast"
    """

    order: Order = "recorded"
    speed: float | None = None
    until: float | None = None
    strict: bool = False
    ignore: tuple[FieldPath, ...] = ()
    seed: bool = True
    marks: bool = False
    stop_at_first: bool = False
    keep_names: bool = False
    connections: int = CONNECTIONS


@dataclass(slots=True)
class Progress:
    """The progress of a replay.

    `total`, `done`: counts of exchanges. `offset`: the offset of the last exchange sent. `since`, `until`:
    the offsets of the first request and of the end of the last response. `began`: the start, from
    `time.monotonic`.
    """

    total: int = 0
    done: int = 0
    offset: float = 0.0
    since: float = 0.0
    until: float = 0.0
    divergent: int = 0
    began: float = field(default_factory=time.monotonic)
