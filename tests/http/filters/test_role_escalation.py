"""Users cannot grant more permissions than they have, not even with aggregation rules or updates."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import CORE, RBAC

GROUP = "rbac.authorization.k8s.io"
BOB = {"impersonate_user": "bob"}
SUBJECT = {"apiGroup": GROUP, "kind": "User", "name": "bob"}
MERGE = {"content_type": "application/merge-patch+json"}
APPLY = {"content_type": "application/apply-patch+yaml"}
EVERYTHING = {"clusterRoleSelectors": [{"matchLabels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}]}
NEEDS_EVERYTHING = "must have cluster-admin privileges to use the aggregationRule"
ANYTHING = [
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
]


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33", authorization="rbac")


def allow(api: FakeAPI, *rules: dict[str, Any], name: str = "own") -> None:
    """Creates a ClusterRole with these rules and binds the user bob to it."""
    role = {"metadata": {"name": name}, "rules": list(rules)}
    assert ask(api, f"{RBAC}/clusterroles", "POST", role).code == 201
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": name}
    binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [SUBJECT]}
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding).code == 201


def rule(group: str, *resources: str, verbs: str = "get create update patch") -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": verbs.split()}


def refusal(api: FakeAPI, path: str, method: str, body: Any, **headers: str) -> str:
    answer = ask(api, path, method, body, **BOB, **headers)
    assert answer.code == 403, answer.body
    message: str = answer.json()["message"]
    return message


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
def test_an_aggregation_rule_needs_the_rights_of_cluster_admin(api: FakeAPI, query: str) -> None:
    allow(api, rule(GROUP, "clusterroles"))
    own, new = f"{RBAC}/clusterroles/own", f"{RBAC}/clusterroles/new"
    role = {"metadata": {"name": "new"}, "aggregationRule": EVERYTHING}
    applied = {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", **role}
    manager = f"{query or '?x=y'}&fieldManager=m"
    change = {"aggregationRule": EVERYTHING}
    refusals = {
        refusal(api, own + query, "PATCH", change, **MERGE).replace("own", "new"),
        refusal(api, own + query, "PUT", {**role, "metadata": {"name": "own"}}).replace("own", "new"),
        refusal(api, f"{RBAC}/clusterroles{query}", "POST", role),
        refusal(api, new + query, "PUT", role),
        refusal(api, new + manager, "PATCH", applied, **APPLY),
    }
    assert refusals == {f'clusterroles.{GROUP} "new" is forbidden: {NEEDS_EVERYTHING}'}
    assert ask(api, "/api/v1/secrets", **BOB).code == 403


def test_a_role_with_an_aggregation_rule_needs_the_rights_of_cluster_admin_for_any_change(
    api: FakeAPI,
) -> None:
    allow(api, rule(GROUP, "clusterroles"))
    part = {"metadata": {"name": "part", "labels": {"to": "all"}}, "rules": [rule(GROUP, "clusterroles")]}
    selectors = {"clusterRoleSelectors": [{"matchLabels": {"to": "all"}}]}
    role = {"metadata": {"name": "all"}, "aggregationRule": selectors}
    for body in (part, role):
        assert ask(api, f"{RBAC}/clusterroles", "POST", body).code == 201
    path = f"{RBAC}/clusterroles/all"
    for change in ({"aggregationRule": None}, {"metadata": {"labels": {"a": "b"}}}):
        assert refusal(api, path, "PATCH", change, **MERGE).endswith(NEEDS_EVERYTHING)
    finalizers = {"metadata": {"finalizers": ["example.com/x"]}}
    assert ask(api, path, "PATCH", finalizers, **BOB, **MERGE).code == 200
    ask(api, f"{RBAC}/clusterroles/part", "PATCH", {"rules": ANYTHING}, **MERGE)
    stored = ask(api, path).json()
    stored["metadata"]["labels"] = {"a": "b"}
    assert "not currently held" in refusal(api, path, "PUT", stored)
    assert refusal(api, path, "PUT", {"metadata": {"name": "all"}}).endswith(NEEDS_EVERYTHING)


@pytest.mark.parametrize("rules", [ANYTHING, [rule(GROUP, "clusterroles", verbs="create escalate")]])
def test_an_aggregation_rule_is_allowed_by_all_rights_and_by_escalate(
    api: FakeAPI, rules: list[dict[str, Any]]
) -> None:
    allow(api, *rules)
    role = {"metadata": {"name": "new"}, "aggregationRule": EVERYTHING}
    assert ask(api, f"{RBAC}/clusterroles", "POST", role, **BOB).code == 201


def test_an_aggregation_rule_takes_the_place_of_the_rules_of_its_role(api: FakeAPI) -> None:
    part = {"metadata": {"name": "part", "labels": {"to": "own"}}, "rules": [rule("", "configmaps")]}
    assert ask(api, f"{RBAC}/clusterroles", "POST", part).code == 201
    allow(api, rule("", "secrets"))
    selectors = {"clusterRoleSelectors": [{"matchLabels": {"to": "own"}}]}
    ask(api, f"{RBAC}/clusterroles/own", "PATCH", {"aggregationRule": selectors}, **MERGE)
    assert ask(api, f"{CORE}/configmaps/x", **BOB).code == 404
    assert ask(api, f"{CORE}/secrets/x", **BOB).code == 403
    ask(api, f"{RBAC}/clusterroles/part", "DELETE")
    assert ask(api, f"{CORE}/configmaps/x", **BOB).code == 403
    assert ask(api, f"{CORE}/secrets/x", **BOB).code == 404


def test_rights_are_compared_before_validation(api: FakeAPI) -> None:
    allow(api, rule(GROUP, "roles", "rolebindings"))
    invalid = {"metadata": {"name": "r"}, "rules": [rule("", "pods"), {"verbs": []}]}
    place = f"{RBAC}/namespaces/default"
    assert "not currently held" in refusal(api, f"{place}/roles", "POST", invalid)
    reference = {"apiGroup": GROUP, "kind": "Role", "name": "absent"}
    binding: dict[str, Any] = {"metadata": {"name": "b"}, "roleRef": reference}
    answer = ask(api, f"{place}/rolebindings", "POST", binding, **BOB)
    assert (answer.code, answer.json()["message"]) == (404, f'rolebindings.{GROUP} "absent" not found')
    binding["roleRef"] = {"apiGroup": "x", "kind": "Other", "name": "r"}
    answer = ask(api, f"{place}/rolebindings", "POST", binding, **BOB)
    assert (answer.code, answer.json()["message"]) == (500, 'unsupported role reference kind: "Other"')
    assert ask(api, f"{place}/rolebindings", "POST", binding).code == 422
    allow(api, rule(GROUP, "clusterrolebindings"), name="more")
    binding["roleRef"] = reference
    answer = ask(api, f"{RBAC}/clusterrolebindings", "POST", binding, **BOB)
    assert (answer.code, answer.json()["message"]) == (400, "Namespace parameter required.")


LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/x"


@pytest.mark.parametrize("query", ["?fieldManager=m", "?fieldManager=m&dryRun=All"])
@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("PATCH", f"{CORE}/configmaps/x", "v1 ConfigMap"),
        ("PUT", LEASE, "coordination.k8s.io/v1 Lease"),
        ("PATCH", LEASE, "coordination.k8s.io/v1 Lease"),
        ("PUT", f"{RBAC}/namespaces/default/roles/x", f"{GROUP}/v1 Role"),
    ],
)
def test_an_apply_or_put_that_creates_needs_the_verb_create(
    api: FakeAPI, method: str, path: str, kind: str, query: str
) -> None:
    version, _, name = kind.partition(" ")
    body = {"apiVersion": version, "kind": name, "metadata": {"name": "x"}}
    headers = APPLY if method == "PATCH" else {}
    allow(api, rule("*", "configmaps", "leases", "roles", verbs="get update patch"))
    message = refusal(api, path + query, method, body, **headers)
    resource, group = path.split("/")[-2], version.rpartition("/")[0]
    assert message.endswith(
        f'"x" is forbidden: User "bob" cannot create resource "{resource}" in API group "{group}" '
        'in the namespace "default"'
    )
    assert ask(api, path).code == 404
    allow(api, rule("*", "configmaps", "leases", "roles", verbs="create"), name="more")
    assert ask(api, path + query, method, body, **BOB, **headers).code == 201


def test_the_object_that_an_apply_or_put_would_create_is_validated_first(api: FakeAPI) -> None:
    allow(api, rule("*", "leases", verbs="get update patch"))
    invalid = {"metadata": {"name": "x"}, "spec": {"leaseDurationSeconds": -1}}
    assert ask(api, LEASE, "PUT", invalid, **BOB).code == 422


@pytest.mark.parametrize(("release", "prefix"), [("1.36", ""), ("1.37", "rbac: ")])
def test_a_refusal_names_its_authorizer_from_1_37_on(
    fakeapi_factory: Callable[..., FakeAPI], release: str, prefix: str
) -> None:
    api = fakeapi_factory(release=release, authorization="rbac")
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "absent"}
    binding = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [SUBJECT]}
    assert ask(api, f"{RBAC}/clusterrolebindings", "POST", binding).code == 201
    answer = ask(api, f"{CORE}/secrets", **BOB)
    reason = f'{prefix}RBAC: clusterrole.{GROUP} "absent" not found'
    assert answer.json()["message"].endswith(f'in the namespace "default": {reason}')


def test_an_empty_aggregation_rule_is_a_change_of_the_role(api: FakeAPI) -> None:
    allow(api, rule(GROUP, "clusterroles"))
    role = {"metadata": {"name": "secrets"}, "rules": [rule("", "secrets")]}
    assert ask(api, f"{RBAC}/clusterroles", "POST", role).code == 201
    path = f"{RBAC}/clusterroles/secrets"
    assert ask(api, path, "PATCH", {"metadata": {"finalizers": ["a.b/c"]}}, **BOB, **MERGE).code == 200
    changes: list[dict[str, Any]] = [{"metadata": {"labels": {"a": "b"}}}, {"aggregationRule": {}}]
    for change in changes:
        assert "not currently held" in refusal(api, path, "PATCH", change, **MERGE)
