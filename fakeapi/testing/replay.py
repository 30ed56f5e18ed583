"""Replays a trace from Python, against a new server in this process or against any other server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

from fakeapi.clients.target import target_of_url
from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.testing.replaying import ReplayOptions, options, replay_on, run
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
    **how: Unpack[ReplayOptions],
) -> Report:
    """Sends the requests of a recorded trace again, and reports where the responses differ.

        report = fakeapi.replay("session.jsonl.gz")
        assert report.ok, report

    - `trace`: a file in fakeapi's own format, a Kubernetes audit log, or HAR.
    - `url`: the server to send the requests to; None starts a new server in this process.
    - `token`: the bearer token for the server at `url`.
    - `release`: the Kubernetes release of the new server; None for the release of the trace.
    - `feature_gates`: the feature gates of the new server.
    - `patch_type`: the media type of patches in audit logs that lack it; None for strategic merge patches.
    - `how`: the options of `fakeapi.testing.replaying.options`, such as `order` and `ignore`.

    Raises TraceError for a trace that cannot be read, and TargetError for a server that does not respond.
    Raises StartError if the new server cannot start, and ValueError for invalid options.
    """
    chosen = options(**how)
    with open_trace(trace, patch_type=patch_type or STRATEGIC_MERGE_PATCH) as reader:
        if url is not None:
            return run(replay_trace(reader, target_of_url(url, token=token), chosen))
        with FakeAPI(release=release or reader.header.release or None, feature_gates=feature_gates) as server:
            return replay_on(server, reader, chosen)
