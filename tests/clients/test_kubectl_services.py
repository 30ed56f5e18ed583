"""kubectl exposes, prints and describes Services, Ingresses and endpoints."""

from collections.abc import Iterator

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with FakeAPI(release="1.33") as api:
        yield Kubectl(api, "1.33", tmp_path_factory.mktemp("home"))


def test_it_exposes_a_deployment(kubectl: Kubectl) -> None:
    kubectl.run("create", "deployment", "web", "--image=example.com/web")
    kubectl.run("expose", "deployment", "web", "--port=80", "--target-port=8080")
    described = kubectl.run("describe", "service", "web")
    lines = dict(line.split(None, 1) for line in described.splitlines() if len(line.split(None, 1)) == 2)
    assert lines["Selector:"] == "app=web"
    assert lines["IP:"].startswith("10.0.0.")
    assert lines["TargetPort:"] == "8080/TCP"


@pytest.mark.parametrize(
    ("kind", "arguments", "shown"),
    [
        ("clusterip", ["--tcp=80:8080"], "80/TCP"),
        ("nodeport", ["--tcp=80:8080", "--node-port=30080"], "80:30080/TCP"),
        ("loadbalancer", ["--tcp=80"], "<pending>"),
        ("externalname", ["--external-name=example.com"], "example.com"),
    ],
)
def test_it_creates_services_of_every_type(
    kubectl: Kubectl, kind: str, arguments: list[str], shown: str
) -> None:
    kubectl.run("create", "service", kind, f"a-{kind}", *arguments)
    (line,) = kubectl.run("get", "service", f"a-{kind}", "--no-headers", "-o", "wide").splitlines()
    assert shown in line.split()
    assert f"app=a-{kind}" in line.split()


def test_it_says_why_a_node_port_is_not_to_be_had(kubectl: Kubectl) -> None:
    wanted = ["create", "service", "nodeport"]
    refused = kubectl.run(*wanted, "low", "--tcp=80", "--node-port=80", code=1)
    assert "The range of valid ports is 30000-32767" in refused
    kubectl.run(*wanted, "first", "--tcp=80", "--node-port=30123")
    refused = kubectl.run(*wanted, "second", "--tcp=80", "--node-port=30123", code=1)
    assert "provided port is already allocated" in refused


def test_it_creates_and_describes_an_ingress(kubectl: Kubectl) -> None:
    kubectl.run("create", "ingress", "outside", "--rule=a.example.com/*=web:80,tls=secret")
    columns = kubectl.run("get", "ingress", "outside", "--no-headers").split()
    assert columns[:5] == ["outside", "<none>", "a.example.com", "80,", "443"]
    assert "secret terminates a.example.com" in kubectl.run("describe", "ingress", "outside")


def test_it_prints_everything_of_all_namespaces(kubectl: Kubectl) -> None:
    kubectl.run("create", "service", "clusterip", "listed", "--tcp=80")
    assert "service/listed" in kubectl.run("get", "all", "-A")
    assert "service/listed" in kubectl.run("get", "services,endpoints,ingresses", "-o", "wide")


def test_an_address_goes_with_its_service(kubectl: Kubectl) -> None:
    kubectl.run("create", "service", "clusterip", "passing", "--tcp=80")
    address = kubectl.run("get", "service", "passing", "-o", "jsonpath={.spec.clusterIP}")
    assert kubectl.run("get", "ipaddress", address, "--no-headers").split()[1] == "services/default/passing"
    kubectl.run("delete", "service", "passing")
    assert "NotFound" in kubectl.run("get", "ipaddress", address, code=1)
