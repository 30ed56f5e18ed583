"""Replays a trace from Python, against a new server in this process or against any other server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fakeapi.clients.target import target_of_url
from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.testing.replaying import options, replay_on, run
from fakeapi.testing.server import FakeAPI
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.replay.replay import replay as replay_trace
from fakeapi.traces.reporting.report import Report


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
    """Sends the requests of a recorded trace again, and reports where the responses differ.

        report = fakeapi.replay("session.jsonl.gz")
        assert report.ok, report

    `trace` is a file in the native format, an audit log or HAR. Without a `url` the requests go to a new
    server with these `feature_gates` and this `release`, which defaults to that of the trace. `patch_type` is
    the media type of patches in audit logs without one. Further options are those of
    `fakeapi.testing.replaying.options`.

    Raises TraceError for a trace that cannot be read, TargetError for a server that does not answer,
    ValueError for invalid options.
    """
    chosen = options(**how)
    with open_trace(trace, patch_type=patch_type or STRATEGIC_MERGE_PATCH) as reader:
        if url is not None:
            return run(replay_trace(reader, target_of_url(url, token=token), chosen))
        with FakeAPI(release=release or reader.header.release or None, feature_gates=feature_gates) as server:
            return replay_on(server, reader, chosen)
