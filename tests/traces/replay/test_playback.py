"""A trace can be played as a live cluster: first its objects at a moment, then the later writes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.http import HttpClient
from fakeapi.testing.replaying import options, replay_on, target_of
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.playback import Playback, PlaybackSummary
from fakeapi.traces.replay.restore import InitialStateRestorer
from fakeapi.traces.reporting.results import RestoredObject
from tests.traces.sessions import RELEASE, changed, record
from tests.traces.streams import claim

LOG = Path(__file__).parents[3] / "fixtures" / "traces" / "audit-k8s1.31-v1alpha3.jsonl.gz"
PATIENCE_SECONDS = 20.0


def session(api: FakeAPI) -> None:
    created = api.create(claim("first"))
    created["metadata"]["labels"] = {"turn": "1"}
    api.update(created)
    generated = claim("")
    generated["metadata"] = {"generateName": "g-"}
    named = api.create(generated)
    api.delete("ResourceClaim", named["metadata"]["name"])
    api.create(claim("second"))


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("playback") / "t.jsonl", session)


def names(api: FakeAPI) -> list[str]:
    return [each["metadata"]["name"] for each in api.list("ResourceClaim")]


def moved(api: FakeAPI, trace: Path, at: float, speed: float = 0.0) -> PlaybackSummary:
    async def work() -> PlaybackSummary:
        with open_trace(trace) as reader:
            playback = Playback(reader, target_of(api))
            try:
                await playback.begin(at)
                if speed:
                    await playback.go_on(at, speed)
            finally:
                await playback.close()
            return playback.summary

    return asyncio.run(work())


def offsets(trace: Path) -> list[float]:
    with open_trace(trace) as reader:
        return [each.offset for each in reader if each.request.method != "GET"]


def test_the_state_is_that_of_the_moment(trace: Path) -> None:
    times = offsets(trace)
    with FakeAPI(release=RELEASE) as api:
        result = moved(api, trace, times[2])
        assert result.written == 3
        assert len(names(api)) == 2
        assert api.get("ResourceClaim", "first")["metadata"]["labels"] == {"turn": "1"}


def test_generated_names_are_those_of_the_trace(trace: Path) -> None:
    with open_trace(trace) as reader:
        answers = [each.response for each in reader if each.request.method == "POST"]
    recorded = {json.loads(each.body)["metadata"]["name"] for each in answers if each is not None}
    with FakeAPI(release=RELEASE) as api:
        moved(api, trace, offsets(trace)[2])
        assert set(names(api)) <= recorded


def test_what_comes_after_is_applied(trace: Path) -> None:
    with FakeAPI(release=RELEASE) as api:
        result = moved(api, trace, 0.0, speed=1000)
        assert names(api) == ["first", "second"]
        assert (result.written, result.failed.total()) == (5, 0)


def test_time_passes_at_the_chosen_speed(trace: Path) -> None:
    length = offsets(trace)[-1]
    with FakeAPI(release=RELEASE) as api:
        began = time.monotonic()
        moved(api, trace, 0.0, speed=length / 0.5)
        assert time.monotonic() - began >= 0.5


def test_others_may_write_and_the_recorded_write_comes_through(trace: Path) -> None:
    async def work(api: FakeAPI) -> PlaybackSummary:
        with open_trace(trace) as reader:
            playback = Playback(reader, target_of(api))
            try:
                await playback.begin(offsets(trace)[0])
                other = {"metadata": {"annotations": {"by": "another"}}}
                await asyncio.to_thread(api.patch, "ResourceClaim", "first", other)
                await playback.go_on(0.0, 1000)
            finally:
                await playback.close()
            return playback.summary

    with FakeAPI(release=RELEASE) as api:
        assert asyncio.run(work(api)).failed.total() == 0
        assert api.get("ResourceClaim", "first")["metadata"]["labels"] == {"turn": "1"}


def test_an_audit_log_is_a_cluster_too() -> None:
    with FakeAPI(release="1.31") as api:
        result = moved(api, LOG, 10.0)
        allocated = [each for each in api.list("ResourceClaim") if each["status"].get("allocation")]
        assert allocated
        assert api.list("Pod")
        assert not result.unserved


@pytest.fixture
def serving(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [
        sys.executable,
        "-m",
        "fakeapi",
        "serve",
        "--port",
        "0",
        "--from",
        str(LOG),
        "--speed",
        "1000000",
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, "--ready-file", str(tmp_path / "ready")],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as started:
        yield started
        started.kill()


def test_the_command_serves_a_trace_until_it_is_told_to_stop(
    serving: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    output: IO[str] | None = serving.stdout
    assert output is not None
    lines = iter(output.readline, "")
    assert next(lines).startswith("Serving Kubernetes 1.31 at http://127.0.0.1:")
    assert any(line.startswith("The trace has ended: 34 writes") for line in lines)
    assert (tmp_path / "ready").exists()
    serving.send_signal(signal.SIGTERM)
    assert serving.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--at", "3"], 2, "need --from"),
        (["--from", "/nowhere.jsonl"], 1, "No such file"),
        (["--from", str(Path(__file__))], 1, "is not a trace"),
    ],
)
def test_what_cannot_be_served_is_one_line(options: list[str], status: int, message: str) -> None:
    command = [sys.executable, "-m", "fakeapi", "serve", "--port", "0", *options]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert finished.returncode == status
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr


def sent_elsewhere(trace: Path, target: Path, old: str, new: str) -> Path:
    """Writes a copy of the trace in which `new` replaces `old` in URLs of POSTs; returns the copy's path."""

    def moved_there(exchange: Exchange) -> Exchange:
        request = exchange.request
        if request.method != "POST":
            return exchange
        return replace(exchange, request=replace(request, target=request.target.replace(old, new)))

    return changed(trace, target, moved_there)


@pytest.mark.parametrize("namespace", ["a b", "a\tb", "a\r\nb"])
def test_writes_that_are_no_requests_are_left_out_and_counted(
    trace: Path, tmp_path: Path, namespace: str
) -> None:
    other = sent_elsewhere(trace, tmp_path / "other.jsonl", "/default/", f"/{namespace}/")
    with FakeAPI(release=RELEASE) as api:
        result = moved(api, other, 0.0, speed=1000)
    assert result.unsendable == 3
    assert "3 not HTTP" in str(result)


def test_an_api_version_that_no_request_can_name_is_not_served(trace: Path, tmp_path: Path) -> None:
    other = sent_elsewhere(trace, tmp_path / "other.jsonl", "/resource.k8s.io/", "/a b/")
    with FakeAPI(release=RELEASE) as api:
        assert moved(api, other, 0.0, speed=1000).unserved.total() == 3
        with open_trace(other) as reader:
            report = replay_on(api, reader, options())
    assert sum(report.unserved.values()) == 3


def test_a_namespace_that_no_request_can_name_is_not_made() -> None:
    async def made(api: FakeAPI) -> list[RestoredObject]:
        client = HttpClient(target_of(api))
        try:
            restorer = InitialStateRestorer(client, IdentityMap(), frozenset({"/api/v1/namespaces"}))
            return await restorer.make_namespaces({"a b": "somewhere"})
        finally:
            await client.close()

    with FakeAPI(release=RELEASE) as api:
        assert asyncio.run(made(api)) == []
