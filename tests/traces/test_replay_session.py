"""The replay of a recorded session finds no differences, unless the trace was changed."""

import asyncio
import json
import os
import subprocess
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fakeapi
from fakeapi import FakeAPI
from fakeapi.clients.messages import Response
from fakeapi.machinery.schema import protobuf
from fakeapi.releases.release import kinds_of_release
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.messages import PROTOBUF
from fakeapi.traces.model import Exchange, Request, StreamEvent
from fakeapi.traces.replay import replay
from fakeapi.traces.replay.options import ORDERS, Order
from tests.clients.kubectl import KUBECTL, needs_kubectl
from tests.traces.protobuf import envelope
from tests.traces.samples import plain, written
from tests.traces.sessions import RELEASE, changed, generated, method, play, record, with_answer
from tests.traces.streams import CLAIMS, Watch, claim


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("session") / "session.jsonl.gz")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("strict", [False, True])
def test_a_recorded_session_replays_without_a_divergence_in_every_order(
    session: Path, order: Order, *, strict: bool
) -> None:
    report = fakeapi.replay(session, order=order, strict=strict)
    assert report.ok, report
    assert not report.divergent
    assert report.same == report.replayed == report.exchanges > 25
    assert report.watches == 1
    assert report.events == 21


def test_replaying_twice_gives_the_same_report(session: Path, tmp_path: Path) -> None:
    def relabel(exchange: Exchange) -> Exchange:
        if method(exchange) != "PATCH":
            return exchange
        return with_answer(exchange, lambda value: value["metadata"].update(labels={"never": "set"}))

    other = changed(session, tmp_path / "other.jsonl", relabel)
    first, second = (fakeapi.replay(other, release=RELEASE) for _ in range(2))
    assert first.divergent == 3
    assert first.to_dict() == second.to_dict()
    assert str(first) == str(second)


def test_a_trace_replays_against_a_url_and_against_a_running_server(session: Path) -> None:
    with FakeAPI(release=RELEASE, token="secret") as api:
        assert fakeapi.replay(session, url=api.url, token="secret").same > 25
        api.reset()
        assert not api.replay(session).divergent


def test_a_trace_replays_over_tls(session: Path) -> None:
    with FakeAPI(release=RELEASE, tls=True) as api:
        report = api.replay(session)
    assert not report.divergent
    assert report.watches == 1


def test_a_replay_may_be_asked_for_while_a_loop_is_running(session: Path) -> None:
    async def ask() -> bool:
        return fakeapi.replay(session).ok

    assert asyncio.run(ask())


def test_generated_names_may_be_kept(session: Path) -> None:
    with FakeAPI(release=RELEASE) as api:
        report = api.replay(session, keep_names=True, until=_offset_of_first_delete(session))
        recorded = _names_in(session)
        assert not report.divergent
        assert {item["metadata"]["name"] for item in api.list("ResourceClaim")} <= recorded


def _offset_of_first_delete(path: Path) -> float:
    with open_trace(path) as reader:
        return next(each.offset for each in reader if method(each) == "DELETE") - 1e-6


def _names_in(path: Path) -> set[str]:
    with open_trace(path) as reader:
        posts = [each for each in reader if method(each) == "POST" and each.response is not None]
    return {json.loads(each.response.body)["metadata"]["name"] for each in posts if each.response}


def test_nothing_is_sent_after_until(session: Path) -> None:
    report = fakeapi.replay(session, until=0.0)
    assert report.exchanges <= 1
    assert report.replayed == report.exchanges


@pytest.mark.parametrize(
    ("change", "kind", "path"),
    [
        (lambda value: value["metadata"].update(labels={"a": "b"}), "field missing", "metadata.labels"),
        (lambda value: value["metadata"]["annotations"].pop("of"), "field missing", "metadata.annotations"),
        (lambda value: value["spec"]["devices"]["requests"].append({}), "value", "spec.devices.requests"),
        (lambda value: value["metadata"].update(uid="0" * 36), "value", "metadata.uid"),
    ],
)
def test_a_change_of_a_recorded_answer_is_the_divergence_that_is_found(
    session: Path, tmp_path: Path, change: Any, kind: str, path: str
) -> None:
    done: list[int] = []

    def once(exchange: Exchange) -> Exchange:
        if method(exchange) == "PATCH" and not done:
            done.append(exchange.id)
            return with_answer(exchange, change)
        return exchange

    report = fakeapi.replay(changed(session, tmp_path / "changed.jsonl", once))
    assert not report.ok
    assert report.first is not None
    assert report.first.id == done[0]
    differences = {(each.kind.replace("added", "missing"), each.path) for each in report.first.differences}
    assert any(each[0] == kind and each[1].startswith(path) for each in differences), differences
    assert report.first.context


def test_an_ignored_field_makes_no_divergence(session: Path, tmp_path: Path) -> None:
    def relabel(exchange: Exchange) -> Exchange:
        if method(exchange) == "PATCH":
            return with_answer(exchange, lambda value: value["metadata"].update(labels={"a": "b"}))
        return exchange

    other = changed(session, tmp_path / "other.jsonl", relabel)
    assert not fakeapi.replay(other).ok
    assert fakeapi.replay(other, ignore=["metadata.labels"]).ok


def test_another_status_is_told_with_both_messages(session: Path, tmp_path: Path) -> None:
    def accept(exchange: Exchange) -> Exchange:
        response = exchange.response
        if response is None or response.status != 409:
            return exchange
        return replace(exchange, response=replace(response, status=200))

    report = fakeapi.replay(changed(session, tmp_path / "accepted.jsonl", accept), stop_at_first=True)
    assert report.first is not None
    assert "409 Conflict" in report.first.now
    assert "object has been modified" in report.first.now
    assert report.stopped


def _watched(change: Any) -> Any:
    def apply(exchange: Exchange) -> Exchange:
        if exchange.events is None:
            return exchange
        return replace(exchange, events=change(exchange.events))

    return apply


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda events: (*events, replace(events[0])), "event missing"),
        (lambda events: events[:4] + events[5:], "event type"),
        (lambda events: (events[1], events[0], *events[2:]), "event order"),
        (
            lambda events: (
                replace(events[0], line=events[0].line.replace(b'"gpu"', b'"cpu"')),
                *events[1:],
            ),
            "value",
        ),
    ],
)
def test_watches_are_compared_event_for_event(session: Path, tmp_path: Path, change: Any, kind: str) -> None:
    report = fakeapi.replay(changed(session, tmp_path / "changed.jsonl", _watched(change)))
    assert report.divergent == 1
    assert kind in report.kinds, report.kinds


def test_events_after_the_client_left_are_no_divergence_unless_strict(session: Path, tmp_path: Path) -> None:
    shorter = changed(session, tmp_path / "short.jsonl", _watched(lambda events: events[:-1]))
    assert not fakeapi.replay(shorter).divergent
    assert fakeapi.replay(shorter, strict=True).kinds == {"event added": 1}


def test_bookmarks_are_not_compared(session: Path, tmp_path: Path) -> None:
    bookmark = StreamEvent(
        0.0,
        b'{"type":"BOOKMARK","object":{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1alpha3",'
        b'"metadata":{"resourceVersion":"99"}}}',
    )
    other = changed(session, tmp_path / "marked.jsonl", _watched(lambda events: (*events, bookmark)))
    assert not fakeapi.replay(other).divergent


def test_later_divergences_of_an_object_say_what_they_may_follow_from(session: Path, tmp_path: Path) -> None:
    def relabel(exchange: Exchange) -> Exchange:
        request = exchange.request
        body = request.body.replace(b'"labels": {', b'"labels": {"more": "than-sent", ')
        return replace(exchange, request=replace(request, body=body))

    report = fakeapi.replay(changed(session, tmp_path / "more.jsonl", relabel))
    first, *followers = [each for each in report.divergences if "/c0" in each.request]
    assert first.follows < 0
    assert [each.request.partition(" ")[0] for each in followers] == ["DELETE", "GET", "PUT"]
    assert {each.follows for each in followers} == {first.id}


@needs_kubectl
def test_kubectl_over_http_2_and_tls_replays_over_http_1_without_a_divergence(tmp_path: Path) -> None:
    manifest = tmp_path / "claim.json"
    manifest.write_text(json.dumps(claim("a")))
    with FakeAPI(release=RELEASE, tls=True) as api:
        environment = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": str(api.kubeconfig)}

        def kubectl(*arguments: str) -> None:
            subprocess.run([str(KUBECTL), *arguments], env=environment, check=True, capture_output=True)

        api.start_recording(tmp_path / "kubectl.jsonl")
        kubectl("apply", "-f", str(manifest))
        kubectl("get", "resourceclaims")
        kubectl("label", "resourceclaim", "a", "x=y")
        kubectl("apply", "--server-side", "--force-conflicts", "-f", str(manifest))
        kubectl("get", "resourceclaims", "-A", "-o", "yaml")
        kubectl("delete", "resourceclaim", "a")
        path = api.stop_recording()
    for order in ORDERS:
        report = fakeapi.replay(path, order=order)
        assert not report.divergent, report
        assert report.replayed > 10


def test_the_kubernetes_package_replays_without_a_divergence(tmp_path: Path) -> None:
    from kubernetes import client, watch

    def session(api: FakeAPI) -> None:
        configuration = client.Configuration()
        configuration.host = api.url
        with client.ApiClient(configuration) as connection:
            claims = client.CustomObjectsApi(connection)
            where = {
                "group": "resource.k8s.io",
                "version": "v1beta1",
                "namespace": "default",
                "plural": "resourceclaims",
            }
            body = claim("")
            body["apiVersion"] = "resource.k8s.io/v1beta1"
            body["metadata"] = {"generateName": "g-"}
            made = claims.create_namespaced_custom_object(**where, body=body)
            made["metadata"]["labels"] = {"a": "b"}
            name = made["metadata"]["name"]
            claims.replace_namespaced_custom_object(**where, name=name, body=made)
            with pytest.raises(client.ApiException, match="Conflict"):
                claims.replace_namespaced_custom_object(**where, name=name, body=made)
            stream = watch.Watch().stream(claims.list_namespaced_custom_object, **where, timeout_seconds=1)
            assert [event["type"] for event in stream] == ["ADDED"]
            claims.delete_namespaced_custom_object(**where, name=name)

    path = record(tmp_path / "python.jsonl", session)
    for order in ORDERS:
        report = fakeapi.replay(path, order=order)
        assert not report.divergent, report
        assert report.events == 1


def test_answers_in_yaml_are_compared_as_objects(tmp_path: Path) -> None:
    def session(api: FakeAPI) -> None:
        for accept in ("application/yaml", "application/json"):
            request = urllib.request.Request(api.url + CLAIMS, headers={"Accept": accept})
            urllib.request.urlopen(request).close()
            api.create(generated("g-"))

    report = fakeapi.replay(record(tmp_path / "yaml.jsonl", session))
    assert not report.divergent, report


def protobuf_session(api: FakeAPI) -> None:
    """Creates and updates claims as protobuf like client-go.

    Each claim also gets an update with a conflict.
    """

    def send(method: str, path: str, obj: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": PROTOBUF, "Accept": f"{PROTOBUF},application/json"}
        asked = urllib.request.Request(api.url + path, envelope(obj, RELEASE), headers, method=method)
        with urllib.request.urlopen(asked) as response:
            assert response.headers["content-type"] == PROTOBUF
            kind, api_version, raw = protobuf.unwrap(response.read())
        schema = kinds_of_release(RELEASE).type_of(api_version, kind)
        assert schema is not None
        return {"kind": kind, "apiVersion": api_version, **protobuf.decode(raw, schema)}

    for name in ("a", "b"):
        answer = send("POST", CLAIMS, claim(name))
        answer["metadata"]["labels"] = {"owner": answer["metadata"]["uid"]}
        send("PUT", f"{CLAIMS}/{name}", answer)
        with pytest.raises(urllib.error.HTTPError) as refused:
            send("PUT", f"{CLAIMS}/{name}", answer)
        with refused.value as conflict:
            assert conflict.code == 409
    api.list("ResourceClaim")


def test_a_session_in_protobuf_replays_without_a_divergence(tmp_path: Path) -> None:
    path = record(tmp_path / "protobuf.jsonl", protobuf_session)
    for order in ORDERS:
        report = fakeapi.replay(path, order=order)
        assert not report.divergent, report
        assert not report.uncompared
        assert report.same == report.replayed == report.exchanges >= 7


def test_objects_of_which_a_trace_shows_metadata_alone_explain_what_differs(tmp_path: Path) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

    def get(api: FakeAPI, path: str) -> None:
        urllib.request.urlopen(urllib.request.Request(api.url + path, headers={"Accept": table})).close()

    with FakeAPI(release=RELEASE) as api:
        api.create_namespace("early")
        for name in ("a", "b"):
            api.create(claim(name))
        api.start_recording(tmp_path / "t.jsonl")
        get(api, "/api/v1/namespaces")
        get(api, CLAIMS)
        get(api, f"{CLAIMS}/a")
        api.get("ResourceClaim", "b")
        api.create(claim("c"))
        get(api, CLAIMS)
        path = api.stop_recording()
    report = fakeapi.replay(path)
    assert report.ok, report
    assert report.explanations["an object before the trace is known by its metadata alone"] == 3
    lines = [str(each) for each in report.seeded]
    assert any(each.startswith("namespaces early") and "could not" not in each for each in lines), lines
    assert any(each.startswith("resourceclaims default/a: first listed in a Table") for each in lines), lines
    assert any(each.startswith("resourceclaims default/b: first read at") for each in lines), lines


def test_a_table_with_whole_objects_creates_them(tmp_path: Path) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    with FakeAPI(release=RELEASE) as api:
        api.create(claim("a"))
        api.start_recording(tmp_path / "t.jsonl")
        asked = urllib.request.Request(f"{api.url}{CLAIMS}?includeObject=Object", headers={"Accept": table})
        urllib.request.urlopen(asked).close()
        path = api.stop_recording()
    report = fakeapi.replay(path)
    assert not report.divergent, report
    assert [each.exact for each in report.seeded] == [True]


def test_a_watch_that_was_refused_and_is_not_any_more_is_a_divergence(session: Path, tmp_path: Path) -> None:
    refused = Response(
        403, (("content-type", "application/json"),), b'{"kind":"Status","reason":"Forbidden"}'
    )

    def refuse(exchange: Exchange) -> Exchange:
        if exchange.events is None:
            return exchange
        return replace(exchange, response=refused, events=None, ended="")

    report = fakeapi.replay(changed(session, tmp_path / "refused.jsonl", refuse))
    assert report.divergent == report.explained == 1
    assert report.first is not None
    assert "403 Forbidden" in report.first.recorded


def test_what_began_before_the_recording_is_made_first(tmp_path: Path) -> None:
    with FakeAPI(release=RELEASE) as api:
        api.create_namespace("elsewhere")
        api.create(claim("early"), namespace="elsewhere")
        other = api.create(claim("held"))
        other["metadata"]["finalizers"] = ["example.com/held"]
        api.update(other)
        api.delete("ResourceClaim", "held")
        api.start_recording(tmp_path / "late.jsonl")
        api.get("ResourceClaim", "early", namespace="elsewhere")
        api.get("ResourceClaim", "held")
        api.list("ResourceClaim")
        api.create(claim("new"), namespace="elsewhere")
        api.patch("ResourceClaim", "early", {"metadata": {"labels": {"a": "b"}}}, namespace="elsewhere")
        with Watch(api.url, f"{CLAIMS}?watch=true") as watch:
            watch.line()
        path = api.stop_recording()
    report = fakeapi.replay(path)
    assert report.ok, report
    assert not report.divergent, report
    lines = [str(each) for each in report.seeded]
    assert any(each.startswith("namespaces elsewhere: first used at") for each in lines), lines
    assert any(each.startswith("resourceclaims elsewhere/early: first read at") for each in lines), lines
    assert not fakeapi.replay(path, seed=False).ok


def test_an_object_that_is_first_updated_is_inferred_and_its_differences_are_explained(
    tmp_path: Path,
) -> None:
    with FakeAPI(release=RELEASE) as api:
        early = api.create(claim("early"))
        early["metadata"]["labels"] = {"a": "b"}
        api.start_recording(tmp_path / "late.jsonl")
        api.update(early)
        api.get("ResourceClaim", "early")
        path = api.stop_recording()
    report = fakeapi.replay(path)
    assert report.ok, report
    assert not report.seeded[0].exact
    assert report.explained == report.divergent


def test_what_others_wrote_is_explained(tmp_path: Path, session: Path) -> None:
    # A proxy records only one client. Writes of other clients are visible only in responses.
    with FakeAPI(release=RELEASE) as api:
        api.start_recording(tmp_path / "all.jsonl")
        created = api.create(claim("shared"))
        created["metadata"]["labels"] = {"by": "another"}
        api.update(created)
        api.get("ResourceClaim", "shared")
        path = api.stop_recording()
    alone = changed(path, tmp_path / "alone.jsonl", lambda each: None if method(each) == "PUT" else each)
    report = fakeapi.replay(alone)
    assert report.divergent == report.explained == 1
    assert "not in the trace" in str(report.divergences[0].explanation)
    assert report.ok
    assert not fakeapi.replay(alone, strict=True).ok


SMUGGLED = "\r\nHost: x\r\n\r\nDELETE /api/v1/namespaces/default HTTP/1.1\r\nHost: y"


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET / HTTP/1.1\r\nX: y\r\n\r\nDELETE", "/api/v1/namespaces"),
        Request("GET", f"/api/v1/namespaces HTTP/1.1{SMUGGLED}"),
        Request("GET", "/api/v1/namespaces", (("x-a", f"1{SMUGGLED}"),)),
        Request("GET", "/api/v1/namespaces", (("x-a: b\r\nx-b", "1"),)),
        Request("GET", "/api/v1/namespaces?watch=1", (("x-a", f"1{SMUGGLED}"),)),
    ],
)
def test_a_trace_cannot_smuggle_a_second_request(tmp_path: Path, request_: Request) -> None:
    path = written(tmp_path / "t.jsonl", replace(plain(1), request=request_))
    with FakeAPI(release=RELEASE) as api:
        report = api.replay(path)
        assert api.get("Namespace", "default")["status"]["phase"] == "Active"
    not_sent = [why for why in report.uncompared if why.startswith("not sent")]
    assert not_sent or report.unserved
    assert "\r" not in str(report)


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/x", "@127.0.0.1:1/x", "//127.0.0.1:1/x"])
def test_a_trace_cannot_name_another_server(tmp_path: Path, target: str) -> None:
    path = written(tmp_path / "t.jsonl", replace(plain(1), request=Request("GET", target)))
    report = fakeapi.replay(path, release=RELEASE)
    assert report.replayed == 1
    assert target.startswith("//") or any(why.startswith("not sent") for why in report.uncompared)


@pytest.mark.parametrize(
    "how", [{"order": "backwards"}, {"speed": 0}, {"ignore": ["a..b"]}, {"url": "nowhere"}]
)
def test_options_without_sense_are_refused(session: Path, how: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"order|speed|path|URL"):
        fakeapi.replay(session, **how)


def test_play_is_a_session_with_everything_in_it(session: Path) -> None:
    assert play.__doc__
    with open_trace(session) as reader:
        exchanges = list(reader)
    assert {method(each) for each in exchanges} == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert any(each.response is not None and each.response.status == 409 for each in exchanges)


def test_a_number_of_actors_are_replayed_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "ACTORS_MAX", 2)
    perform = replay.Replayer._perform
    now = most = 0

    async def performed(self: replay.Replayer, step: Step) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        try:
            await perform(self, step)
        finally:
            now -= 1

    monkeypatch.setattr(replay.Replayer, "_perform", performed)
    request = Request("GET", "/version", (), b"")
    trace = written(
        tmp_path / "many.jsonl",
        *(Exchange(number, number / 1000, f"actor-{number}", request, None) for number in range(20)),
    )
    report = fakeapi.replay(trace, order="actors")
    assert (most, report.replayed) == (2, 20)


def test_an_openapi_document_of_another_release_is_not_a_divergence(tmp_path: Path) -> None:
    def read_document(api: FakeAPI) -> None:
        paths = json.loads(api.request("GET", "/openapi/v3"))["paths"]
        api.request("GET", paths["apis/apps/v1"]["serverRelativeURL"])

    trace = record(tmp_path / "a.jsonl", read_document, release="1.34")
    report = fakeapi.replay(trace, release="1.36")
    assert not report.divergent, report
    assert report.uncompared["discovery, version and health describe the server"] == 2
    assert fakeapi.replay(trace, release="1.36", strict=True).divergent == 2
