"""With RBAC, writes to a ResourceClaim's status need permissions on synthetic subresources."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import RBAC

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
DRIVER = {"impersonate_user": "system:serviceaccount:default:driver"}
ON_NODE = {**DRIVER, "impersonate_extra_authentication.kubernetes.io%2fnode_name": "n1"}
REQUEST = {"name": "r", "exactly": {"deviceClassName": "gpu"}}
RESULT = {"request": "r", "driver": "gpu.example.com", "pool": "p", "device": "d"}
FIELD = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
ALLOCATION = {
    "devices": {"results": [RESULT]},
    "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [FIELD]}]},
}
DEVICE = {"driver": "gpu.example.com", "pool": "p", "device": "d", "data": {"a": "b"}}


def allow(api: FakeAPI, *rules: tuple[str, str]) -> None:
    """Permits the service account `driver` to use these resources. `rules`: (resource, verb) pairs."""
    made = [{"apiGroups": ["resource.k8s.io"], "resources": [what], "verbs": [verb]} for what, verb in rules]
    role = {"metadata": {"generateName": "r"}, "rules": made}
    name = ask(api, f"{RBAC}/clusterroles", "POST", role).json()["metadata"]["name"]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"kind": "ServiceAccount", "name": "driver", "namespace": "default"}
    binding = {"metadata": {"generateName": "b"}, "roleRef": reference, "subjects": [subject]}
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding).code == 201


@pytest.fixture(params=["1.37"])
def api(request: pytest.FixtureRequest, fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    server = fakeapi_factory(release=request.param, authorization="rbac")
    claim = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [REQUEST]}}}
    assert ask(server, CLAIMS, "POST", claim).code == 201
    allow(server, ("resourceclaims/status", "update"))
    return server


def change(api: FakeAPI, status: dict[str, Any], **headers: str) -> Any:
    claim = ask(api, f"{CLAIMS}/c").json()
    claim["status"] = {**claim.get("status", {}), **status}
    return ask(api, f"{CLAIMS}/c/status", "PUT", claim, **headers)


def test_to_allocate_needs_the_permission_to_bind(api: FakeAPI) -> None:
    refused = change(api, {"allocation": ALLOCATION}, **DRIVER)
    assert refused.code == 422
    message = refused.json()["message"]
    assert message.startswith(
        'ResourceClaim.resource.k8s.io "c" is invalid: status.allocation: Forbidden: changing '
        'status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" '
        "permission: resourceclaims.resource.k8s.io is forbidden: User "
    )
    assert message.endswith('"resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope')
    allow(api, ("resourceclaims/binding", "update"))
    assert change(api, {"allocation": ALLOCATION}, **DRIVER).code == 200


@pytest.mark.parametrize(
    ("verb", "client", "code"),
    [
        ("associated-node:update", ON_NODE, 200),
        ("associated-node:update", DRIVER, 422),
        ("arbitrary-node:update", DRIVER, 200),
        ("arbitrary-node:update", ON_NODE, 200),
        ("associated-node:patch", ON_NODE, 422),
    ],
)
def test_to_report_on_a_device_needs_the_permission_for_its_driver(
    api: FakeAPI, verb: str, client: dict[str, str], code: int
) -> None:
    assert change(api, {"allocation": ALLOCATION}).code == 200
    allow(api, ("resourceclaims/driver", verb))
    answer = change(api, {"devices": [DEVICE]}, **client)
    assert answer.code == code, answer.body


@pytest.mark.parametrize("api", ["1.35"], indirect=True)
def test_older_releases_ask_for_the_status_alone(api: FakeAPI) -> None:
    assert change(api, {"allocation": ALLOCATION}, **DRIVER).code == 200
