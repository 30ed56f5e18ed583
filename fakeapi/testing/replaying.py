"""Replays traces against a server of this process, or against any other."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from fakeapi import __version__
from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.testing.server import FakeAPI
from fakeapi.traces import fieldpaths
from fakeapi.traces.client.upstream import Upstream, of_url
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.replay.pacing import Control
from fakeapi.traces.replay.replay import ORDERS, Options, Order, Progress
from fakeapi.traces.replay.replay import replay as replay_trace
from fakeapi.traces.reporting.report import Report

T = TypeVar("T")


def replay(
    trace: str | Path,
    *,
    url: str | None = None,
    token: str | None = None,
    release: str | None = None,
    feature_gates: Mapping[str, bool] | str | None = None,
    patch_type: str | None = None,
    **how: Any,
) -> Report:
    """Sends the requests of a recorded trace again, and says where the answers differ.

        report = fakeapi.replay("session.jsonl.gz")
        assert report.ok, report

    `trace`: a file in the native format, an audit log or HAR. Without a `url`, a new server answers, of the
    `release` that is named, or else of the trace's own, with the `feature_gates`. `patch_type`: the media
    type of patches in audit logs about which nothing tells. What else may be given is in `options`.

    Raises TraceError for a trace that cannot be read, TargetError for a server that does not answer,
    ValueError for options without sense.
    """
    chosen = options(**how)
    with open_trace(trace, patch_type=patch_type or STRATEGIC_MERGE_PATCH) as reader:
        if url is not None:
            return run(replay_trace(reader, of_url(url, token=token), chosen))
        with FakeAPI(release=release or reader.header.release or None, feature_gates=feature_gates) as server:
            return replay_on(server, reader, chosen)


def replay_on(
    server: FakeAPI,
    reader: TraceReader,
    chosen: Options,
    *,
    control: Control | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Replays against a running server of this process."""
    report = run(replay_trace(reader, upstream_of(server), chosen, control=control, on_progress=on_progress))
    served = server.release
    report.target = f"fakeapi {__version__}" + (f" (Kubernetes {served})" if served else "")
    return report


def upstream_of(server: FakeAPI) -> Upstream:
    return of_url(server.url, ca_file=server.ca_file, token=server.token)


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
    """How to replay.

    `order`: "recorded", one request at a time, "actors", each actor in its own order beside the others, or
    "fast". `speed`: 1 keeps the recorded pace, 10 is ten times as fast, None does not wait. `until`: the
    offset in seconds after which nothing is sent. `strict`: whatever differs counts, also what has a reason.
    `ignore`: fields that are not compared, "metadata.annotations[a.b/c]", "status.devices". `seed`: first
    make what the trace takes for granted. `marks`: keep what the time line needs. `stop_at_first`: end at the
    first divergence without a reason. `keep_names`: ask for the names that the recorded server generated,
    instead of letting this one generate others.

    Raises ValueError.
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
    """Runs a coroutine to its end, in a thread of its own where a loop is running in this one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    found: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            found.append(_run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            failure.append(error)

    thread = threading.Thread(target=target, name="fakeapi-replay", daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return found[0]


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] | None = import_module("uvloop").new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
