"""The options of a replay, and its progress."""

import time
from dataclasses import dataclass, field
from typing import Literal

from fakeapi.clients.http import CONNECTIONS
from fakeapi.traces.fieldpaths import FieldPath

Order = Literal["recorded", "actors", "fast"]
"""The order in which a replay sends requests.

- "recorded": one request at a time, in the order in which the requests took effect.
- "actors": the requests of each client in order, in parallel with other clients.
- "fast": in parallel, except that the requests for each object keep their order.
"""

ORDERS: tuple[Order, ...] = ("recorded", "actors", "fast")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a replay.

    - `order`: the order in which requests are sent.
    - `speed`: 1 for the recorded pace, 10 for ten times as fast, None for no waiting.
    - `until`: a time in seconds after the start of the trace; later requests are not sent. None sends all.
    - `strict`: whether explained divergences and requests for unserved resources count as failures.
    - `ignore`: the fields that are not compared.
    - `seed`: whether to create the objects that existed before the trace.
    - `marks`: whether to collect the data of the time line.
    - `stop_at_first`: whether to end at the first divergence without an explanation.
    - `keep_names`: whether created objects keep their recorded names. If false, a recorded generated name is
      replaced by a new generated name.
    - `connections`: the maximum number of parallel requests in the order "fast".
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
    """The progress of a replay. Offsets are in seconds from the start of the trace.

    - `total` and `done`: the numbers of all exchanges and of finished exchanges.
    - `offset`: the offset of the last finished exchange.
    - `since` and `until`: the offsets of the first request and of the end of the last response.
    - `divergent`: the number of exchanges with differences.
    - `began`: the start of the replay, as a time of `time.monotonic`.
    """

    total: int = 0
    done: int = 0
    offset: float = 0.0
    since: float = 0.0
    until: float = 0.0
    divergent: int = 0
    began: float = field(default_factory=time.monotonic)
