"""`fakeapi import` from a cluster with TLS and a token reads the cluster and never writes to it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.clients import remote
from tests.transfer.seeding import failing, run, seed

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}
WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "team"}}


@pytest.fixture
def cluster() -> Iterator[FakeAPI]:
    """Runs a server without the control API, like a real cluster. A pod uses a claim in this cluster."""
    with FakeAPI(release="1.33", tls=True, token="secret", control=False) as api:
        seed(api)
        yield api


@pytest.fixture
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as api:
        yield api


def imported(server: FakeAPI, cluster: FakeAPI, *arguments: str) -> str:
    where = ("--from-cluster", str(cluster.kubeconfig))
    result = run("import", "--server", server.url, *where, *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def verbs(cluster: FakeAPI) -> set[str]:
    """Returns the HTTP methods of the requests that `fakeapi import` has sent to the cluster."""
    return {each.method for each in cluster.requests if each.agent == "fakeapi-import"}


def test_a_cluster_is_read_by_get_alone_and_its_objects_are_in_the_server(
    cluster: FakeAPI, server: FakeAPI
) -> None:
    output = imported(server, cluster, "-n", "team", "--status")
    assert "Left out" not in output
    assert verbs(cluster) == {"GET"}
    pod = server.get("Pod", "web", namespace="team")
    claim = server.get("ResourceClaim", "web-gpu", namespace="team")
    assert claim["metadata"]["ownerReferences"][0]["uid"] == pod["metadata"]["uid"]
    assert claim["status"]["reservedFor"][0]["uid"] == pod["metadata"]["uid"]
    assert server.get("Namespace", "team")["metadata"]["labels"]["tier"] == "test"
    with pytest.raises(StatusError):
        server.get("DeviceClass", "gpu")


def test_secrets_and_credentials_do_not_come_over(cluster: FakeAPI, server: FakeAPI) -> None:
    config = json.dumps({"stringData": {"password": "hunter2"}})
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": config}
    cluster.patch("Secret", "login", {"metadata": {"annotations": annotations}}, namespace="team")
    docker = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "d", "namespace": "team"}}
    held = {".dockerconfigjson": '{"auths": {"r": {"auth": "hunter2"}}}'}
    cluster.create({**docker, "type": "kubernetes.io/dockerconfigjson", "stringData": held})
    imported(server, cluster, "-n", "team")
    assert server.get("Secret", "login", namespace="team")["data"] == {"password": "cmVkYWN0ZWQ="}
    assert server.get("Secret", "d", namespace="team")["data"] == {".dockerconfigjson": "e30="}
    shown = run("export", "--server", server.url).stdout
    assert "hunter2" not in shown
    assert "aHVudGVyMg" not in shown
    kubeconfig = str(cluster.kubeconfig)
    assert "aHVudGVyMg" not in run("export", "--kubeconfig", kubeconfig, "-r", "secrets").stdout


def test_a_definition_comes_with_the_objects_of_its_kind(cluster: FakeAPI, server: FakeAPI) -> None:
    cluster.install(CRD, WIDGET)
    output = imported(server, cluster, "-n", "team", "-r", "widgets")
    assert "customresourcedefinitions.apiextensions.k8s.io 1" in output
    assert server.get("Widget", "w", namespace="team", api_version="example.com/v1")


def test_a_version_is_taken_that_both_serve() -> None:
    with FakeAPI(release="1.33") as cluster, FakeAPI(release="1.36") as server:
        seed(cluster)
        output = run("import", "--server", server.url, "--from-cluster", cluster.url, "-n", "team")
        assert output.exit_code == 0, output.output
        assert server.get("ResourceClaim", "web-gpu", namespace="team", api_version="resource.k8s.io/v1")


def test_refusals_of_roles_are_told_and_the_rest_is_imported(tmp_path: Path, server: FakeAPI) -> None:
    group = "rbac.authorization.k8s.io"
    with FakeAPI(release="1.33", tls=True, authorization="rbac") as cluster:
        seed(cluster)
        robot = {"name": "robot", "namespace": "team"}
        rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
        role = {"apiGroup": group, "kind": "Role", "name": "robot"}
        cluster.install(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": robot},
            {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": robot, "rules": rules},
            {
                "apiVersion": f"{group}/v1",
                "kind": "RoleBinding",
                "metadata": robot,
                "roleRef": role,
                "subjects": [{"kind": "ServiceAccount", **robot}],
            },
        )
        path = "/api/v1/namespaces/team/serviceaccounts/robot/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}
        token = cluster.request("POST", path, asked)["status"]["token"]
        kubeconfig = tmp_path / "kubeconfig"
        text = cluster.kubeconfig.read_text(encoding="utf-8")
        kubeconfig.write_text(text.replace('"token": "anybody"', f'"token": "{token}"'), encoding="utf-8")
        where = ("--server", server.url, "--from-cluster", str(kubeconfig))
        result = run("import", *where, "-n", "team", "-r", "configmaps,secrets")
    assert result.exit_code == 0, result.output
    assert "Left out: secrets in team: 403 Forbidden: secrets is forbidden" in result.output
    assert "namespace team: made with its name alone" in result.output
    assert server.get("ConfigMap", "settings", namespace="team")


def test_long_lists_are_read_in_pages_and_begun_again_when_they_expire(
    cluster: FakeAPI, server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.transfer.reading.PAGE_OBJECTS", 2)
    for number in range(5):
        metadata = {"name": f"c{number}", "namespace": "team"}
        cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    with cluster.faults.gone("list configmaps", first=2, last=2):
        output = imported(server, cluster, "-n", "team", "-r", "configmaps")
    assert "configmaps 6" in output
    assert len(cluster.requests.filter(verb="list", resource="configmaps", agent="fakeapi-import")) == 2 + 3
    with cluster.faults.gone("list configmaps"):
        where = ("--server", server.url, "--from-cluster", str(cluster.kubeconfig))
        assert "configmaps in team: 410 Expired" in run("import", *where, "-n", "team", "-r", "cm").output


def test_a_busy_cluster_is_asked_again(
    cluster: FakeAPI, server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "RETRY_SECONDS_MAX", 0.01)
    cluster.faults.throttle("list configmaps", times=2)
    assert "Left out" not in imported(server, cluster, "-n", "team", "-r", "configmaps")
    cluster.faults.throttle("list configmaps", times=remote.RETRIES_MAX + 1)
    assert (
        "configmaps in team: 429"
        in run(
            "import",
            "--server",
            server.url,
            "--from-cluster",
            str(cluster.kubeconfig),
            "-n",
            "team",
            "-r",
            "cm",
        ).output
    )


def test_an_object_that_the_server_refuses_is_told_and_the_rest_imported(
    cluster: FakeAPI, server: FakeAPI
) -> None:
    server.faults.forbidden("patch configmaps")
    where = ("--server", server.url, "--from-cluster", str(cluster.kubeconfig))
    result = run("import", *where, "-n", "team")
    assert result.exit_code == 1
    assert "ConfigMap team/settings: 403 Forbidden" in result.output
    assert server.get("Pod", "web", namespace="team")


def test_an_owner_that_was_not_chosen_is_left_out(cluster: FakeAPI, server: FakeAPI) -> None:
    output = imported_with_problem(server, cluster, "-n", "team", "-r", "resourceclaims")
    assert "ResourceClaim team/web-gpu: its owner Pod web, which does not exist" in output
    claim = server.get("ResourceClaim", "web-gpu", namespace="team")
    assert not claim["metadata"].get("ownerReferences")


def imported_with_problem(server: FakeAPI, cluster: FakeAPI, *arguments: str) -> str:
    result = run("import", "--server", server.url, "--from-cluster", str(cluster.kubeconfig), *arguments)
    assert result.exit_code == 1
    return result.output


def test_a_cluster_that_does_not_let_in_is_one_line_and_changes_nothing(
    cluster: FakeAPI, server: FakeAPI, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    text = cluster.kubeconfig.read_text(encoding="utf-8")
    kubeconfig.write_text(text.replace('"secret"', '"wrong"'), encoding="utf-8")
    before = server.snapshot()
    for source, why in (
        (str(kubeconfig), "401 Unauthorized"),
        (cluster.url, "is not trusted"),
        ("http://127.0.0.1:1", "Connection refused"),
        (str(tmp_path / "none"), "No such file or directory"),
    ):
        assert why in failing("import", "--server", server.url, "--from-cluster", source)
    where = ("--server", server.url, "--from-cluster", str(cluster.kubeconfig))
    assert "no namespace 'nope'" in failing("import", *where, "-n", "nope")
    assert "no context named 'nope'" in failing("import", *where, "--context", "nope")
    assert before.diff(server.snapshot()) == []


def test_more_bytes_than_the_bound_are_refused(
    cluster: FakeAPI, server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "READ_BYTES_MAX", 20_000)
    where = ("--server", server.url, "--from-cluster", str(cluster.kubeconfig))
    assert "has sent more than 20000 bytes" in failing("import", *where)


def test_a_service_whose_address_is_taken_gets_another(cluster: FakeAPI, server: FakeAPI) -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "team"},
        "spec": {"type": "NodePort", "ports": [{"port": 80}]},
    }
    spec = cluster.create(service)["spec"]
    taken = {"clusterIP": spec["clusterIP"], "ports": [{"port": 1, "nodePort": spec["ports"][0]["nodePort"]}]}
    server.create({**service, "metadata": {"name": "other"}, "spec": {"type": "NodePort", **taken}})
    imported(server, cluster, "-n", "team", "-r", "services")
    imported_spec = server.get("Service", "web", namespace="team")["spec"]
    assert imported_spec["clusterIP"] != spec["clusterIP"]
    assert imported_spec["ports"][0]["nodePort"] != spec["ports"][0]["nodePort"]


def test_a_definition_comes_without_its_conversion_webhook(cluster: FakeAPI, server: FakeAPI) -> None:
    webhook = {"clientConfig": {"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": ["v1"]}
    conversion = {"strategy": "Webhook", "webhook": webhook}
    cluster.install({**CRD, "spec": {**CRD["spec"], "conversion": conversion}})  # type: ignore[dict-item] # a spec
    output = imported(server, cluster, "-r", "crd")
    assert "CustomResourceDefinition widgets.example.com: its conversion webhook" in output
    stored = server.get("CustomResourceDefinition", "widgets.example.com")
    assert stored["spec"]["conversion"] == {"strategy": "None"}


def test_objects_of_a_kind_that_the_server_lacks_and_nobody_defines_are_left_out(server: FakeAPI) -> None:
    with FakeAPI(release="1.36") as cluster:
        addresses = {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR"}
        cluster.create({**addresses, "metadata": {"name": "mine"}, "spec": {"cidrs": ["10.9.0.0/24"]}})
        cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "fine"}})
        with FakeAPI(release="1.28") as old:
            where = ("--server", old.url, "--from-cluster", cluster.url)
            result = run("import", *where, "-r", "servicecidrs,configmaps")
            assert "servicecidrs" in result.output
            assert "Left out" in result.output
            assert old.get("ConfigMap", "fine")
