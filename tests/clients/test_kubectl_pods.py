"""kubectl runs, prints, labels, debugs, evicts and deletes pods."""

from collections.abc import Iterator

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

ON_NODE = '--overrides={"spec":{"nodeName":"n1"}}'


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with FakeAPI(release="1.33") as api:
        api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
        yield Kubectl(api, "1.33", tmp_path_factory.mktemp("home"))


def test_it_runs_a_pod_and_prints_it_in_every_width(kubectl: Kubectl) -> None:
    kubectl.run("run", "shown", "--image=example.com/app")
    narrow, wide = (kubectl.run("get", "pod", "shown", *more).splitlines() for more in ((), ("-o", "wide")))
    assert narrow[0].split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert narrow[1].split()[:4] == ["shown", "0/1", "Pending", "0"]
    assert wide[0].split() == [*narrow[0].split(), "IP", "NODE", "NOMINATED", "NODE", "READINESS", "GATES"]
    assert wide[1].split()[5:] == ["<none>"] * 4
    assert "QoS Class:        BestEffort" in kubectl.run("describe", "pod", "shown")


def test_it_waits_for_a_condition(kubectl: Kubectl) -> None:
    kubectl.run("run", "ready", "--image=example.com/app", ON_NODE)
    status = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
    kubectl.run("patch", "pod", "ready", "--subresource=status", "-p", status)
    assert "condition met" in kubectl.run("wait", "pod", "ready", "--for=condition=Ready", "--timeout=10s")


def test_it_adds_a_container_for_debugging(kubectl: Kubectl) -> None:
    kubectl.run("run", "debugged", "--image=example.com/app")
    kubectl.run("debug", "debugged", "--image=example.com/debug", "--container=debug", "--profile=general")
    path = "jsonpath={.spec.ephemeralContainers[*].name}"
    assert kubectl.run("get", "pod", "debugged", "-o", path) == "debug"


def test_it_says_that_there_is_nothing_to_connect_to(kubectl: Kubectl) -> None:
    kubectl.run("run", "placed", "--image=example.com/app", ON_NODE)
    why = "this API server has no kubelet to connect to"
    assert f"(NotImplemented): {why}" in kubectl.run("logs", "placed", code=1)
    assert why in kubectl.run("exec", "placed", "--", "true", code=1)  # newer releases omit the reason


def test_it_deletes_a_pod_with_grace_and_by_force(kubectl: Kubectl) -> None:
    kubectl.run("run", "going", "--image=example.com/app", ON_NODE)
    kubectl.run("delete", "pod", "going", "--wait=false")
    assert "Terminating" in kubectl.run("get", "pod", "going")
    kubectl.run("delete", "pod", "going", "--grace-period=0", "--force")
    assert "NotFound" in kubectl.run("get", "pod", "going", code=1)


def test_it_drains_a_node(kubectl: Kubectl) -> None:
    kubectl.api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}})
    kubectl.run("run", "drained", "--image=example.com/app", '--overrides={"spec":{"nodeName":"n2"}}')
    status = '{"status":{"phase":"Succeeded"}}'
    kubectl.run("patch", "pod", "drained", "--subresource=status", "-p", status)
    assert "node/n2 drained" in kubectl.run("drain", "n2", "--force", "--timeout=20s")
    assert "NotFound" in kubectl.run("get", "pod", "drained", code=1)
    assert "SchedulingDisabled" in kubectl.run("get", "node", "n2")
