"""GET /metrics has the counts of kube-apiserver, in the text format of Prometheus."""

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.http.metrics import counters
from fakeapi.releases.release import COMPILED_RELEASES
from fakeapi.testing.server import FakeAPI
from tests.http.asking import Served, ask, watched
from tests.http.prometheus import Metrics

CORE = "/api/v1/namespaces/default"
MAPS = f"{CORE}/configmaps"
TOTAL, SECONDS = "apiserver_request_total", "apiserver_request_duration_seconds"
OBJECTS = "apiserver_storage_objects"


@pytest.fixture
def server(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33")


def metrics(api: Served, **headers: str) -> Metrics:
    answer = ask(api, "/metrics", **headers)
    assert answer.code == 200, answer.body
    return Metrics(answer.body.decode())


def create(api: Served, name: str = "a", query: str = "") -> int:
    return ask(api, MAPS + query, "POST", {"metadata": {"name": name}}).code


def wait_until(holds: Callable[[], Any]) -> None:
    """Waits until a condition holds. Fails after 10 seconds."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_requests_are_counted_by_the_labels_of_kube_apiserver(server: FakeAPI) -> None:
    assert [create(server), create(server), create(server, "b")] == [201, 409, 201]
    page = metrics(server)
    by_code = {labels["code"]: value for _, labels, value in page.families[TOTAL].samples}
    assert by_code == {"201": 2, "409": 1}
    assert page.families[TOTAL].samples[0][1] == {
        "code": "201",
        "component": "apiserver",
        "dry_run": "",
        "group": "",
        "resource": "configmaps",
        "scope": "resource",
        "subresource": "",
        "verb": "POST",
        "version": "v1",
    }


@pytest.mark.parametrize(
    ("method", "path", "verb", "scope", "subresource"),
    [
        ("GET", f"{MAPS}/a", "GET", "resource", ""),
        ("GET", MAPS, "LIST", "namespace", ""),
        ("GET", "/api/v1/configmaps", "LIST", "cluster", ""),
        ("DELETE", f"{MAPS}/a", "DELETE", "resource", ""),
        ("DELETE", MAPS, "DELETE", "namespace", ""),
        ("GET", f"{CORE}/pods/p/log", "CONNECT", "resource", "log"),
        ("GET", "/api/v1/namespaces/default/status", "GET", "resource", "status"),
    ],
)
def test_verb_and_scope_are_those_of_kube_apiserver(
    server: FakeAPI, method: str, path: str, verb: str, scope: str, subresource: str
) -> None:
    ask(server, path, method)
    (sample,) = metrics(server).families[TOTAL].samples
    assert (sample[1]["verb"], sample[1]["scope"], sample[1]["subresource"]) == (verb, scope, subresource)


@pytest.mark.parametrize(
    ("media_type", "verb"),
    [("application/apply-patch+yaml", "APPLY"), ("application/merge-patch+json", "PATCH")],
)
def test_a_server_side_apply_is_not_counted_as_a_patch(server: FakeAPI, media_type: str, verb: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    create(server)
    assert ask(server, f"{MAPS}/a?fieldManager=m", "PATCH", body, content_type=media_type).code == 200
    assert metrics(server).values(TOTAL, verb=verb) == [1]
    assert {labels["verb"] for _, labels, _ in metrics(server).families[TOTAL].samples} == {"POST", verb}


@pytest.mark.parametrize(("value", "label"), [("All", "All"), ("None", "invalid")])
def test_dry_runs_are_counted_apart(server: FakeAPI, value: str, label: str) -> None:
    create(server, query=f"?dryRun={value}")
    create(server)
    page = metrics(server)
    assert page.value(TOTAL, dry_run=label) == page.value(TOTAL, dry_run="") == 1


def test_durations_are_in_the_buckets_of_kube_apiserver(server: FakeAPI) -> None:
    for _ in range(3):
        ask(server, MAPS)
    page = metrics(server)
    assert page.value(f"{SECONDS}_count", verb="LIST") == 3
    assert 0 < page.value(f"{SECONDS}_sum", verb="LIST") < 30
    bounds = [labels["le"] for of, labels, _ in page.families[SECONDS].samples if of.endswith("_bucket")]
    assert [bounds[0], bounds[-2], bounds[-1], len(bounds)] == ["0.005", "60.0", "inf", 24]
    assert all("code" not in labels for _, labels, _ in page.families[SECONDS].samples)


def test_response_sizes_are_the_bytes_of_reads(server: FakeAPI) -> None:
    create(server)
    size = len(ask(server, f"{MAPS}/a").body)
    page = metrics(server)
    assert page.values("apiserver_response_sizes_sum") == [size]
    assert page.value("apiserver_response_sizes_bucket", le="1000.0", verb="GET") == 1


def test_the_size_of_a_long_list_is_counted_as_it_was_sent(server: FakeAPI) -> None:
    for number in range(4):
        ask(server, MAPS, "POST", {"metadata": {"name": f"n{number}"}, "data": {"text": "x" * 100_000}})
    size = len(ask(server, MAPS).body)
    assert size > 400_000
    assert metrics(server).value("apiserver_response_sizes_sum", verb="LIST") == size


def test_refused_and_unknown_requests_are_not_counted(server: FakeAPI) -> None:
    codes = [ask(server, path).code for path in ("/api/v1/nothing", "/nothing", "/version", "/metrics")]
    assert codes == [404, 404, 200, 200]
    assert TOTAL not in metrics(server).families


def test_health_checks_are_counted_by_their_path(server: FakeAPI) -> None:
    ask(server, "/readyz")
    assert metrics(server).value(TOTAL, subresource="/readyz", component="", verb="GET", code="200") == 1


def test_requests_that_a_fault_refuses_are_counted(server: FakeAPI) -> None:
    server.faults.throttle("list configmaps", times=1, retry_after=0)
    assert ask(server, MAPS).code == 429
    assert metrics(server).value(TOTAL, code="429", verb="LIST", resource="configmaps") == 1


@pytest.mark.parametrize(
    ("release", "name"), [("1.33", {"kind": "ConfigMap"}), ("1.34", {"resource": "configmaps"})]
)
def test_open_watches_and_their_events_are_counted(
    fakeapi_factory: Callable[..., FakeAPI], release: str, name: dict[str, str]
) -> None:
    api = fakeapi_factory(release=release)
    create(api)
    with watched(api, f"{MAPS}?watch=1", "application/json") as stream:
        create(api, "b")
        assert [kind for kind, _ in stream.take(2)] == ["ADDED", "ADDED"]
        page = metrics(api)
        assert page.value("apiserver_longrunning_requests", verb="WATCH", scope="namespace") == 1
        assert page.value("apiserver_watch_events_total", group="", version="v1", **name) == 2
        assert page.values(TOTAL, verb="WATCH") == []
        stream.socket.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: metrics(api).values(TOTAL, verb="WATCH", code="200") == [1])
    page = metrics(api)
    assert "apiserver_longrunning_requests" not in page.families
    assert page.value("apiserver_watch_events_total", **name) == 2


def test_requests_in_progress_have_a_kind(server: FakeAPI) -> None:
    page = metrics(server)
    assert page.value("apiserver_current_inflight_requests", request_kind="readOnly") == 1  # this one
    assert page.value("apiserver_current_inflight_requests", request_kind="mutating") == 0


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_stored_objects_are_counted_under_the_names_of_the_release(
    fakeapi_factory: Callable[..., FakeAPI], release: str
) -> None:
    api = fakeapi_factory(release=release)
    create(api)
    page = metrics(api)
    minor = int(release.partition(".")[2])
    before = page.values("apiserver_resource_objects", group="", resource="configmaps")
    after = page.values(OBJECTS, resource="configmaps")
    assert [bool(after), bool(before)] == [minor < 37, minor >= 34]
    count = len(ask(api, "/api/v1/configmaps").json()["items"])
    assert {*before, *after} == {count}
    assert page.value("kubernetes_build_info") == 1
    version = ask(api, "/version").json()["gitVersion"]
    assert page.values("kubernetes_build_info", git_version=version) == [1]


def test_deleted_objects_are_not_counted(server: FakeAPI) -> None:
    claims = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
    label = "resourceclaims.resource.k8s.io"
    assert metrics(server).value(OBJECTS, resource=label) == 0
    body = {"metadata": {"name": "a"}, "spec": {}}
    assert ask(server, claims, "POST", body).code == 201
    assert metrics(server).value(OBJECTS, resource=label) == 1
    ask(server, f"{claims}/a", "DELETE")
    assert metrics(server).value(OBJECTS, resource=label) == 0


def test_the_process_is_measured(server: FakeAPI) -> None:
    page = metrics(server)
    assert page.value("process_cpu_seconds_total") > 0
    assert page.value("process_resident_memory_bytes") > 1e6
    assert page.value("process_open_fds") > 3
    assert 0 < time.time() - page.value("process_start_time_seconds") < 1e6


@pytest.mark.parametrize(
    ("release", "escaping"), [("1.30", ""), ("1.32", "; escaping=values"), ("1.37", "; escaping=underscores")]
)
def test_the_content_type_is_that_of_the_release(
    fakeapi_factory: Callable[..., FakeAPI], release: str, escaping: str
) -> None:
    answer = ask(fakeapi_factory(release=release), "/metrics", accept="text/plain")
    assert answer.headers["content-type"] == f"text/plain; version=0.0.4; charset=utf-8{escaping}"


def test_a_reset_sets_the_counts_to_zero(server: FakeAPI) -> None:
    create(server)
    assert metrics(server).values(TOTAL) == [1]
    server.reset()
    page = metrics(server)
    assert TOTAL not in page.families
    assert SECONDS not in page.families


def test_a_delete_of_the_page_sets_the_counts_to_zero(server: FakeAPI) -> None:
    create(server)
    answer = ask(server, "/metrics", "DELETE")
    assert (answer.code, answer.body) == (200, b"metrics reset\n")
    assert TOTAL not in metrics(server).families
    assert create(server, "b") == 201
    assert metrics(server).values(TOTAL) == [1]


def test_the_page_needs_a_token_if_the_server_does(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33", token="secret")
    assert ask(api, "/metrics").code == 401
    assert metrics(api, authorization="Bearer secret").families


def test_the_role_system_monitoring_may_read_the_page(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33", authorization="rbac")
    user = {"impersonate_user": "bob", "impersonate_group": "monitors"}
    assert ask(api, "/metrics", **user).code == 403
    binding = {
        "metadata": {"name": "monitors"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "system:monitoring",
        },
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "monitors"}],
    }
    path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    assert ask(api, path, "POST", binding).code == 201
    assert metrics(api, **user).families
    assert ask(api, "/metrics", "DELETE", **user).code == 403


def test_the_root_lists_the_page(server: FakeAPI) -> None:
    assert "/metrics" in ask(server, "/").json()["paths"]


@pytest.mark.parametrize("path", ["/debug/pprof", "/debug/pprof/heap", "/debug/flags/v"])
def test_there_is_no_profiler(server: FakeAPI, path: str) -> None:
    answer = ask(server, path)
    assert (answer.code, answer.body) == (404, b"404 page not found\n")


def test_too_many_label_combinations_are_not_counted(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "SERIES_MAX", 2)
    create(server)
    ask(server, MAPS)
    assert ask(server, f"{MAPS}/a").code == 200
    create(server)
    ask(server, MAPS)
    page = metrics(server)
    assert [(labels["verb"], labels["code"], value) for _, labels, value in page.families[TOTAL].samples] == [
        ("LIST", "200", 2),
        ("POST", "201", 1),
    ]
