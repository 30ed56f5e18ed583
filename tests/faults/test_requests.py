"""Each fault has its effect on a request. The tests read raw bytes from the socket."""

import contextlib
import http.client
import json
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.clock.adjustable import AdjustableClock
from tests.faults.conftest import CLAIMS, Open, claim

LOCK = "the object has been modified; please apply your changes to the latest version and try again"


def refused(api: FakeAPI, method: str, path: str, body: Any = None) -> StatusError:
    with pytest.raises(StatusError) as caught:
        api.request(method, path, body)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "members", "method", "code", "reason", "message", "details"),
    [
        (
            "conflict",
            {},
            "PUT",
            409,
            "Conflict",
            f'Operation cannot be fulfilled on resourceclaims.resource.k8s.io "claim": {LOCK}',
            {"name": "claim", "group": "resource.k8s.io", "kind": "resourceclaims"},
        ),
        (
            "not_found",
            {},
            "GET",
            404,
            "NotFound",
            'resourceclaims.resource.k8s.io "claim" not found',
            {"name": "claim", "group": "resource.k8s.io", "kind": "resourceclaims"},
        ),
        (
            "invalid",
            {"field": "spec.devices", "value": "x", "message": "no"},
            "PUT",
            422,
            "Invalid",
            'ResourceClaim.resource.k8s.io "claim" is invalid: spec.devices: Invalid value: "x": no',
            {
                "name": "claim",
                "group": "resource.k8s.io",
                "kind": "ResourceClaim",
                "causes": [
                    {
                        "reason": "FieldValueInvalid",
                        "message": 'Invalid value: "x": no',
                        "field": "spec.devices",
                    }
                ],
            },
        ),
        ("internal_error", {}, "GET", 500, "", "etcdserver: request timed out", None),
        (
            "unavailable",
            {"retry_after": 3},
            "GET",
            503,
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
            {"retryAfterSeconds": 3},
        ),
        (
            "timeout",
            {},
            "GET",
            504,
            "Timeout",
            "Timeout: request did not complete within the allotted timeout",
            None,
        ),
        (
            "refuse",
            {"code": 418, "reason": "Teapot", "message": "{resource} {name} {kind}"},
            "GET",
            418,
            "Teapot",
            "resourceclaims.resource.k8s.io claim ResourceClaim.resource.k8s.io",
            {"name": "claim", "group": "resource.k8s.io", "kind": "resourceclaims"},
        ),
    ],
)
def test_a_refusal_is_a_status_in_the_words_of_kubernetes(
    api: FakeAPI,
    kind: str,
    members: dict[str, Any],
    method: str,
    code: int,
    reason: str,
    message: str,
    details: Any,
) -> None:
    api.create(claim())
    fault = getattr(api.faults, kind)("resourceclaims", times=1, **members)
    error = refused(api, method, f"{CLAIMS}/claim", claim() if method == "PUT" else None)
    assert (error.code, error.reason, error.message) == (code, reason, message)
    assert error.status.get("details") == details
    assert (fault.matched, fault.fired) == (1, 1)
    assert api.request("GET", f"{CLAIMS}/claim")["metadata"]["name"] == "claim"
    assert api.requests.filter(code=code)[-1].faults == (fault.name,)


def test_a_conflict_is_in_the_words_of_a_real_one(api: FakeAPI) -> None:
    stale = api.create(claim())
    api.update({**stale, "metadata": {**stale["metadata"], "labels": {"a": "b"}}})
    real = refused(api, "PUT", f"{CLAIMS}/claim", stale)
    api.faults.conflict("resourceclaims")
    assert refused(api, "PUT", f"{CLAIMS}/claim", stale).status == real.status


def test_what_is_forbidden_without_a_name_is_told_without_one(api: FakeAPI) -> None:
    api.faults.forbidden("list resourceclaims")
    message = refused(api, "GET", CLAIMS).message
    assert message == "resourceclaims.resource.k8s.io is forbidden: refused by a fault"


def test_a_webhook_that_times_out_is_in_the_words_of_a_real_one(api: FakeAPI) -> None:
    api.faults.webhook_timeout(
        "resourceclaims", webhook="w.example.com", url="https://s.ns.svc:443/v?timeout=1s"
    )
    error = refused(api, "POST", CLAIMS, claim())
    why = 'failed calling webhook "w.example.com": failed to call webhook: Post "https://s.ns.svc:443/v?timeout=1s"'
    assert error.message == f"Internal error occurred: {why}: context deadline exceeded"
    assert error.status["details"]["causes"] == [{"message": f"{why}: context deadline exceeded"}]


def test_a_throttled_request_is_answered_in_plain_text_with_the_time_to_wait(ask: Open, api: FakeAPI) -> None:
    api.faults.throttle("list resourceclaims", retry_after=2)
    response = ask("GET", CLAIMS)
    assert (response.status, response.getheader("Retry-After")) == (429, "2")
    assert response.read() == b"Too many requests, please try again later.\n"


def test_a_competing_write_makes_a_stale_version_of_what_the_client_names(api: FakeAPI) -> None:
    created = api.create(claim())
    api.faults.competing_write("update resourceclaims", times=1)
    assert refused(api, "PUT", f"{CLAIMS}/claim", created).reason == "Conflict"
    newer = api.get("resourceclaims", "claim", api_version="resource.k8s.io/v1beta1")
    assert "fakeapi.dev/competing-write" in newer["metadata"]["annotations"]
    api.request("PUT", f"{CLAIMS}/claim", newer)


def test_a_competing_write_for_which_there_is_no_object_is_none(api: FakeAPI) -> None:
    fault = api.faults.competing_write("patch resourceclaims")
    with pytest.raises(StatusError):
        api.request("PATCH", f"{CLAIMS}/claim", {}, content_type="application/merge-patch+json")
    assert (fault.matched, fault.fired) == (1, 0)


@pytest.mark.parametrize(("kind", "is_written"), [("drop", False), ("lose_reply", True)])
def test_a_dropped_connection_has_no_answer_and_a_lost_reply_has_the_write(
    api: FakeAPI, ask: Open, kind: str, *, is_written: bool
) -> None:
    getattr(api.faults, kind)("create resourceclaims", times=1)
    with pytest.raises(http.client.RemoteDisconnected):
        ask("POST", CLAIMS, claim())
    assert [each["metadata"]["name"] for each in api.list("resourceclaims")] == ["claim"] * is_written
    entry = api.requests.filter("create")[0]
    assert (entry.code, bool(entry.after)) == (0, is_written)


def test_a_torn_body_ends_before_its_length(api: FakeAPI, ask: Open) -> None:
    api.create(claim())
    api.faults.tear("get resourceclaims", part=0.25)
    response = ask("GET", f"{CLAIMS}/claim")
    with pytest.raises(http.client.IncompleteRead) as caught:
        response.read()
    assert len(caught.value.partial) == int(response.headers["Content-Length"]) // 4


def test_a_stalled_body_goes_on_when_the_time_has_come(
    api: FakeAPI, ask: Open, clock: AdjustableClock
) -> None:
    api.create(claim())
    clock.freeze()
    api.faults.stall("get resourceclaims", seconds=30)
    response = ask("GET", f"{CLAIMS}/claim")
    first = response.read(10)
    clock.advance(30)
    assert json.loads(first + response.read())["metadata"]["name"] == "claim"


def test_a_body_that_stalls_for_ever_ends_with_its_client(api: FakeAPI, ask: Open) -> None:
    api.create(claim())
    api.faults.stall("get resourceclaims", times=1)
    response = ask("GET", f"{CLAIMS}/claim")
    assert response.read(10)
    response.close()
    assert api.request("GET", f"{CLAIMS}/claim")


def test_a_request_that_waits_is_answered_when_the_clock_says_so(
    api: FakeAPI, clock: AdjustableClock
) -> None:
    clock.freeze()
    fault = api.faults.wait("list resourceclaims", seconds=10, spread=5, seed=7)
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(api.request("GET", CLAIMS)))
    asking.start()
    while not fault.fired:
        pass
    assert not answers
    clock.advance(15)
    asking.join()
    assert answers[0]["items"] == []
    assert api.requests.filter("list")[0].seconds == pytest.approx(15)


def test_a_request_whose_client_leaves_while_it_waits_is_not_done(
    api: FakeAPI, clock: AdjustableClock
) -> None:
    clock.freeze()
    fault = api.faults.wait("create resourceclaims", seconds=10)
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    connection.request("POST", CLAIMS, json.dumps(claim()), {"Content-Type": "application/json"})
    while not fault.fired:
        pass
    connection.close()
    while not (entries := list(api.requests.filter("create"))):
        pass
    clock.advance(10)
    assert entries[0].code == 0
    assert api.list("resourceclaims") == []


def test_a_client_over_http_1_is_told_to_connect_anew(api: FakeAPI, ask: Open) -> None:
    api.faults.go_away("list resourceclaims")
    response = ask("GET", CLAIMS)
    assert response.getheader("Connection") == "close"
    assert json.loads(response.read())["items"] == []


@pytest.mark.parametrize(
    ("when", "met"),
    [
        ({"times": 2}, [1, 2]),
        ({"first": 3, "last": 4}, [3, 4]),
        ({"every": 3}, [1, 4, 7]),
        ({"first": 2, "every": 2, "times": 2}, [2, 4]),
        ({"probability": 0.5, "seed": 2}, None),
    ],
)
def test_a_fault_acts_the_times_that_it_says(
    api: FakeAPI, when: dict[str, Any], met: list[int] | None
) -> None:
    def round_of_requests() -> list[int]:
        with api.faults.unavailable("list resourceclaims", **when):
            codes = []
            for _ in range(8):
                try:
                    api.request("GET", CLAIMS)
                    codes.append(200)
                except StatusError as error:
                    codes.append(error.code)
        return [number for number, code in enumerate(codes, 1) if code == 503]

    first = round_of_requests()
    assert first == (round_of_requests() if met is None else met)
    assert 0 < len(first) < 8


def test_a_fault_ends_at_its_moment(api: FakeAPI, clock: AdjustableClock) -> None:
    clock.freeze()

    api.faults.unavailable("list resourceclaims", until=datetime.fromtimestamp(clock.now() + 60, UTC))
    assert refused(api, "GET", CLAIMS).code == 503
    clock.advance(61)
    assert api.request("GET", CLAIMS)["items"] == []


@pytest.mark.parametrize(
    ("members", "is_met"),
    [
        ({"target": "update resourceclaims"}, True),
        ({"target": "update resourceclaims/status"}, False),
        ({"target": "resourceclaims", "verb": "create"}, False),
        ({"namespace": "def*", "name": "cl?im"}, True),
        ({"namespace": "other"}, False),
        ({"agent": "fakeapi*"}, True),
        ({"agent": "kubelet/*"}, False),
        ({"user": "kubernetes-admin"}, True),
        ({"user": "system:*"}, False),
        ({"labels": "color=red"}, True),
        ({"labels": "color!=red"}, False),
        ({"body": {".spec.devices.requests[*].name": "gpu"}}, True),
        ({"body": {"{.metadata.labels.color}": "red", "$.metadata.name": "claim"}}, True),
        ({"body": {".metadata.labels.color": "blue"}}, False),
        ({"body": {".spec[0]": "x"}}, False),
        ({"group": "resource.k8s.io"}, True),
        ({"group": "apps"}, False),
    ],
)
def test_a_fault_meets_the_requests_that_its_rule_names(
    api: FakeAPI, members: dict[str, Any], *, is_met: bool
) -> None:
    created = api.create(claim(labels={"color": "red"}))
    target = members.pop("target", "update *")
    fault = api.faults.unavailable(target, **members)
    with contextlib.suppress(StatusError):
        api.request("PUT", f"{CLAIMS}/claim", created)
    assert fault.fired == is_met
    assert api.requests[-1].code == (503 if is_met else 200)


def test_the_name_of_a_new_object_is_in_the_body(api: FakeAPI) -> None:
    fault = api.faults.already_exists("create resourceclaims default/b*")
    status = refused(api, "POST", CLAIMS, claim("b1")).status
    assert status["message"] == 'resourceclaims.resource.k8s.io "b1" already exists'
    assert (status["reason"], status["details"]["name"]) == ("AlreadyExists", "b1")
    api.create(claim("a"))
    assert (fault.matched, fault.fired) == (1, 1)


@pytest.mark.parametrize(
    "media_type", ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]
)
def test_a_rule_looks_into_a_body_of_any_encoding(api: FakeAPI, ask: Open, media_type: str) -> None:
    api.create(claim(labels={"color": "red"}))
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    body = ask("GET", f"{CLAIMS}/claim", Accept=media_type).read()
    api.faults.unavailable(
        "update resourceclaims", labels="color=red", body={".spec.devices.requests[0].name": "gpu"}, times=1
    )
    codes = []
    for _ in range(2):
        connection.request("PUT", f"{CLAIMS}/claim", body, {"Content-Type": media_type})
        response = connection.getresponse()
        response.read()
        codes.append(response.status)
    connection.close()
    assert codes == [503, 200]


def test_a_rule_looks_into_an_apply_patch(api: FakeAPI) -> None:
    api.faults.forbidden("patch configmaps", body={".data.x": "1"})
    path = "/api/v1/namespaces/default/configmaps/a"
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '%s'}\n"
    ways: dict[str, Any] = {"query": {"fieldManager": "m"}, "content_type": "application/apply-patch+yaml"}
    with pytest.raises(StatusError, match="refused by a fault"):
        api.request("PATCH", path, (text % 1).encode(), **ways)
    assert api.request("PATCH", path, (text % 2).encode(), **ways)["data"] == {"x": "2"}


def test_labels_of_a_stored_object_count_where_the_request_sends_none(api: FakeAPI) -> None:
    api.create(claim(labels={"color": "red"}))
    api.create(claim("other"))
    api.faults.unavailable("delete resourceclaims", labels="color=red")
    assert refused(api, "DELETE", f"{CLAIMS}/claim").code == 503
    api.request("DELETE", f"{CLAIMS}/other")


def test_a_body_that_a_rule_has_looked_into_arrives_as_it_was_sent(api: FakeAPI) -> None:
    api.faults.unavailable("create resourceclaims", body={".metadata.name": "other"})
    assert api.create(claim())["metadata"]["name"] == "claim"
    assert refused(api, "POST", CLAIMS, "{not json").code == 400
    assert refused(api, "POST", CLAIMS, b" " * (3 * 1024 * 1024 + 1)).code == 413


def test_several_faults_meet_a_request_in_the_order_in_which_they_were_armed(api: FakeAPI) -> None:
    api.faults.wait("list resourceclaims", seconds=0, called="first")
    api.faults.unavailable("list resourceclaims", called="second")
    third = api.faults.throttle("list resourceclaims", called="third")
    refused(api, "GET", CLAIMS)
    assert api.requests[-1].faults == ("first", "second")
    assert third.matched == 0


def test_a_reset_disarms(api: FakeAPI) -> None:
    fault = api.faults.unavailable("resourceclaims")
    api.reset()
    assert not fault.is_armed
    assert api.faults.unfired() == []
    assert api.request("GET", CLAIMS)["items"] == []


def test_a_fault_that_met_nothing_is_an_error_where_that_is_asked_for(api: FakeAPI) -> None:
    with api.faults.unavailable("pods", called="unmet"):
        pass
    api.faults.unavailable("resourceclaims", called="met")
    refused(api, "GET", CLAIMS)
    assert api.faults.unfired() == ["unmet"]
    with pytest.raises(AssertionError, match="faults that never fired: unmet"):
        api.faults.verify()


def test_a_strict_server_says_at_its_end_which_fault_met_nothing() -> None:
    unmet = [{"unavailable": {"target": "pods", "called": "unmet"}}]
    with (
        pytest.raises(AssertionError, match="faults that never fired: unmet"),
        FakeAPI(strict_faults=True, faults=unmet),
    ):
        pass
    with pytest.raises(ZeroDivisionError), FakeAPI(strict_faults=True, faults=unmet):
        _ = 1 / 0
