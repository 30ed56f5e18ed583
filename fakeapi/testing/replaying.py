"""Replays traces against a server in this process. Defines the options of a replay as keyword arguments."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, Protocol, TypedDict, TypeVar

from fakeapi.clients.target import Target, target_of_url
from fakeapi.eventloop import loop_factory
from fakeapi.traces import fieldpaths
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.replay.options import ORDERS, Options, Order, Progress
from fakeapi.traces.replay.pacing import ReplayControl
from fakeapi.traces.replay.replay import replay as replay_trace
from fakeapi.traces.reporting.report import Report
from fakeapi.version import __version__

T = TypeVar("T")


class ReplayServer(Protocol):
    """The properties of a running server that a replay needs; FakeAPI has them."""

    @property
    def url(self) -> str: ...

    @property
    def ca_file(self) -> Path | None: ...

    @property
    def token(self) -> str | None: ...

    @property
    def release(self) -> str | None: ...


def replay_on(
    server: ReplayServer,
    reader: TraceReader,
    chosen: Options,
    *,
    control: ReplayControl | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Replays a trace against a running server in this process; returns the report.

    - `chosen`: the options, from the function `options`.
    - `control`: pauses, steps or stops the replay; None for no control.
    - `on_progress`: called after each exchange.

    Raises TraceError if the trace cannot be read, and TargetError if the server does not respond.
    """
    report = run(replay_trace(reader, target_of(server), chosen, control=control, on_progress=on_progress))
    served = server.release
    report.target = f"fakeapi {__version__}" + (f" (Kubernetes {served})" if served else "")
    return report


def target_of(server: ReplayServer) -> Target:
    """Returns the Target for a running server, with its CA certificate and token."""
    return target_of_url(server.url, ca_file=server.ca_file, token=server.token)


class ReplayOptions(TypedDict, total=False):
    """The keyword arguments of a replay; the function `options` describes them."""

    order: Order
    speed: float | None
    until: float | None
    strict: bool
    ignore: Iterable[str]
    seed: bool
    marks: bool
    stop_at_first: bool
    keep_names: bool


def options(
    *,
    order: Order = "recorded",
    speed: float | None = None,
    until: float | None = None,
    strict: bool = False,
    ignore: Iterable[str] = (),
    seed: bool = True,
    marks: bool = False,
    stop_at_first: bool = False,
    keep_names: bool = False,
) -> Options:
    """Returns the options of a replay. Raises ValueError for an invalid order, speed or field.

    - `order`: "recorded" sends one request at a time. "actors" sends the requests of each client in order.
      "fast" sends as many requests at a time as possible, and keeps the order for each object.
    - `speed`: 1 keeps the recorded pace, 10 is ten times as fast, None does not wait.
    - `until`: a time in seconds after the start of the trace; later requests are not sent. None sends all.
    - `strict`: whether explained divergences, and requests for unserved resources, count as failures.
    - `ignore`: fields that are not compared, such as "metadata.annotations[a.b/c]" and "status.devices".
    - `seed`: whether to create first the objects that existed before the trace.
    - `marks`: whether to collect the data of the time line, for the HTML report.
    - `stop_at_first`: whether to stop at the first divergence without an explanation.
    - `keep_names`: whether to create objects with their recorded names, instead of new generated names.
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    if speed is not None and speed <= 0:
        raise ValueError(f"speed must be above 0, not {speed}")
    return Options(
        order=order,
        speed=speed,
        until=until,
        strict=strict,
        ignore=tuple(map(fieldpaths.parse, ignore)),
        seed=seed,
        marks=marks,
        stop_at_first=stop_at_first,
        keep_names=keep_names,
    )


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a new event loop and returns its result, or raises its exception.

    If this thread already runs an event loop, the new loop runs in a new thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    results: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            results.append(_run(work))
        except BaseException as error:  # noqa: BLE001 - raised in the waiting thread
            failure.append(error)

    thread = threading.Thread(target=target, name="fakeapi-replay", daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return results[0]


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(work)
