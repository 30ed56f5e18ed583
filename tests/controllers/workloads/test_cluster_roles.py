"""ClusterRoles with an aggregationRule get the rules of the ClusterRoles that they select."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import Object

API = "rbac.authorization.k8s.io/v1"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(controllers="clusterrole-aggregation") as server:
        yield server


def role(name: str, *verbs: str, label: str = "", **fields: object) -> Object:
    rules = [{"apiGroups": ["example.com"], "resources": ["things"], "verbs": list(verbs)}] if verbs else []
    metadata = {"name": name, "labels": {"to": label} if label else {}}
    return {"apiVersion": API, "kind": "ClusterRole", "metadata": metadata, "rules": rules, **fields}


def verbs_of(api: FakeAPI, name: str) -> list[list[str]]:
    api.settle()
    return [rule["verbs"] for rule in api.get("ClusterRole", name).get("rules") or ()]


def test_rules_of_selected_roles_are_combined_and_follow_their_changes(api: FakeAPI) -> None:
    rule = {"clusterRoleSelectors": [{"matchLabels": {"to": "all"}}]}
    api.create(role("all", aggregationRule=rule))
    assert verbs_of(api, "all") == []
    api.create(role("b", "list", label="all"))
    api.create(role("a", "get", label="all"))
    api.create(role("other", "delete", label="other"))
    assert verbs_of(api, "all") == [["get"], ["list"]]
    api.delete("ClusterRole", "a")
    assert verbs_of(api, "all") == [["list"]]


def test_a_role_of_a_chart_extends_the_role_view(api: FakeAPI) -> None:
    new = role("things-view", "get")
    new["metadata"]["labels"] = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    api.create(new)
    api.settle()
    groups = [rule.get("apiGroups") for rule in api.get("ClusterRole", "view")["rules"]]
    assert ["example.com"] in groups
    assert [""] in groups
