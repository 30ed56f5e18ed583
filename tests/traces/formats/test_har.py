"""HAR files of any program can be read. A trace stays the same when converted to HAR and back."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.traces.formats.har import write_har
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange, TraceError
from tests.installation import ROOT
from tests.traces.damage import complaint, damaged
from tests.traces.samples import EXCHANGES, HEADER, gaps, read

LOGS = sorted((ROOT / "fixtures" / "traces").glob("audit-*.jsonl.gz"))


def entry(**fields: Any) -> dict[str, Any]:
    """Returns an entry of a HAR file as a browser writes it. `fields`: fields to add or replace."""
    return {
        "startedDateTime": "2026-11-20T19:49:18.902Z",
        "time": 12.5,
        "request": {
            "method": "GET",
            "url": "https://10.0.0.1:6443/api/v1/namespaces?limit=5#top",
            "httpVersion": "h2",
            "headers": [{"name": ":authority", "value": "x"}, {"name": "User-Agent", "value": "Browser/1"}],
            "cookies": [],
        },
        "response": {
            "status": 200,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
        },
        "cache": {},
        **fields,
    }


def har(path: Path, *entries: Any, indent: int | None = 2) -> Path:
    whole = {
        "log": {"version": "1.2", "creator": {"name": "B", "version": "1"}, "pages": [], "entries": entries}
    }
    path.write_text(json.dumps(whole, indent=indent), encoding="utf-8")
    return path


def exchanges(path: Path) -> list[Exchange]:
    with open_trace(path) as reader:
        assert reader.format == "har"
        return list(reader)


def failure(path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        exchanges(path)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("name", ["t.har", "t.har.gz"])
def test_a_trace_comes_back_from_har_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_har(path, HEADER, EXCHANGES) == len(EXCHANGES)
    assert read(path) == list(EXCHANGES)
    with open_trace(path) as reader:
        assert reader.header == HEADER


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_an_audit_log_comes_back_from_har_as_it_was(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "t.har"
    with open_trace(log) as reader:
        write_har(path, reader.header, reader)
        assert read(path) == [replace(exchange, place="") for exchange in reader]


def test_what_is_written_has_what_har_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "t.har"
    write_har(path, HEADER, EXCHANGES)
    log = json.loads(path.read_text(encoding="utf-8"))["log"]
    assert (log["version"], log["creator"]["name"]) == ("1.2", "fakeapi")
    for each in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(each)
        assert {"method", "url", "httpVersion", "cookies", "headers", "queryString"} <= set(each["request"])
        assert {"status", "statusText", "cookies", "headers", "content", "redirectURL"} <= set(
            each["response"]
        )
        assert {"size", "mimeType"} <= set(each["response"]["content"])


@pytest.mark.parametrize("indent", [None, 2])
def test_har_of_a_browser_is_read(tmp_path: Path, indent: int | None) -> None:
    (exchange,) = exchanges(har(tmp_path / "b.har", entry(), indent=indent))
    assert (exchange.request.method, exchange.request.target) == ("GET", "/api/v1/namespaces?limit=5")
    assert exchange.request.headers == (("user-agent", "Browser/1"),)
    assert exchange.response is not None
    assert (exchange.response.status, exchange.response.body) == (200, b"{}")
    assert (exchange.actor, exchange.offset, exchange.duration) == ("Browser", 0.0, 0.0125)


def test_an_exchange_knows_its_line(tmp_path: Path) -> None:
    path = har(tmp_path / "b.har", entry(), entry())
    lines = path.read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line == "      {"]
    assert [each.place for each in exchanges(path)] == [f"{path}:{number}" for number in starts]


def test_entries_are_sorted_by_their_time(tmp_path: Path) -> None:
    late = entry(startedDateTime="2026-11-20T20:49:20.902+01:00")
    first, second = exchanges(har(tmp_path / "b.har", late, entry()))
    assert second.offset == pytest.approx(2.0)
    assert first.id > second.id


def test_a_watch_has_its_lines_as_events_and_says_that_their_times_are_missing(tmp_path: Path) -> None:
    request = {"method": "get", "url": "http://h/api/v1/pods?watch=1", "headers": []}
    content = {"text": base64.b64encode(b'{"a":1}\n{"b":2}\n').decode(), "encoding": "base64"}
    answer = {"status": 200, "headers": [], "content": content}
    (exchange,) = exchanges(har(tmp_path / "b.har", entry(request=request, response=answer)))
    assert [event.line for event in exchange.events or ()] == [b'{"a":1}', b'{"b":2}']
    assert gaps(exchange) == ("times of watch events",)


def test_an_entry_without_an_answer_has_no_response(tmp_path: Path) -> None:
    (exchange,) = exchanges(
        har(tmp_path / "b.har", entry(response={"status": 0, "headers": [], "content": {}}))
    )
    assert (exchange.response, gaps(exchange)) == (None, ("response",))


def test_what_is_not_for_kubernetes_is_left_out_and_counted(tmp_path: Path) -> None:
    other = entry(request={"method": "GET", "url": "https://example.com/logo.png", "headers": []})
    with open_trace(har(tmp_path / "b.har", other, entry(), other)) as reader:
        assert len(list(reader)) == 1
        assert reader.header.note == "2 requests to other servers than Kubernetes were left out"


def test_a_recording_of_something_else_is_refused(tmp_path: Path) -> None:
    other = entry(request={"method": "GET", "url": "https://example.com/", "headers": []})
    assert failure(har(tmp_path / "b.har", other)) == ": contains no request to Kubernetes"


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (entry(startedDateTime="now"), ":6: startedDateTime: is not an RFC 3339 time: 'now'"),
        (
            entry(startedDateTime="2026-11-20T19:49:18"),
            ":6: startedDateTime: is a time without a time zone: '2026-11-20T19:49:18'",
        ),
        (entry(request={"method": "GET"}), ":6: request: Object missing required field `url`"),
        (entry(response={"status": "many"}), ":6: response.status: Expected `int`, got `str`"),
        (entry(response={"status": 20, "content": {}}), ":6: response.status: 20 is not an HTTP status"),
        (
            entry(response={"status": 200, "content": {"text": "?", "encoding": "base64"}}),
            ":6: response.content.text: is not base64: Only base64 data is allowed",
        ),
        (
            entry(_exchange={"id": 1, "offset": -1, "actor": "", "duration": 0}),
            ":6: _exchange.offset: Expected `float` >= 0.0",
        ),
        (
            entry(_exchange={"id": 1, "offset": 1, "actor": "", "duration": 0, "times": [1], "lengths": []}),
            ":6: _exchange.times: a watch needs a response, `ended`, and as many lengths as times",
        ),
        (
            entry(
                response={
                    "status": 200,
                    "content": {"text": "{}"},
                    "headers": [{"name": "a", "value": "\ud800"}],
                }
            ),
            ":6: JSON is malformed: unexpected end of hex escape (byte 483)",
        ),
        ("text", ":6: Expected `object`, got `str`"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_field(tmp_path: Path, bad: Any, problem: str) -> None:
    path = tmp_path / "b.har"
    har(path, bad, indent=None)
    text = path.read_text().replace('"entries": [', '\n\n\n\n\n"entries": [')
    path.write_text(text)
    assert failure(path) == problem


@pytest.mark.parametrize("keep", [30, 200, 500, -1])
def test_a_file_cut_short_is_told(tmp_path: Path, keep: int) -> None:
    path = har(tmp_path / "b.har", entry())
    path.write_bytes(path.read_bytes()[:keep])
    assert "cut short" in failure(path)


def test_a_mistake_in_the_json_is_told_with_its_line(tmp_path: Path) -> None:
    path = har(tmp_path / "b.har", entry())
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:12], "oops\n", *lines[12:]]))
    assert failure(path).startswith(":13: ")


def test_a_long_file_needs_the_memory_of_an_entry(tmp_path: Path) -> None:
    path = har(tmp_path / "b.har", *[entry() for _ in range(2_000)], indent=None)
    assert len(exchanges(path)) == 2_000


def test_an_error_while_writing_leaves_nothing(tmp_path: Path) -> None:
    def failing() -> Any:
        yield EXCHANGES[0]
        raise TraceError("x", 1, "", "cut")

    with pytest.raises(TraceError):
        write_har(tmp_path / "t.har", HEADER, failing())
    assert list(tmp_path.iterdir()) == []


@given(data=st.data())
@settings(max_examples=150)
def test_no_damage_ends_in_anything_but_a_trace_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.har"
    write_har(path, HEADER, EXCHANGES[1:3] + EXCHANGES[-3:])
    whole = path.read_bytes()
    path.write_bytes(data.draw(damaged(whole)))
    message = complaint(path)
    assert message is None or message.startswith(str(path))


def test_a_file_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = har(tmp_path / "b.har", entry())
    monkeypatch.setattr("fakeapi.traces.formats.har.HAR_MAX", path.stat().st_size - 1)
    assert "more than a HAR file may have" in failure(path)
