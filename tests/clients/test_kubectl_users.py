"""kubectl acts as different users, with tokens, impersonation and permissions from RBAC roles."""

from collections.abc import Iterator

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

ROBOT = "system:serviceaccount:default:robot"


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Runs an RBAC server with the service account `robot`; yields a Kubectl for the server.

    The server uses TLS, because kubectl sends tokens only over TLS. `robot` has the ClusterRole `view`.
    """
    with FakeAPI(release="1.33", authorization="rbac", tls=True) as api:
        kubectl = Kubectl(api, "1.33", tmp_path_factory.mktemp("home"))
        kubectl.run("create", "serviceaccount", "robot")
        kubectl.run("create", "rolebinding", "robot", "--clusterrole=view", "--serviceaccount=default:robot")
        yield kubectl


@pytest.fixture(scope="module")
def robot(kubectl: Kubectl) -> str:
    """Returns the kubectl option `--token` with a token of the service account `robot`."""
    return "--token=" + kubectl.run("create", "token", "robot", "--duration=1h").strip()


def test_it_says_who_it_is(kubectl: Kubectl, robot: str) -> None:
    assert "kubernetes-admin" in kubectl.run("auth", "whoami")
    text = kubectl.run("auth", "whoami", robot)
    assert ROBOT in text
    assert "system:serviceaccounts:default" in text
    assert "[a b system:authenticated]" in kubectl.run(
        "auth", "whoami", "--as=jane", "--as-group=a", "--as-group=b"
    )


def test_a_role_lets_a_service_account_read_and_nothing_else(kubectl: Kubectl, robot: str) -> None:
    assert kubectl.run("get", "pods,services", robot).splitlines()[0].split()[0] == "NAME"
    refused = kubectl.run("create", "configmap", "x", robot, code=1)
    assert f'configmaps is forbidden: User "{ROBOT}" cannot create resource "configmaps"' in refused
    refused = kubectl.run("get", "pods", "-A", robot, code=1)
    assert 'cannot list resource "pods" in API group "" at the cluster scope' in refused


def test_it_says_what_somebody_can_do(kubectl: Kubectl, robot: str) -> None:
    assert kubectl.run("auth", "can-i", "create", "pods") == "yes\n"
    assert kubectl.run("auth", "can-i", "list", "pods", robot) == "yes\n"
    assert kubectl.run("auth", "can-i", "create", "pods", robot, code=1) == "no\n"
    assert kubectl.run("auth", "can-i", "create", "pods", "--as=jane", code=1) == "no\n"
    listed = kubectl.run("auth", "can-i", "--list", robot)
    assert "pods/log" in listed
    assert "secrets" not in listed


def test_it_reconciles_roles(kubectl: Kubectl) -> None:
    path = kubectl.home / "role.yaml"
    path.write_text(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: default}\n"
        "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n"
    )
    assert "role.rbac.authorization.k8s.io/r reconciled" in kubectl.run("auth", "reconcile", "-f", str(path))


def test_a_token_that_is_good_for_nothing_is_refused(kubectl: Kubectl) -> None:
    token = kubectl.run("create", "token", "robot", "--audience=vault").strip()
    kubectl.run("get", "pods")  # fills kubectl's cache of discovery, which has an error text of its own
    assert "Unauthorized" in kubectl.run("get", "pods", f"--token={token}", code=1)
