"""The options of a replay, and its progress."""

import time
from dataclasses import dataclass, field
from typing import Literal

from fakeapi.traces.client.http import CONNECTIONS
from fakeapi.traces.fieldpaths import FieldPath

Order = Literal["recorded", "actors", "fast"]
"""One request at a time, in the order in which they took effect; each actor in its own order beside the
others; or as many at a time as the order of each object allows."""

ORDERS: tuple[Order, ...] = ("recorded", "actors", "fast")


@dataclass(frozen=True, slots=True)
class Options:
    """How to replay.

    `speed`: 1 keeps the recorded pace, 10 is ten times as fast, None does not wait. `until`: the offset after
    which nothing is sent. `strict`: explained divergences and requests that are not served count as failures.
    `ignore`: fields that are not compared. `seed`: create the initial state first. `marks`: collect what the
    time line needs. `stop_at_first`: end at the first divergence without an explanation. `keep_names`: create
    objects under the names that the recorded server generated, not under newly generated ones. `connections`:
    requests at a time in the order "fast".
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

    `total`, `done`: counts of exchanges. `offset`: that of the exchange sent last. `since`, `until`: the
    offsets of the first request and the last response. `began`: of `time.monotonic`.
    """

    total: int = 0
    done: int = 0
    offset: float = 0.0
    since: float = 0.0
    until: float = 0.0
    divergent: int = 0
    began: float = field(default_factory=time.monotonic)
