"""Responses name the FlowSchema and level of the request, as seen beside kube-apiserver 1.37."""

import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI

VERSION = "flowcontrol.apiserver.k8s.io/v1"
HEADERS = ("x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid")
EVERY_PATH = {"verbs": ["*"], "nonResourceURLs": ["*"]}
PODS_OF_A = {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["a"]}
BY_NAME = {"kind": "User", "user": {"name": "noxu"}}


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37") as server:
        yield server


def create(api: FakeAPI, kind: str, name: str, spec: dict[str, Any]) -> None:
    api.create({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})


def create_level(api: FakeAPI) -> None:
    limited = {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}
    create(api, "PriorityLevelConfiguration", "mine", {"type": "Limited", "limited": limited})


def create_schema(api: FakeAPI, name: str = "mine", precedence: int = 1000, **rule: Any) -> None:
    rule = {"subjects": [BY_NAME], "nonResourceRules": [EVERY_PATH], **rule}
    level = {"name": "mine"}
    spec = {"matchingPrecedence": precedence, "priorityLevelConfiguration": level, "rules": [rule]}
    create(api, "FlowSchema", name, spec)


def flow(api: FakeAPI, path: str, user: str = "", *groups: str) -> tuple[str, ...]:
    """Requests a path as a user; returns the names of the FlowSchema and the level in the response."""
    request = urllib.request.Request(f"{api.url}{path}")
    if user:
        request.add_header("Impersonate-User", user)
    for group in groups:
        request.add_header("Impersonate-Group", group)
    with urllib.request.urlopen(request) as response:
        uids = [response.headers[name] for name in HEADERS]
    objects = [*api.list("FlowSchema"), *api.list("PriorityLevelConfiguration")]
    names = {each["metadata"]["uid"]: each["metadata"]["name"] for each in objects}
    return tuple(names[uid] for uid in uids)


def test_a_request_has_the_first_flow_schema_with_its_user(api: FakeAPI) -> None:
    create_level(api)
    create_schema(api, "later", 2000)
    create_schema(api)
    assert flow(api, "/version", "noxu") == ("mine", "mine")
    assert flow(api, "/version", "foo") == ("global-default", "global-default")
    assert flow(api, "/version") == ("exempt", "exempt")
    assert flow(api, "/healthz", "foo") == ("probes", "exempt")


def test_a_flow_schema_without_its_level_classifies_nothing(api: FakeAPI) -> None:
    create_schema(api)
    assert flow(api, "/version", "noxu") == ("global-default", "global-default")
    create_level(api)
    assert flow(api, "/version", "noxu") == ("mine", "mine")
    api.delete("PriorityLevelConfiguration", "mine")
    assert flow(api, "/version", "noxu") == ("global-default", "global-default")


def test_a_rule_for_resources_names_verb_resource_and_namespace(api: FakeAPI) -> None:
    create_level(api)
    create_schema(api, resourceRules=[PODS_OF_A], nonResourceRules=[])
    assert flow(api, "/api/v1/namespaces/a/pods", "noxu")[0] == "mine"
    others = ("/api/v1/namespaces/b/pods", "/api/v1/pods", "/api/v1/namespaces/a/secrets", "/version")
    assert {flow(api, path, "noxu")[0] for path in others} == {"global-default"}


@pytest.mark.parametrize(
    ("user", "group", "expected"),
    [
        ("system:serviceaccount:kube-system:x", "system:serviceaccounts:kube-system", "workload-high"),
        ("system:node:a", "system:nodes", "node-high"),
    ],
)
def test_accounts_and_nodes_have_levels_of_their_own(
    api: FakeAPI, user: str, group: str, expected: str
) -> None:
    api.list("FlowSchema")
    assert flow(api, "/api/v1/nodes", user, group)[1] == expected


def test_the_metrics_have_the_seats_of_each_level(api: FakeAPI) -> None:
    create_level(api)
    with urllib.request.urlopen(f"{api.url}/metrics") as response:
        lines = response.read().decode().splitlines()
    prefix = "apiserver_flowcontrol_nominal_limit_seats"
    seats = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
    assert '{priority_level="mine"} 3' in seats
    assert '{priority_level="exempt"} 0' in seats
    assert '{priority_level="catch-all"} 13' in seats
