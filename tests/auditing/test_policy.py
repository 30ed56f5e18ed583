"""An audit policy decides by its first matching rule how much of a request is logged."""

from typing import Any

import pytest

from fakeapi.auditing.policy import LEVEL_NAMES, Decision, Policy, Stage
from fakeapi.auditing.policy_file import policy_of
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.users import User

JANE = User("jane", ("developers", "testers"))


def policy(*rules: dict[str, Any], **members: Any) -> Policy:
    """Returns a policy whose rules have the level Metadata unless they name another one."""
    return policy_of({"rules": [{"level": "Metadata", **rule} for rule in rules], **members})


def decide(rules: Policy, user: User | None = JANE, **request: Any) -> Decision:
    """Returns the decision about a request: by default, Jane gets the log of the pod p."""
    usual = {"verb": "get", "resource": "pods", "subresource": "log", "namespace": "ns", "name": "p"}
    return rules.decide(AccessAttributes(user or User(""), **{**usual, **request}), user)


def level(rule: dict[str, Any], user: User | None = JANE, **request: Any) -> str:
    return LEVEL_NAMES[decide(policy(rule), user, **request).level]


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"users": ["joe", "jane"]},
        {"userGroups": ["testers"]},
        {"verbs": ["list", "get"]},
        {"namespaces": ["ns"]},
        {"resources": [{"group": ""}]},
        {"resources": [{"group": "*"}]},
        {"resources": [{"resources": ["pods/log"]}]},
        {"resources": [{"resources": ["*"]}]},
        {"resources": [{"resources": ["pods/*"]}]},
        {"resources": [{"resources": ["*/log"]}]},
        {"resources": [{"resources": ["pods/log"], "resourceNames": ["q", "p"]}]},
        {"resources": [{"group": "apps"}, {"group": "", "resources": ["pods/log"]}]},
    ],
)
def test_a_rule_whose_members_all_match_decides(rule: dict[str, Any]) -> None:
    assert level(rule) == "Metadata"


@pytest.mark.parametrize(
    "rule",
    [
        {"users": ["joe"]},
        {"userGroups": ["admins"]},
        {"verbs": ["list"]},
        {"namespaces": ["other"]},
        {"namespaces": [""]},
        {"resources": [{"group": "apps"}]},
        {"resources": [{"resources": ["pods"]}]},
        {"resources": [{"resources": ["pods/*"], "resourceNames": ["q"]}]},
        {"resources": [{"resources": ["*/scale"]}]},
        {"nonResourceURLs": ["*"]},
        {"users": ["jane"], "verbs": ["list"]},
    ],
)
def test_a_rule_with_a_member_that_does_not_match_is_skipped(rule: dict[str, Any]) -> None:
    assert level(rule) == "None"


def test_a_plain_name_of_a_resource_does_not_match_its_subresources() -> None:
    rule = {"resources": [{"resources": ["pods"]}]}
    assert level(rule, subresource="") == "Metadata"
    assert level(rule, subresource="log") == "None"


def test_an_empty_namespace_matches_resources_without_a_namespace() -> None:
    assert level({"namespaces": [""]}, resource="nodes", subresource="", namespace="") == "Metadata"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", "Metadata"),
        ("/healthz/etcd", "Metadata"),
        ("/healthz*", "Metadata"),
        ("/healthz/*", "Metadata"),
        ("/healthz", "None"),
        ("/version", "None"),
    ],
)
def test_a_url_matches_its_path_or_a_pattern_that_ends_in_an_asterisk(pattern: str, expected: str) -> None:
    rule = {"nonResourceURLs": [pattern]}
    assert level(rule, path="/healthz/etcd", is_resource=False) == expected


def test_a_rule_for_resources_does_not_match_other_urls() -> None:
    assert level({"resources": [{"group": "*"}]}, path="/version", is_resource=False) == "None"


@pytest.mark.parametrize("rule", [{"users": ["", "system:anonymous"]}, {"userGroups": ["testers"]}])
def test_a_rule_for_users_does_not_match_a_request_with_rejected_credentials(rule: dict[str, Any]) -> None:
    assert level(rule, user=None) == "None"
    assert level({}, user=None) == "Metadata"


def test_the_first_matching_rule_decides() -> None:
    rules = policy({"users": ["joe"], "level": "Request"}, {"level": "None"}, {"level": "RequestResponse"})
    assert LEVEL_NAMES[decide(rules).level] == "None"
    assert LEVEL_NAMES[decide(rules, User("joe")).level] == "Request"


def test_a_rule_omits_its_own_stages_and_those_of_the_policy() -> None:
    rules = policy({"omitStages": ["Panic"]}, omitStages=["RequestReceived"])
    assert decide(rules).omit_stages == {Stage.PANIC, Stage.REQUEST_RECEIVED}


@pytest.mark.parametrize(
    ("of_policy", "of_rule", "expected"),
    [
        ({}, {}, False),
        ({"omitManagedFields": True}, {}, True),
        ({"omitManagedFields": True}, {"omitManagedFields": False}, False),
        ({}, {"omitManagedFields": True}, True),
    ],
)
def test_a_rule_says_whether_managed_fields_are_omitted_before_the_policy_does(
    of_policy: dict[str, Any], of_rule: dict[str, Any], *, expected: bool
) -> None:
    assert decide(policy(of_rule, **of_policy)).omit_managed_fields is expected
