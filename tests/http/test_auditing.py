"""The audit log contains the events of each request that the audit policy selects."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.http.audit_events import AGENT_BYTES_MAX
from fakeapi.http.verbs import Verbs
from fakeapi.serving.start_error import StartError
from tests.http import wire
from tests.http.asking import ask, watched
from tests.http.audited import Audited, write_policy

MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
MAP = {"metadata": {"name": "m"}, "data": {"a": "<b>"}}
ADMINISTRATOR = {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]}
ALLOWED = {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}
MEMBERS = (
    "kind apiVersion level auditID stage requestURI verb user impersonatedUser sourceIPs userAgent objectRef "
    "responseStatus requestObject responseObject requestReceivedTimestamp stageTimestamp annotations"
)
BOTH = {"level": "RequestResponse"}

Start = Callable[..., Audited]


@pytest.fixture
def audited(fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path) -> Start:
    """Returns a function that starts a server with an audit policy of these rules."""

    def start(
        *rules: dict[str, Any], members: dict[str, Any] | None = None, release: str = "1.34", **options: Any
    ) -> Audited:
        policy = write_policy(tmp_path, *rules, **members or {})
        log = tmp_path / "audit.log"
        return Audited(fakeapi_factory(release=release, audit_log=log, audit_policy=policy, **options), log)

    return start


def test_a_request_has_an_event_when_it_arrives_and_one_when_its_response_is_sent(audited: Start) -> None:
    server = audited(frozen_at="2026-01-31T12:00:00Z")
    answer = ask(server.api, f"{MAPS}/m?pretty=0&x=<", user_agent="tests")
    first, second = server.events(requestURI=f"{MAPS}/m?pretty=0&x=<")
    common = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "auditID": answer.headers["audit-id"],
        "requestURI": f"{MAPS}/m?pretty=0&x=<",
        "verb": "get",
        "user": ADMINISTRATOR,
        "sourceIPs": ["127.0.0.1"],
        "userAgent": "tests",
        "objectRef": {"resource": "configmaps", "namespace": "default", "name": "m", "apiVersion": "v1"},
        "requestReceivedTimestamp": "2026-01-31T12:00:00.000000Z",
        "stageTimestamp": "2026-01-31T12:00:00.000000Z",
    }
    status = answer.json()
    members = ("status", "message", "reason", "details", "code")
    response = {"metadata": {}, **{name: status[name] for name in members}}
    assert first == {**common, "stage": "RequestReceived"}
    assert second == {
        **common, "stage": "ResponseComplete", "responseStatus": response, "annotations": ALLOWED,
    }  # fmt: skip


def test_the_members_of_an_event_are_in_the_order_of_kube_apiserver(audited: Start) -> None:
    server = audited(BOTH)
    ask(server.api, MAPS, "POST", MAP, user_agent="tests", impersonate_user="jane")
    event = server.last(verb="create")
    assert " ".join(event) == MEMBERS
    assert b"\\u003cb\\u003e" in server.log.read_bytes(), "Go escapes HTML"


@pytest.mark.parametrize(
    ("level", "objects"),
    [
        ("Metadata", set()),
        ("Request", {"requestObject"}),
        ("RequestResponse", {"requestObject", "responseObject"}),
    ],
)
@pytest.mark.parametrize("path", [MAPS, SECRETS])
def test_the_level_decides_about_the_objects_also_of_secrets(
    audited: Start, level: str, objects: set[str], path: str
) -> None:
    server = audited({"level": level})
    ask(server.api, path, "POST", {"metadata": {"name": "m"}})
    event = server.last(verb="create")
    assert {name for name in event if name.endswith("Object")} == objects
    assert event["objectRef"]["name"] == "m", "the name is that of the object in the request"
    assert event["responseStatus"] == {"metadata": {}, "code": 201}


def test_the_level_none_logs_nothing(audited: Start) -> None:
    server = audited({"level": "None", "verbs": ["get"]}, {"level": "Metadata"})
    ask(server.api, f"{MAPS}/m")
    ask(server.api, MAPS)
    assert {event["verb"] for event in server.events()} == {"list"}


def test_the_objects_are_those_of_the_request_and_the_response(audited: Start) -> None:
    server = audited(BOTH)
    stored = ask(server.api, MAPS, "POST", MAP).json()
    sent = {**stored, "data": {"c": "d"}}
    ask(server.api, f"{MAPS}/m", "PUT", sent)
    event = server.last(verb="update")
    assert (event["requestObject"]["data"], event["responseObject"]["data"]) == ({"c": "d"}, {"c": "d"})
    assert event["objectRef"]["uid"] == stored["metadata"]["uid"]
    assert event["objectRef"]["resourceVersion"] == stored["metadata"]["resourceVersion"]


def test_a_token_request_is_logged_with_its_token_at_the_highest_level(audited: Start) -> None:
    server = audited(BOTH)
    path = "/api/v1/namespaces/default/serviceaccounts"
    ask(server.api, path, "POST", {"metadata": {"name": "sa"}})
    answer = ask(server.api, f"{path}/sa/token", "POST", {"spec": {}})
    event = server.last(verb="create")
    assert event["objectRef"]["subresource"] == "token"
    assert event["responseObject"]["status"]["token"] == answer.json()["status"]["token"]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/vnd.kubernetes.protobuf", "ConfigMap"),
        ("application/yaml", "ConfigMap"),
        ("application/json;as=Table;g=meta.k8s.io;v=v1", "Table"),
    ],
)
def test_the_object_of_a_response_is_json_in_every_representation(
    audited: Start, accept: str, kind: str
) -> None:
    server = audited(BOTH)
    ask(server.api, MAPS, "POST", MAP)
    ask(server.api, f"{MAPS}/m", accept=accept)
    assert server.last(verb="get")["responseObject"]["kind"] == kind


def test_a_long_list_is_logged_as_a_whole(audited: Start) -> None:
    server = audited(BOTH)
    for number in range(4):
        body = {"metadata": {"name": f"m{number}"}, "data": {"a": "x" * 100_000}}
        ask(server.api, MAPS, "POST", body)
    ask(server.api, MAPS)
    items = server.last(verb="list")["responseObject"]["items"]
    assert [item["metadata"]["name"] for item in items if item["metadata"]["name"] < "n"][-4:] == [
        "m0", "m1", "m2", "m3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content_type", "patch", "expected"),
    [
        ("application/merge-patch+json", '{"data": {"a": "1"}}', {"data": {"a": "1"}}),
        (
            "application/json-patch+json",
            '[{"op": "remove", "path": "/data"}]',
            [{"op": "remove", "path": "/data"}],
        ),
        (
            "application/apply-patch+yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}",
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}},
        ),
    ],
)
@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_a_patch_is_logged_as_json(
    audited: Start, content_type: str, patch: str, expected: Any, release: str
) -> None:
    server = audited({"level": "Request"}, release=release)
    ask(server.api, MAPS, "POST", MAP)
    path = f"{MAPS}/m?fieldManager=f&force=1" if "apply" in content_type else f"{MAPS}/m"
    server.api.request("PATCH", path, patch.encode(), content_type=content_type)
    assert server.last(verb="patch")["requestObject"] == expected


def test_a_patch_that_is_not_json_is_left_out(audited: Start) -> None:
    server = audited({"level": "Request"})
    head = [
        (b"Host", b"localhost"),
        (b"Content-Type", b"application/merge-patch+json"),
        (b"Content-Length", b"2"),
    ]
    ask(server.api, MAPS, "POST", MAP)
    answer = wire.exchange(server.api.url, wire.head(b"PATCH", f"{MAPS}/m".encode(), head) + b"{[")
    event = server.last(verb="patch")
    assert (event["responseStatus"]["code"], answer.code) == (400, 400)
    assert "requestObject" not in event


@pytest.mark.parametrize("verb", ["delete", "deletecollection"])
def test_delete_options_are_logged_in_the_internal_version(audited: Start, verb: str) -> None:
    server = audited({"level": "Request"})
    path = f"{MAPS}/m" if verb == "delete" else MAPS
    ask(server.api, path, "DELETE", {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
    assert server.last(verb=verb)["requestObject"] == {
        "kind": "DeleteOptions", "apiVersion": "meta.k8s.io/__internal", "gracePeriodSeconds": 0,
    }  # fmt: skip


def test_a_watch_has_an_event_when_it_starts_and_one_when_it_ends(audited: Start) -> None:
    server = audited(BOTH)
    with watched(server.api, f"{MAPS}?watch=1", "application/json") as stream:
        assert stream.code == 200
    events = server.events(verb="watch")
    assert [event["stage"] for event in events] == ["RequestReceived", "ResponseStarted", "ResponseComplete"]
    assert [event.get("responseStatus", {}).get("code") for event in events] == [None, 200, 200]
    assert all("responseObject" not in event for event in events)


@pytest.mark.parametrize("omitted", ["RequestReceived", "ResponseStarted", "ResponseComplete"])
def test_an_omitted_stage_has_no_event(audited: Start, omitted: str) -> None:
    server = audited(members={"omitStages": [omitted]})
    with watched(server.api, f"{MAPS}?watch=1&timeoutSeconds=1", "application/json"):
        pass
    stages = {event["stage"] for event in server.events(verb="watch")}
    assert stages == {"RequestReceived", "ResponseStarted", "ResponseComplete"} - {omitted}


def test_an_unexpected_error_has_an_event_of_the_stage_panic(
    audited: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise LookupError("broken")

    monkeypatch.setattr(Verbs, "get", fail)
    server = audited(BOTH)
    assert ask(server.api, f"{MAPS}/m").code == 500
    first, second = server.events(verb="get")
    assert (first["stage"], second["stage"]) == ("RequestReceived", "Panic")
    assert second["responseStatus"] == {
        "metadata": {}, "status": "Failure", "message": "APIServer panic'd: LookupError: broken",
        "reason": "InternalError", "code": 500,
    }  # fmt: skip


def test_a_lost_response_has_an_event_without_its_status(audited: Start) -> None:
    server = audited(faults=[{"drop": "configmaps"}])
    assert ask(server.api, f"{MAPS}/m").code == 0
    event = server.last(verb="get")
    assert event["responseStatus"] == {
        "metadata": {}, "status": "Success", "message": "Connection closed early", "code": 200,
    }  # fmt: skip


def test_a_forbidden_request_has_the_decision_and_its_reason(audited: Start) -> None:
    server = audited(authorization="rbac", release="1.37")
    message = ask(server.api, MAPS, impersonate_user="jane").json()["message"]
    event = server.last(stage="ResponseComplete")
    assert event["annotations"]["authorization.k8s.io/decision"] == "forbid"
    assert (event["responseStatus"]["code"], event["responseStatus"]["message"]) == (403, message)
    assert event["impersonatedUser"]["username"] == "jane"
    assert event["user"] == ADMINISTRATOR


def test_a_request_that_a_role_allows_names_the_role(audited: Start) -> None:
    server = audited(authorization="rbac")
    assert ask(server.api, "/version", impersonate_user="jane").code == 200
    reason = server.last(requestURI="/version")["annotations"]["authorization.k8s.io/reason"]
    assert reason.startswith('RBAC: allowed by ClusterRoleBinding "system:')


def test_the_policy_decides_by_the_user_who_impersonates(audited: Start) -> None:
    server = audited({"level": "None", "users": ["kubernetes-admin"]}, {"level": "Metadata"})
    ask(server.api, MAPS, impersonate_user="jane")
    assert server.events() == []


def test_rejected_credentials_have_one_event_without_a_user(audited: Start) -> None:
    server = audited({"level": "None", "users": ["jane"]}, {"level": "Metadata"}, token="secret")
    answer = ask(server.api, MAPS, authorization="Bearer wrong")
    (event,) = server.events(auditID=answer.headers["audit-id"])
    assert (event["stage"], event["user"]) == ("ResponseStarted", {})
    assert event["responseStatus"] == {
        "metadata": {}, "status": "Failure", "message": "Unauthorized", "reason": "Unauthorized", "code": 401,
    }  # fmt: skip
    assert "annotations" not in event


def test_a_malformed_timeout_is_logged_before_authentication(audited: Start) -> None:
    server = audited()
    assert ask(server.api, f"{MAPS}?timeout=x").code == 400
    (event,) = server.events(verb="list")
    assert (event["stage"], event["user"], event["responseStatus"]["code"]) == ("ResponseStarted", {}, 400)


def test_a_malformed_url_is_not_logged(audited: Start) -> None:
    server = audited()
    assert ask(server.api, f"{MAPS}/%zz").code == 400
    assert server.events() == []


def test_the_control_api_is_not_logged(audited: Start) -> None:
    server = audited()
    assert ask(server.api, "/_fakeapi/requests").code == 200
    assert server.events() == []


@pytest.mark.parametrize("accept", ["application/json", "application/json;as=Table;g=meta.k8s.io;v=v1"])
def test_managed_fields_are_left_out_if_the_policy_says_so(audited: Start, accept: str) -> None:
    server = audited(BOTH, members={"omitManagedFields": True})
    stored = ask(server.api, MAPS, "POST", MAP).json()
    ask(server.api, f"{MAPS}/m", "PUT", stored)
    ask(server.api, f"{MAPS}?includeObject=Object", accept=accept)
    server.events()
    assert "managedFields" in stored["metadata"]
    assert b"managedFields" not in server.log.read_bytes()


def test_managed_fields_are_logged_by_default(audited: Start) -> None:
    server = audited(BOTH)
    ask(server.api, MAPS, "POST", MAP)
    assert "managedFields" in server.last(verb="create")["responseObject"]["metadata"]


def test_the_client_can_choose_the_audit_id(audited: Start) -> None:
    server = audited()
    assert ask(server.api, MAPS, audit_id="mine").headers["audit-id"] == "mine"
    assert {event["auditID"] for event in server.events()} == {"mine"}


def test_a_long_user_agent_is_cut(audited: Start) -> None:
    server = audited()
    ask(server.api, MAPS, user_agent="a" * (AGENT_BYTES_MAX + 1))
    assert server.last()["userAgent"] == "a" * AGENT_BYTES_MAX + "...TRUNCATED"


def test_no_event_is_lost_when_the_server_stops(audited: Start) -> None:
    server = audited()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(server.api, MAPS), range(200)))
    assert {answer.code for answer in answers} == {200}
    events = server.events()
    for stage in ("RequestReceived", "ResponseComplete"):
        assert len({event["auditID"] for event in events if event["stage"] == stage}) == 200


def test_a_log_without_a_policy_stays_empty(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api = fakeapi_factory(audit_log=tmp_path / "log")
    ask(api, MAPS)
    api.stop()
    assert not (tmp_path / "log").exists()
    assert "stays empty, because there is no audit policy" in caplog.text


def test_a_policy_without_a_log_is_only_checked(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path
) -> None:
    assert ask(fakeapi_factory(audit_policy=write_policy(tmp_path)), MAPS).code == 200
    with pytest.raises(ValueError, match=r"rules\[0\].level: Unsupported value"):
        FakeAPI(audit_policy=write_policy(tmp_path, {"level": "All"})).start()


def test_a_log_that_cannot_be_created_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    api = FakeAPI(audit_log=tmp_path / "file" / "log", audit_policy=write_policy(tmp_path))
    with pytest.raises(StartError, match="Not a directory"):
        api.start()


def test_the_log_is_valid_json_although_a_client_leaves_in_the_middle_of_a_list(audited: Start) -> None:
    server = audited(BOTH)
    body = {"metadata": {"generateName": "m"}, "data": {"a": "x" * 1_000_000}}
    for _ in range(8):
        ask(server.api, MAPS, "POST", body)
    with wire.connection(server.api.url) as sock:
        sock.sendall(wire.head(b"GET", MAPS.encode(), [(b"Host", b"localhost")]))
        sock.recv(10)
    event = server.last(verb="list")
    assert (event["stage"], event["responseStatus"]["code"]) == ("ResponseComplete", 200)
    assert "responseObject" not in event


def test_fakeapi_trace_reads_the_log(audited: Start) -> None:
    server = audited(BOTH, token="secret")
    for method, path, body in (("POST", MAPS, MAP), ("GET", MAPS, None), ("DELETE", f"{MAPS}/m", None)):
        ask(server.api, path, method, body, authorization="Bearer secret")
    ask(server.api, MAPS, authorization="Bearer wrong")
    server.api.stop()
    valid = CliRunner().invoke(main, ["trace", "validate", str(server.log)])
    assert valid.exit_code == 0, valid.output
    shown = CliRunner().invoke(main, ["trace", "show", str(server.log)]).output
    assert [word for word in shown.split() if word in ("201", "200", "401")] == ["201", "200", "200", "401"]


def test_the_metric_counts_the_events_until_a_reset(audited: Start) -> None:
    api = audited(members={"omitStages": ["RequestReceived"]}).api

    def counted() -> str:
        lines: list[str] = ask(api, "/metrics").body.decode().splitlines()
        return next(line for line in lines if line.startswith("apiserver_audit_event_total"))

    before = int(counted().split()[1])
    ask(api, f"{MAPS}/m")
    assert counted() == f"apiserver_audit_event_total {before + 2}", "the request, and that for the metrics"
    ask(api, "/metrics", "DELETE")
    assert counted() == "apiserver_audit_event_total 1"
