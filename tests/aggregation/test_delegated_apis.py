"""An APIService with a Service delegates its API to another server, and says whether this server answers."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import pytest

from fakeapi import FakeAPI
from fakeapi.aggregation import checker
from tests.aggregation.services import AGGREGATED, METRICS, NAME, api_service, condition, delegate, served
from tests.http.asking import ask
from tests.http.small_servers import http_server
from tests.interop.processes import free_port

RESOURCES = [
    {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["get", "list"]},
    {"name": "pods/scale", "singularName": "", "namespaced": True, "kind": "Scale", "verbs": ["get"]},
]


class MetricsServer(BaseHTTPRequestHandler):
    """Lists its resources, and answers other requests with their path, headers and body."""

    protocol_version = "HTTP/1.1"
    is_ready: ClassVar[bool] = True

    def do_GET(self) -> None:
        if self.path in (METRICS, f"/base{METRICS}"):
            self._answer(200 if self.is_ready else 500, {"kind": "APIResourceList", "resources": RESOURCES})
        elif "watch=true" in self.path:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b'e\r\n{"type":"BOO"}\r\n0\r\n\r\n')
        else:
            self._answer(200, {"path": self.path, "headers": [[*pair] for pair in self.headers.items()]})

    def do_POST(self) -> None:
        self._answer(201, json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Backend", "metrics")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@pytest.fixture
def metrics_server() -> Iterator[str]:
    with http_server(MetricsServer) as url:
        yield url


def test_requests_for_a_delegated_api_reach_the_service(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    answer = ask(api, f"{METRICS}/namespaces/a%20b/pods?limit=1")
    assert answer.code == 200
    assert json.loads(answer.body)["path"] == f"{METRICS}/namespaces/a%20b/pods?limit=1"
    assert answer.headers["x-backend"] == "metrics"
    created = ask(api, f"{METRICS}/namespaces/a/pods", "POST", {"metadata": {"name": "p"}})
    assert (created.code, json.loads(created.body)) == (201, {"metadata": {"name": "p"}})


def test_the_path_of_the_url_comes_before_the_path_of_the_request(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, f"{metrics_server}/base")
    assert json.loads(ask(api, f"{METRICS}/pods").body)["path"] == f"/base{METRICS}/pods"


def test_a_watch_of_a_delegated_api_is_a_stream(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    assert ask(api, f"{METRICS}/pods?watch=true").body == b'{"type":"BOO"}'


def test_the_service_learns_the_user_from_the_server_alone(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server, token="secret")
    headers = {
        "authorization": "Bearer secret",
        "x_remote_user": "root",
        "x_remote_group": "system:masters",
        "impersonate_user": "ana",
        "impersonate_group": "team",
        "impersonate_extra_scopes": "read",
    }
    answer = ask(api, f"{METRICS}/pods", **headers)
    received = [(name.lower(), value) for name, value in json.loads(answer.body)["headers"]]
    about_user = [
        pair for pair in received if pair[0].startswith(("x-remote", "impersonate", "authorization"))
    ]
    assert about_user == [
        ("x-remote-user", "ana"),
        ("x-remote-group", "team"),
        ("x-remote-group", "system:authenticated"),
        ("x-remote-extra-scopes", "read"),
    ]


def test_discovery_lists_delegated_groups_with_the_resources_of_their_server(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    version = {"groupVersion": "metrics.example.com/v1beta1", "version": "v1beta1"}
    group = {"name": "metrics.example.com", "versions": [version], "preferredVersion": version}
    assert json.loads(ask(api, "/apis").body)["groups"][-1] == group
    assert json.loads(ask(api, "/apis/metrics.example.com").body) == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        **group,
    }
    aggregated = json.loads(ask(api, "/apis", accept=AGGREGATED).body)["items"][-1]
    assert aggregated["versions"][0]["freshness"] == "Current"
    [resource] = aggregated["versions"][0]["resources"]
    assert (resource["resource"], resource["scope"]) == ("pods", "Namespaced")
    assert [sub["subresource"] for sub in resource["subresources"]] == ["scale"]


def test_the_condition_available_says_what_the_service_lacks(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.34")
    api.create(api_service())
    assert condition(api, "ServiceNotFound")["message"] == 'service/metrics in "default" is not present'
    api.create(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "metrics"},
            "spec": {"ports": [{"port": 444}]},
        }
    )
    port_problem = condition(api, "ServicePortError")["message"]
    assert port_problem == 'service/metrics in "default" is not listening on port 443'
    api.patch("Service", "metrics", {"spec": {"ports": [{"port": 443}]}})
    missing = condition(api, "EndpointsNotFound")["message"]
    assert missing == 'cannot find endpointslices for service/metrics in "default"'
    api.create(
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": "metrics", "labels": {"kubernetes.io/service-name": "metrics"}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.1.1.1"], "conditions": {"ready": False}}],
            "ports": [{"name": "", "port": 9443}],
        }
    )
    addresses = condition(api, "MissingEndpoints")["message"]
    assert addresses == 'endpointslices for service/metrics in "default" have no addresses with port name ""'
    ready = {"endpoints": [{"addresses": ["10.1.1.1"], "conditions": {"ready": True}}]}
    api.patch("EndpointSlice", "metrics", ready)
    assert "connect: connection refused" in condition(api, "FailedDiscoveryCheck")["message"]
    assert ask(api, f"{METRICS}/pods").code == 503


def test_an_old_release_reads_endpoints_instead_of_slices(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33")
    service = {"metadata": {"name": "metrics"}, "spec": {"ports": [{"port": 443}]}}
    api.create({"apiVersion": "v1", "kind": "Service", **service})
    api.create(api_service())
    missing = condition(api, "EndpointsNotFound")["message"]
    assert missing == 'cannot find endpoints for service/metrics in "default"'
    subsets = [{"addresses": [{"ip": "10.1.1.1"}], "ports": [{"name": "other", "port": 9443}]}]
    api.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "metrics"}, "subsets": subsets})
    addresses = condition(api, "MissingEndpoints")["message"]
    assert addresses == 'endpoints for service/metrics in "default" have no addresses with port name ""'


def test_a_server_without_discovery_is_not_available(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricsServer, "is_ready", False)
    api = served(fakeapi_factory, metrics_server)
    failed = condition(api, "FailedDiscoveryCheck")
    assert failed["message"].endswith(f"bad status from https://metrics.default.svc:443{METRICS}: 500")
    assert ask(api, f"{METRICS}/pods").body == b"service unavailable\n"
    stale = json.loads(ask(api, "/apis", accept=AGGREGATED).body)["items"][-1]
    assert stale["versions"] == [{"version": "v1beta1", "freshness": "Stale"}]
    monkeypatch.setattr(MetricsServer, "is_ready", True)
    condition(api, "Passed")
    assert ask(api, f"{METRICS}/pods").code == 200


def test_a_server_that_loses_its_discovery_becomes_unavailable(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "CHECK_SECONDS", 0.05)
    api = delegate(fakeapi_factory, metrics_server)
    monkeypatch.setattr(MetricsServer, "is_ready", False)
    condition(api, "FailedDiscoveryCheck")


def test_a_deleted_api_service_delegates_no_more(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    api.delete("APIService", NAME)
    assert ask(api, f"{METRICS}/pods").code == 404
    assert "example.com" not in ask(api, "/apis").body.decode()


def test_after_a_restore_the_checks_go_on(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    snapshot = api.snapshot()
    api.reset()
    assert ask(api, f"{METRICS}/pods").code == 404
    api.restore(snapshot)
    assert ask(api, f"{METRICS}/pods").code == 200


def test_a_request_that_upgrades_its_connection_gets_501(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    upgrade = ask(api, f"{METRICS}/pods", upgrade="SPDY/3.1")
    assert (upgrade.code, "upgraded connections" in upgrade.body.decode()) == (501, True)


def test_a_service_that_stops_answering_gets_503(
    fakeapi_factory: Callable[..., FakeAPI], metrics_server: str
) -> None:
    api = delegate(fakeapi_factory, metrics_server)
    port = free_port()
    moved = {"service": "default/metrics", "url": f"http://127.0.0.1:{port}"}
    assert ask(api, "/_fakeapi/webhook-services", "POST", moved).code in (200, 201)
    answer = ask(api, f"{METRICS}/pods")
    assert answer.code == 503
    assert answer.body.decode() == f"dial tcp 127.0.0.1:{port}: connect: connection refused\n"
