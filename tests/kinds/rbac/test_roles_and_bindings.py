"""Role, ClusterRole and their bindings: validation and immutable fields."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, created, refusals, refused_change, resource_of

GROUP = "rbac.authorization.k8s.io"
RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
PATHS = {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}
NO_VERBS = "Required value: verbs must contain at least one value"
NO_GROUPS = "Required value: resource rules must supply at least one api group"
NO_RESOURCES = "Required value: resource rules must supply at least one resource"


def rbac(resource: str, release: str = "1.33") -> Resource:
    return resource_of(release, GROUP, "v1", resource)


def binding(role_kind: str = "Role", role: str = "a", /, **subject: Any) -> Body:
    return {
        "roleRef": {"apiGroup": GROUP, "kind": role_kind, "name": role},
        "subjects": [subject] if subject else [],
    }


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([RULE], []),
        ([], []),
        ([{}], [("verbs", NO_VERBS), ("apiGroups", NO_GROUPS), ("resources", NO_RESOURCES)]),
        (
            [PATHS],
            [
                (
                    "nonResourceURLs",
                    'Invalid value: []string{"/healthz"}: namespaced rules cannot apply to non-resource URLs',
                )
            ],
        ),
    ],
)
def test_each_rule_of_a_role_has_verbs_and_resources(
    rules: list[Body], expected: list[tuple[str, str]]
) -> None:
    assert refusals(rbac("roles"), {"rules": rules}) == [
        (f"rules[0].{field}", text) for field, text in expected
    ]


def test_a_rule_of_a_cluster_role_is_about_resources_or_paths() -> None:
    assert refusals(rbac("clusterroles"), {"rules": [RULE, PATHS]}) == []
    why = "rules cannot apply to both regular resources and non-resource URLs"
    both = {"rules": [{**RULE, **PATHS}]}
    path = "rules[0].nonResourceURLs"
    assert refusals(rbac("clusterroles"), both) == [(path, f'Invalid value: []string{{"/healthz"}}: {why}')]
    assert refusals(rbac("clusterroles", "1.36"), both) == [(path, f'Invalid value: ["/healthz"]: {why}')]


def test_a_cluster_role_that_is_aggregated_selects_others() -> None:
    path = "aggregationRule.clusterRoleSelectors"
    why = "Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"
    assert refusals(rbac("clusterroles"), {"aggregationRule": {}}) == [(path, why)]
    near = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
    errors = refusals(rbac("clusterroles"), {"aggregationRule": {"clusterRoleSelectors": [near]}})
    assert errors[0] == (
        f"{path}[0].matchExpressions[0].operator",
        'Invalid value: "Near": not a valid selector operator',
    )


def test_verbs_are_required_by_declaration_from_1_37_on() -> None:
    expected = [("rules[0].apiGroups", NO_GROUPS), ("rules[0].resources", NO_RESOURCES)]
    errors = refusals(rbac("roles", "1.37"), {"rules": [{}]})
    assert errors == [*expected, ("rules[0].verbs", "Required value")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (binding(), []),
        (binding("Odd"), [("roleRef.kind", '"Odd": supported values: "Role", "ClusterRole"')]),
        (binding("Role", ""), [("roleRef.name", "Required value")]),
        (binding("Role", "a/b"), [("roleRef.name", "\"a/b\": may not contain '/'")]),
        (binding(kind="Odd", name="u"), [("subjects[0].kind", '"Odd": supported values')]),
        (binding(kind="User", name=""), [("subjects[0].name", "Required value")]),
        (
            binding(kind="Group", name="g", apiGroup="x"),
            [("subjects[0].apiGroup", '"x": supported values: "rbac.authorization.k8s.io"')],
        ),
        (
            binding(kind="ServiceAccount", name="sa", apiGroup="x"),
            [("subjects[0].apiGroup", '"x": supported values: ""')],
        ),
    ],
)
def test_a_binding_names_a_role_and_subjects_of_known_kinds(
    body: Body, expected: list[tuple[str, str]]
) -> None:
    errors = refusals(rbac("rolebindings"), body)
    assert [field for field, _ in errors] == [field for field, _ in expected]
    assert all(text in got for (_, got), (_, text) in zip(errors, expected, strict=True))


def test_a_service_account_in_a_cluster_role_binding_has_a_namespace() -> None:
    body = binding("ClusterRole", kind="ServiceAccount", name="sa")
    assert refusals(rbac("clusterrolebindings"), body) == [("subjects[0].namespace", "Required value")]


def test_users_and_groups_of_a_binding_get_the_api_group() -> None:
    obj = created(rbac("rolebindings"), binding(kind="User", name="u"))
    assert obj["subjects"] == [{"kind": "User", "apiGroup": GROUP, "name": "u"}]


@pytest.mark.parametrize(
    ("release", "why"),
    [
        (
            "1.33",
            f'rbac.RoleRef{{APIGroup:"{GROUP}", Kind:"Role", Name:"b"}}: cannot change roleRef',
        ),
        ("1.36", '{"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef'),
        ("1.37", '{"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: field is immutable'),
    ],
)
def test_the_role_of_a_binding_stays(release: str, why: str) -> None:
    errors = refused_change(rbac("rolebindings", release), binding(), binding("Role", "b"))
    assert errors == [("roleRef", f"Invalid value: {why}")]


@pytest.mark.parametrize(("release", "times"), [("1.34", 2), ("1.35", 1)])
def test_what_is_wrong_with_an_updated_role_is_said_twice_up_to_1_34(release: str, times: int) -> None:
    broken = {"rules": [{**RULE, "verbs": []}]}
    errors = refused_change(rbac("roles", release), {"rules": [RULE]}, broken)
    assert errors == [("rules[0].verbs", NO_VERBS)] * times
