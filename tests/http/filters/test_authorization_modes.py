"""The options of authorization stand for the modes of kube-apiserver."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

NODE = {"Impersonate-User": "system:node:n", "Impersonate-Group": "system:nodes"}
JANE = {"Impersonate-User": "jane"}
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n"


@pytest.mark.parametrize(
    ("options", "node", "jane"),
    [
        ({"authorization": "always-allow"}, 404, 404),
        ({"authorization": "rbac"}, 404, 403),
        ({"authorization": "node"}, 404, 403),
        ({"authorization": "rbac", "node_authorization": False}, 403, 403),
        ({"authorization": "always-deny"}, 403, 403),
    ],
)
def test_a_mode_allows_what_it_should(
    fakeapi_factory: Callable[..., FakeAPI], options: dict[str, Any], node: int, jane: int
) -> None:
    api = fakeapi_factory(release="1.34", **options)
    assert ask(api, LEASE, **NODE).code == node
    assert ask(api, LEASE, **JANE).code == jane
    assert ask(api, LEASE).code == 404, "administrators may do everything"


@pytest.mark.parametrize(
    ("release", "reason"),
    [("1.34", "Everything is forbidden."), ("1.37", "alwaysdeny: Everything is forbidden.")],
)
def test_always_deny_says_so(fakeapi_factory: Callable[..., FakeAPI], release: str, reason: str) -> None:
    api = fakeapi_factory(release=release, authorization="always-deny")
    assert ask(api, LEASE, **JANE).json()["message"].endswith(f": {reason}")
