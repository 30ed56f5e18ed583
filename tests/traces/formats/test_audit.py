"""Audit logs are converted to traces. Each trace lists the data that its audit log lacks."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.patch.media_types import MERGE_PATCH
from fakeapi.traces.formats import audit
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange, Inference, TraceError
from tests.installation import ROOT
from tests.traces.damage import complaint, damaged
from tests.traces.samples import gaps

LOGS = sorted((ROOT / "fixtures" / "traces").glob("audit-*.jsonl.gz"))
CLAIMS = "/apis/resource.k8s.io/v1alpha3/namespaces/d/resourceclaims"


def event(**fields: Any) -> dict[str, Any]:
    """Returns an event of kube-apiserver's audit log. `fields`: fields to add or replace."""
    return {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "RequestResponse",
        "auditID": "a",
        "stage": "ResponseComplete",
        "requestURI": CLAIMS,
        "verb": "list",
        "user": {"username": "me"},
        "userAgent": "kubectl/v1",
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": "2026-11-20T19:50:49.743657Z",
        "stageTimestamp": "2026-11-20T19:50:50.243657Z",
        **fields,
    }


def log(path: Path, *events: Any) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return path


def exchanges(path: Path, **options: Any) -> list[Exchange]:
    with open_trace(path, **options) as reader:
        assert reader.format == "audit"
        return list(reader)


def only(tmp_path: Path, *events: Any, **options: Any) -> Exchange:
    (exchange,) = exchanges(log(tmp_path / "a.log", *events), **options)
    return exchange


def failure(path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        exchanges(path)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_real_log_becomes_one_exchange_for_each_request(path: Path) -> None:
    events = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    recorded_exchanges = exchanges(path)
    assert len(recorded_exchanges) == len({each["auditID"] for each in events})
    assert [exchange.offset for exchange in recorded_exchanges] == sorted(
        exchange.offset for exchange in recorded_exchanges
    )
    assert recorded_exchanges[0].offset == 0.0
    with open_trace(path) as reader:
        assert reader.header.release == path.name[len("audit-k8s") :][:4]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_all_that_a_real_log_has_is_in_the_trace(path: Path) -> None:
    lines = gzip.decompress(path.read_bytes()).splitlines()
    places = {exchange.place: exchange for exchange in exchanges(path)}
    for number, line in enumerate(lines, 1):
        decoded = json.loads(line)
        exchange = places.get(f"{path}:{number}")
        if exchange is None:  # the next stage of a watch, which is not a new exchange
            assert decoded["verb"] == "watch"
            continue
        assert exchange.request.target == decoded["requestURI"]
        assert exchange.response is not None
        assert exchange.response.status == decoded["responseStatus"]["code"]
        for body, field in (
            (exchange.request.body, "requestObject"),
            (exchange.response.body, "responseObject"),
        ):
            assert (json.loads(body) if body else None) == decoded.get(field)
        assert (exchange.events is not None) == (decoded["verb"] == "watch")


def test_every_patch_of_the_real_logs_tells_how_its_type_was_found() -> None:
    found = [
        inferred
        for path in LOGS
        for exchange in exchanges(path)
        if exchange.request.method == "PATCH"
        for inferred in exchange.inferred
    ]
    assert len(found) == 40
    assert {str(each).partition(" (")[0] for each in found} == {"patch type: apply", "patch type: strategic"}


def test_the_patch_that_adds_to_a_list_is_known_to_be_strategic() -> None:
    path = next(path for path in LOGS if "1.30" in path.name)
    sure = [
        exchange
        for exchange in exchanges(path, patch_type=MERGE_PATCH)
        if ("content-type", "application/strategic-merge-patch+json") in exchange.request.headers
    ]
    assert [json.loads(each.request.body)["status"]["reservedFor"][0]["name"] for each in sure] == ["p3"]


def test_a_complete_event_misses_headers_alone(tmp_path: Path) -> None:
    obj = {"kind": "ResourceClaim", "metadata": {"uid": "u", "managedFields": []}}
    exchange = only(tmp_path, event(verb="create", requestObject={"a": 1}, responseObject=obj))
    assert gaps(exchange) == ("headers",)
    assert exchange.request.method == "POST"
    assert (exchange.actor, exchange.duration) == ("kubectl (me)", 0.5)
    assert exchange.request.headers == (("user-agent", "kubectl/v1"), ("content-type", "application/json"))


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"level": "Request", "verb": "create", "requestObject": {}}, ("headers", "response body")),
        ({"level": "Metadata", "verb": "create"}, ("headers", "response body", "request body")),
        ({"level": "Metadata"}, ("headers", "response body")),
        (
            {"level": "Metadata", "verb": "delete"},
            ("headers", "response body", "request body, if there was one"),
        ),
        (
            {"annotations": {"audit.k8s.io/truncated": "true"}},
            ("headers", "bodies (the audit log truncated them)", "response body"),
        ),
        (
            {"responseObject": {"metadata": {"uid": "u"}}},
            ("headers", "managedFields, if there were any"),
        ),
        ({"verb": "watch"}, ("headers", "watch events")),
        ({"responseStatus": None, "stage": "RequestReceived"}, ("headers", "response")),
    ],
)
def test_what_an_event_lacks_is_told(
    tmp_path: Path, fields: dict[str, Any], missing: tuple[str, ...]
) -> None:
    assert gaps(only(tmp_path, event(**fields))) == missing


def test_a_failure_is_answered_with_its_status_at_any_level(tmp_path: Path) -> None:
    status = {"metadata": {}, "status": "Failure", "message": "no", "reason": "NotFound", "code": 404}
    exchange = only(tmp_path, event(level="Metadata", verb="get", responseStatus=status))
    assert exchange.response is not None
    assert json.loads(exchange.response.body) == {"kind": "Status", "apiVersion": "v1", **status}
    assert tuple(map(str, exchange.inferred)) == ("response body: from responseStatus",)


def test_the_stages_of_a_request_are_one_exchange(tmp_path: Path) -> None:
    begun = {"stageTimestamp": "2026-11-20T19:50:49.743657Z"}
    path = log(
        tmp_path / "a.log",
        event(stage="RequestReceived", responseStatus=None, verb="watch", **begun),
        event(stage="ResponseStarted", verb="watch", **begun),
        event(auditID="b", requestReceivedTimestamp="2026-11-20T19:50:49.843657Z"),
        event(verb="watch"),
    )
    first, second = exchanges(path)
    assert (first.request.target, first.ended, first.duration, first.events) == (CLAIMS, "client", 0.5, ())
    assert second.offset == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("query", "seconds", "ended"),
    [("", 1, "client"), ("timeoutSeconds=2", 1, "client"), ("timeoutSeconds=1", 1, "server")],
)
def test_who_ended_a_watch_is_inferred_from_its_time(
    tmp_path: Path, query: str, seconds: int, ended: str
) -> None:
    exchange = only(
        tmp_path,
        event(
            verb="watch",
            requestURI=f"{CLAIMS}?watch=true&{query}",
            stageTimestamp=f"2026-11-20T19:50:{49 + seconds}.75Z",
        ),
    )
    assert exchange.ended == ended
    assert exchange.infers(Inference.WATCH_END)


def test_a_watch_without_an_end_is_open(tmp_path: Path) -> None:
    assert only(tmp_path, event(verb="watch", stage="ResponseStarted")).ended == "open"


def test_a_refused_watch_is_no_stream(tmp_path: Path) -> None:
    assert only(tmp_path, event(verb="watch", responseStatus={"code": 410})).events is None


def test_an_impersonating_client_is_recorded_as_one(tmp_path: Path) -> None:
    exchange = only(tmp_path, event(impersonatedUser={"username": "you", "groups": ["g"]}))
    assert exchange.actor == "kubectl (you)"
    assert exchange.request.headers[1:] == (("impersonate-user", "you"), ("impersonate-group", "g"))


def test_a_list_of_events_is_read(tmp_path: Path) -> None:
    whole = {"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [event(), event(auditID="b")]}
    assert len(exchanges(log(tmp_path / "a.log", whole))) == 2


def test_requests_that_never_end_are_remembered_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "OPEN_MAX", 2)
    begun = [event(auditID=str(number), stage="RequestReceived", responseStatus=None) for number in range(5)]
    assert [each.response for each in exchanges(log(tmp_path / "a.log", *begun))] == [None] * 5


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (
            event(apiVersion="audit.k8s.io/v1beta1"),
            ":2: apiVersion: audit.k8s.io/v1beta1 is not supported, only audit.k8s.io/v1",
        ),
        ({"kind": "Pod", "apiVersion": "v1"}, ":2: kind: is not that of an audit Event: v1 Pod"),
        ({}, ":2: kind: is not that of an audit Event: without a kind"),
        (event(level="All"), ":2: level: Invalid enum value 'All'"),
        (event(responseStatus={"code": 7}), ":2: responseStatus.code: 7 is not an HTTP status"),
        (event(responseStatus={"code": "x"}), ":2: responseStatus.code: Expected `int`, got `str`"),
        (
            event(requestReceivedTimestamp="now"),
            ":2: requestReceivedTimestamp: is not an RFC 3339 time: 'now'",
        ),
        (event(user=3), ":2: user: Expected `object`, got `int`"),
        ([], ":2: Expected `object`, got `array`"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_field(tmp_path: Path, second: Any, problem: str) -> None:
    assert failure(log(tmp_path / "a.log", event(auditID="first"), second)) == problem


def test_a_line_cut_short_is_told(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log", event(), event())
    path.write_bytes(path.read_bytes()[:-30])
    assert failure(path) == ":2: ends in the middle of its JSON: the file was cut short"


def test_a_gzip_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / LOGS[0].name
    path.write_bytes(LOGS[0].read_bytes()[:-2_000])
    assert "cut short" in failure(path)


@given(data=st.data())
@settings(max_examples=150)
def test_no_damage_ends_in_anything_but_a_trace_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = json.dumps(event(verb="patch", requestObject={"a": 1}, responseObject={"a": 1})).encode()
    path = tmp_path_factory.getbasetemp() / "damaged.log"
    path.write_bytes(data.draw(damaged(whole)))
    message = complaint(path)
    assert message is None or message.startswith(str(path))
