"""The recorder writes a server's requests and responses unchanged, but without credentials."""

import asyncio
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.testing.server import StartError
from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.messages import BODY_MAX
from fakeapi.traces.model import Exchange, Gap, TraceError
from fakeapi.traces.recording import recording
from fakeapi.traces.recording.middleware import Recorder
from fakeapi.traces.recording.recording import Recording
from tests.traces.samples import gaps
from tests.traces.streams import CLAIMS, Watch, claim

Script = list[dict[str, Any]]
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]}


def body(data: bytes = b"", *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


class Scripted:
    """An ASGI application that reads the request and then sends prepared ASGI messages.

    `error`: an exception to raise after the messages; None to raise nothing.
    """

    def __init__(self, sends: Script, error: Exception | None = None, *, leaves: bool = False) -> None:
        self.sends = sends
        self.error = error
        self.leaves = leaves
        self.ended = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        for message in self.sends:
            await send(message)
        if self.leaves:
            await receive()
        if self.error is not None:
            raise self.error

    async def startup(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def reset(self) -> None: ...

    def end_watches(self) -> None:
        self.ended += 1


def recorded(
    path: Path,
    app: Scripted,
    *pieces: bytes,
    target: str = CLAIMS,
    headers: tuple[tuple[bytes, bytes], ...] = (),
) -> Exchange:
    """Sends one request to the application; returns the recorded request and response.

    `pieces`: the pieces of the request body; without pieces, the request is a GET.
    """
    keeping = Recording(path, source="fakeapi", server="test")
    recorder = Recorder(app)
    recorder.record(keeping)
    heard: Script = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    heard += [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return heard.pop(0)

    sent: Script = []

    async def send(message: Any) -> None:
        sent.append(message)

    raw, _, query = target.encode().partition(b"?")
    method = "POST" if pieces else "GET"
    scope = {"type": "http", "method": method, "raw_path": raw, "query_string": query, "headers": headers}
    try:
        asyncio.run(_call(recorder, scope, receive, send))
    except ValueError:
        assert app.error is not None
    assert sent == app.sends
    keeping.close()
    with open_trace(path) as reader:
        (exchange,) = reader
    return exchange


async def _call(recorder: Recorder, scope: Any, receive: Any, send: Any) -> None:
    await recorder(scope, receive, send)


def test_a_request_is_recorded_with_its_answer(tmp_path: Path) -> None:
    app = Scripted([START, body(b'{"b"', more=True), body(b":2}\n")])
    headers = ((b"User-Agent", b"me/1"), (b"content-length", b"7"))
    exchange = recorded(tmp_path / "t.jsonl", app, b'{"a"', b":1}", headers=headers)
    assert (exchange.request.method, exchange.request.target, exchange.request.body) == (
        "POST",
        CLAIMS,
        b'{"a":1}',
    )
    assert exchange.request.headers == (("user-agent", "me/1"),)
    assert exchange.response is not None
    assert (exchange.response.status, exchange.response.body) == (200, b'{"b":2}\n')
    assert (exchange.actor, exchange.events, exchange.ended, exchange.missing) == ("me", None, "", ())


@pytest.mark.parametrize(
    ("app", "ended"),
    [
        (Scripted([START, body(b"{}\n", more=True), body()]), "server"),
        (Scripted([START, body(b"{}\n", more=True)], leaves=True), "client"),
        (Scripted([START, body(b"{}\n", more=True)], ValueError()), "cut"),
    ],
)
def test_a_watch_tells_who_ended_it(tmp_path: Path, app: Scripted, ended: str) -> None:
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert exchange.ended == ended
    assert [event.line for event in exchange.events or ()] == [b"{}"]


def test_events_are_lines_however_they_are_cut_into_pieces(tmp_path: Path) -> None:
    pieces = [b'{"a":', b"1}\n{", b"}\n{}\n", b"{", b"}\n"]
    app = Scripted([START, *(body(piece, more=True) for piece in pieces), body()])
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert [event.line for event in exchange.events or ()] == [b'{"a":1}', b"{}", b"{}", b"{}"]
    offsets = [event.offset for event in exchange.events or ()]
    assert offsets == sorted(offsets)


def test_the_piece_before_a_cut_is_kept(tmp_path: Path) -> None:
    app = Scripted([START, body(b'{}\n{"typ', more=True)], ValueError())
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert [event.line for event in exchange.events or ()] == [b"{}", b'{"typ']


def test_a_protobuf_watch_is_recorded_by_frames(tmp_path: Path) -> None:
    start = {**START, "headers": [(b"content-type", b"application/vnd.kubernetes.protobuf;stream=watch")]}
    data = b"\0\0\0\3k\n8\0\0\0\1x"
    app = Scripted([start, body(data[:6], more=True), body(data[6:], more=True), body()])
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert [event.line for event in exchange.events or ()] == [b"k\n8", b"x"]


def test_bodies_are_recorded_without_their_gzip(tmp_path: Path) -> None:
    start = {**START, "headers": [(b"content-encoding", b"gzip")]}
    app = Scripted([start, body(gzip.compress(b'{"a":1}'))])
    exchange = recorded(
        tmp_path / "t.jsonl", app, gzip.compress(b'{"b":1}'), headers=((b"content-encoding", b"gzip"),)
    )
    assert exchange.response is not None
    assert (exchange.request.body, exchange.response.body) == (b'{"b":1}', b'{"a":1}')


def test_a_watch_in_gzip_is_recorded_line_by_line(tmp_path: Path) -> None:
    start = {**START, "headers": [(b"content-encoding", b"gzip")]}
    packer = zlib.compressobj(wbits=31)
    pieces = [packer.compress(line) + packer.flush(zlib.Z_SYNC_FLUSH) for line in (b'{"a":1}\n', b"{}\n")]
    app = Scripted([start, *(body(piece, more=True) for piece in pieces), body()])
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert [event.line for event in exchange.events or ()] == [b'{"a":1}', b"{}"]


@pytest.mark.parametrize(
    ("app", "missing"),
    [
        (Scripted([], ValueError()), "response (it did not come in time)"),
        (Scripted([START, body(b"{", more=True)], ValueError()), "the response's end"),
        (
            Scripted([{**START, "headers": [(b"content-encoding", b"br")]}, body(b"x")]),
            "response body (br cannot be decoded)",
        ),
    ],
)
def test_what_could_not_be_recorded_is_told(tmp_path: Path, app: Scripted, missing: str) -> None:
    assert gaps(recorded(tmp_path / "t.jsonl", app)) == (missing,)


def test_a_body_that_the_server_did_not_read_is_told(tmp_path: Path) -> None:
    app = Scripted([START, body()])
    exchange = recorded(tmp_path / "t.jsonl", app, headers=((b"content-length", b"5"),))
    assert gaps(exchange) == ("request body that the server did not read",)


def test_what_is_too_long_is_told_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "BODY_MAX", 10)
    app = Scripted([START, body(b"x" * 11)])
    exchange = recorded(tmp_path / "t.jsonl", app, b"y" * 11)
    assert set(gaps(exchange)) == {"request body (too long)", "response body (too long)"}
    app = Scripted([START, body(b'{"a":1}\n', more=True), body(b'{"b":1}\n', more=True), body()])
    exchange = recorded(tmp_path / "u.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert [event.line for event in exchange.events or ()] == [b'{"a":1}']
    assert gaps(exchange) == ("watch events (after the first 1, more than 0 MiB)",)


def test_a_bomb_is_recorded_as_too_long(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(BODY_MAX + 1))
    headers = [(b"content-encoding", b"gzip")]
    app = Scripted([{**START, "headers": headers}, body(bomb)])
    exchange = recorded(tmp_path / "t.jsonl", app, bomb, headers=tuple(headers))
    assert gaps(exchange) == ("request body (too long)", "response body (too long)")
    assert (exchange.request.body, exchange.response and exchange.response.body) == (b"", b"")


def test_a_bomb_in_a_watch_ends_its_events_and_not_the_recording(tmp_path: Path) -> None:
    bomb = gzip.compress(b'{"a":1}\n' + bytes(BODY_MAX))
    app = Scripted([{**START, "headers": [(b"content-encoding", b"gzip")]}, body(bomb, more=True), body()])
    exchange = recorded(tmp_path / "t.jsonl", app, target=f"{CLAIMS}?watch=1")
    assert exchange.lacks(Gap.WATCH_EVENTS)
    assert exchange.events == ()


def test_an_exchange_that_is_too_long_for_a_line_loses_its_bodies_and_not_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_lines, "LINE_MAX", 1000)
    app = Scripted([START, body(b'"' + b"x" * 1000 + b'"')])
    exchange = recorded(tmp_path / "t.jsonl", app, b"y" * 1000)
    assert gaps(exchange) == ("request body (too long)", "response body (too long)")
    assert exchange.response is not None
    assert exchange.response.status == 200


def test_a_body_of_control_characters_does_not_grow_sixfold(tmp_path: Path) -> None:
    data = bytes(100_000)
    exchange = recorded(tmp_path / "t.jsonl", Scripted([START, body(data)]))
    assert exchange.response is not None
    assert exchange.response.body == data
    assert (tmp_path / "t.jsonl").stat().st_size < 2 * len(data)


def test_ending_watches_leaves_them_open_in_the_recording(tmp_path: Path) -> None:
    keeping = Recording(tmp_path / "t.jsonl", source="fakeapi", server="")
    observed = keeping.begin("GET", f"{CLAIMS}?watch=1", ())
    observed.started(200, ())
    app = Scripted([])
    recorder = Recorder(app)
    recorder.record(keeping)
    recorder.end_watches()
    assert (len(keeping), app.ended) == (1, 1)
    keeping.close()
    with open_trace(tmp_path / "t.jsonl") as reader:
        assert [exchange.ended for exchange in reader] == ["open"]


def test_a_recorder_that_is_not_recording_is_the_application(tmp_path: Path) -> None:
    app = Scripted([START, body(b"{}")])
    sent: Script = []

    async def call() -> None:
        async def receive() -> Any:
            return {"type": "http.request"}

        async def send(message: Any) -> None:
            sent.append(message)

        await Recorder(app)({"type": "http"}, receive, send)

    asyncio.run(call())
    assert sent == app.sends


def test_a_full_disk_ends_the_recording_and_not_the_traffic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise TraceError("t", 0, "", "no space left")

    keeping = Recording(tmp_path / "t.jsonl", source="fakeapi", server="")
    monkeypatch.setattr(keeping._writer, "append", full)
    for _ in range(2):
        keeping.begin("GET", "/", ()).end("server")
    with pytest.raises(TraceError, match="no space left"):
        keeping.close()
    assert list(tmp_path.iterdir()) == []


def exchanges(path: Path) -> list[Exchange]:
    with open_trace(path) as reader:
        assert reader.header.source == "fakeapi"
        return list(reader)


def test_a_server_records_from_its_start_to_its_stop(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    with FakeAPI(release="1.31", record=path, token="s3cr3t") as api:
        created = api.create(claim("a"))
        with Watch(api.url, f"{CLAIMS}?watch=1", (b"authorization", b"Bearer s3cr3t")) as watch:
            assert json.loads(watch.line())["object"] == created
        assert not path.exists()
    recorded_exchanges = exchanges(path)
    post = next(exchange for exchange in recorded_exchanges if exchange.request.method == "POST")
    assert post.response is not None
    assert json.loads(post.response.body) == created
    (watched,) = (exchange for exchange in recorded_exchanges if exchange.events is not None)
    assert [json.loads(event.line)["type"] for event in watched.events or ()] == ["ADDED"]
    assert watched.actor == "watcher"
    assert b"s3cr3t" not in gzip.decompress(path.read_bytes())
    with open_trace(path) as reader:
        assert (reader.header.release, reader.header.redacted) == ("1.31", ("credentials",))


def test_a_part_of_the_traffic_can_be_recorded(fakeapi: FakeAPI, tmp_path: Path) -> None:
    fakeapi.create_namespace("before")
    fakeapi.start_recording(tmp_path / "t.jsonl", redact=["metadata.uid"])
    assert fakeapi.recording
    during = fakeapi.create_namespace("during")
    assert fakeapi.stop_recording() == tmp_path / "t.jsonl"
    fakeapi.create_namespace("after")
    assert not fakeapi.recording
    (exchange,) = exchanges(tmp_path / "t.jsonl")
    assert exchange.response is not None
    decoded = json.loads(exchange.response.body)
    assert decoded["metadata"]["uid"] == "redacted"
    assert decoded["metadata"]["resourceVersion"] == during["metadata"]["resourceVersion"]


def test_recording_twice_and_stopping_what_does_not_run_are_mistakes(
    fakeapi: FakeAPI, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match="not recording"):
        fakeapi.stop_recording()
    fakeapi.start_recording(tmp_path / "t.jsonl")
    with pytest.raises(RuntimeError, match="recording already"):
        fakeapi.start_recording(tmp_path / "u.jsonl")
    fakeapi.stop_recording()


def test_a_recording_ends_with_the_cluster_that_it_is_of(fakeapi: FakeAPI, tmp_path: Path) -> None:
    fakeapi.start_recording(tmp_path / "t.jsonl")
    fakeapi.create_namespace("a")
    renewed = fakeapi.renewed()
    assert not renewed.recording
    recorded_exchanges = exchanges(tmp_path / "t.jsonl")
    assert [each.request.method for each in recorded_exchanges if each.request.method != "GET"] == ["POST"]
    renewed.stop()


def test_a_server_that_cannot_record_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot be written: No such file or directory"):
        FakeAPI(record=tmp_path / "no" / "t.jsonl").start()
    with pytest.raises(ValueError, match="is not a field path"):
        FakeAPI(record=tmp_path / "t.jsonl", redact=["a..b"]).start()
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_cannot_start_leaves_no_recording(fakeapi: FakeAPI, tmp_path: Path) -> None:
    with pytest.raises(StartError):
        FakeAPI(record=tmp_path / "t.jsonl", port=fakeapi.port).start()
    with pytest.raises(StartError):
        FakeAPI(record=tmp_path / "t.jsonl", database=tmp_path).start()
    assert list(tmp_path.iterdir()) == []
