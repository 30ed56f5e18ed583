"""The server creates the initial objects of a new cluster on first use."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fakeapi.releases.offered import RELEASES
from fakeapi.testing.server import FakeAPI
from tests.http.conftest import SmallServer

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    return with_history(1000)


def names(server: SmallServer | FakeAPI, path: str) -> list[str]:
    listed = server.request("GET", path)
    return [item["metadata"]["name"] for item in listed["items"]]


def revision(server: SmallServer) -> int:
    return int(server.request("GET", "/api/v1/namespaces")["metadata"]["resourceVersion"])


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_has_its_roles_flow_schemas_and_services(
    fakeapi_factory: Callable[..., FakeAPI], release: str
) -> None:
    api = fakeapi_factory(release=release)
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    assert {"admin", "cluster-admin", "system:node", "system:kube-scheduler"} <= set(names(api, ROLES))
    assert "cluster-admin" in names(api, f"{rbac}/clusterrolebindings")
    assert "extension-apiserver-authentication-reader" in names(api, f"{rbac}/namespaces/kube-system/roles")
    version = "v1beta3" if release in ("1.27", "1.28") else "v1"
    flow = f"/apis/flowcontrol.apiserver.k8s.io/{version}"
    assert {"exempt", "catch-all", "system-nodes"} <= set(names(api, f"{flow}/flowschemas"))
    levels = names(api, f"{flow}/prioritylevelconfigurations")
    assert {"exempt", "catch-all", "workload-low"} <= set(levels)
    assert {"v1.", "v1.apps", "v1.rbac.authorization.k8s.io"} <= set(names(api, SERVICES))
    assert names(api, CLASSES) == ["system-cluster-critical", "system-node-critical"]


@pytest.mark.parametrize("release", ["1.27", "1.37"])
def test_a_config_map_says_since_when_old_tokens_are_tracked(
    fakeapi_factory: Callable[..., FakeAPI], release: str
) -> None:
    """kube-controller-manager reads this ConfigMap before it deletes unused legacy tokens."""
    name = "kube-apiserver-legacy-service-account-token-tracking"
    api = fakeapi_factory(release=release)
    obj = api.get("ConfigMap", name, namespace="kube-system")
    assert obj["data"] == {"since": obj["metadata"]["creationTimestamp"].partition("T")[0]}
    assert obj["metadata"]["managedFields"][0]["manager"] == "kube-apiserver"


def test_without_its_gate_no_old_token_is_tracked(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.27", feature_gates={"LegacyServiceAccountTokenTracking": False})
    assert api.list("ConfigMap") == []


def test_nothing_is_made_before_it_is_asked_for_and_nothing_twice(server: SmallServer) -> None:
    before = revision(server)
    first = server.request("GET", CLASSES)
    assert revision(server) == before + 2
    assert int(first["metadata"]["resourceVersion"]) == before + 2
    assert server.request("GET", CLASSES) == first


def test_many_who_ask_at_once_see_the_same(server: SmallServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        items = list(pool.map(lambda _: json.dumps(server.request("GET", ROLES)), range(8)))
    assert len(set(items)) == 1


def test_an_object_that_the_server_makes_cannot_be_made_again(server: SmallServer) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "admin"},
    }
    with pytest.raises(Exception, match="already exists"):
        server.request("POST", ROLES, role)


def test_one_is_read_by_name_and_can_be_deleted(server: SmallServer) -> None:
    admin = server.request("GET", f"{ROLES}/admin")
    assert admin["metadata"]["labels"] == {"kubernetes.io/bootstrapping": "rbac-defaults"}
    server.request("DELETE", f"{ROLES}/admin")
    assert "admin" not in names(server, ROLES)


def test_a_local_service_is_available_and_a_flow_schema_knows_its_level(server: SmallServer) -> None:
    [condition] = server.request("GET", f"{SERVICES}/v1.apps")["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Available", "True", "Local")
    flow = server.request("GET", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes")
    [condition] = flow["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("Dangling", "False")


def test_a_reset_cluster_is_new_again(server: SmallServer) -> None:
    server.request("DELETE", f"{ROLES}/admin")
    server.runner.call(server.cluster.reset)
    assert "admin" in names(server, ROLES)


@pytest.mark.parametrize("release", ["1.31", "1.33", "1.37"])
@pytest.mark.parametrize("first", ["/apis/networking.k8s.io/v1/ipaddresses", "/api/v1/services"])
def test_the_first_service_has_its_address_whatever_is_asked_for_first(
    fakeapi_factory: Callable[..., FakeAPI], release: str, first: str
) -> None:
    beta = {
        "feature_gates": {"MultiCIDRServiceAllocator": True},
        "runtime_config": "networking.k8s.io/v1beta1",
    }
    api = fakeapi_factory(release=release, **(beta if release == "1.31" else {}))
    version = "v1beta1" if release == "1.31" else "v1"
    addresses = f"/apis/networking.k8s.io/{version}/ipaddresses"
    api.request("GET", addresses if "ipaddresses" in first else first)
    [service] = api.request("GET", "/api/v1/services")["items"]
    assert service["spec"]["clusterIP"] == "10.0.0.1"
    assert names(api, addresses) == ["10.0.0.1"]


def test_a_first_service_whose_address_is_taken_is_left_out_and_nobody_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with FakeAPI(release="1.31", database=tmp_path / "db") as api:
        api.delete("Service", "kubernetes")
        spec = {"clusterIP": "10.0.0.1", "ports": [{"port": 1}]}
        api.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "other"}, "spec": spec})
    with FakeAPI(release="1.31", database=tmp_path / "db") as api:
        assert names(api, "/api/v1/services") == ["other"]
    assert "Service kubernetes was not made" in caplog.text
