"""The server parses fault rules, and reports invalid rules with one-line errors."""

from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.faults.actions import Refuse, Wait
from fakeapi.faults.reading import read_rules
from fakeapi.faults.ready import READY, make_rule
from fakeapi.faults.rules import RuleError
from fakeapi.testing.server import StartError

FULL = {
    "name": "slow",
    "match": {"verb": "update", "resource": "resourceclaims/status", "labels": "a=b", "body": {".spec.x": 1}},
    "when": {
        "first": 2,
        "last": 8,
        "every": 2,
        "probability": 0.5,
        "seed": 3,
        "until": "2030-01-01T00:00:00Z",
    },
    "action": {"type": "wait", "seconds": 2, "spread": 1},
}


@pytest.mark.parametrize("kind", READY)
def test_every_ready_made_rule_can_be_armed_with_its_target_alone(kind: str) -> None:
    more: dict[str, Any] = {"refuse": {"code": 418}, "refuse_watch": {"code": 500}, "wait": {"seconds": 1}}
    rule = make_rule(kind, "resourceclaims", called="mine", **more.get(kind, {}))
    assert rule.name == "mine"
    assert rule.match.resource == "resourceclaims"
    with FakeAPI() as api:
        (fault,) = api.faults.arm(rule)
        assert (fault.name, fault.fired, fault.is_armed) == ("mine", 0, True)


def test_a_rule_in_full_is_read_with_all_its_members() -> None:
    (rule,) = read_rules(FULL)
    assert rule.action == Wait(seconds=2, spread=1)
    assert (rule.when.first, rule.when.last, rule.when.every, rule.when.seed) == (2, 8, 2, 3)
    assert rule.match.labels == "a=b"


def test_the_target_of_a_ready_made_rule_may_be_a_pattern() -> None:
    rule = make_rule("conflict", "update resourceclaims.resource.k8s.io/status ns/name", times=2, every=3)
    assert rule.match.verb == "update"
    assert rule.match.resource == "resourceclaims.resource.k8s.io/status"
    assert (rule.match.namespace, rule.match.name) == ("ns", "name")
    assert (rule.when.first, rule.when.last, rule.when.every) == (1, 4, 3)
    assert make_rule("refuse", "write pods", code=500).match.verb == "write"


def test_a_file_has_rules_of_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(
        "faults:\n"
        "- conflict: resourceclaims/status\n"
        "- expire: {target: resourceclaims, after: 3}\n"
        "- {action: {type: refuse, code: 500}, match: {verb: get}}\n"
    )
    conflict, expire, refuse = read_rules(path)
    assert (conflict.match.verb, expire.when.last) == ("update,patch,delete", 1)
    assert refuse.action == Refuse(500)
    assert len(read_rules([path, {"throttle": None}])) == 4


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"conflikt": "pods"}, "no ready-made fault 'conflikt'; did you mean conflict?"),
        (
            {"conflict": {"target": "pods", "tymes": 2}},
            "conflict: no argument 'tymes'; did you mean times?",
        ),
        ({"conflict": {"target": "pods", "times": 0}}, "conflict: times must be 1 or more, not 0"),
        ({"conflict": {"target": "pods", "times": 1, "last": 2}}, "times and last cannot be used together"),
        ({"conflict": {"target": 3}}, "target must be a resource, not 3"),
        ({"conflict": ["pods"]}, "conflict takes arguments by name"),
        ({"conflict": {"target": "remove pods"}}, "no verb 'remove'"),
        ({"refuse": {"target": "pods"}}, "missing 1 required positional argument: 'code'"),
        (
            {"refuse": {"target": "pods", "code": 200}},
            "the code of a refusal must be from 400 to 599, not 200",
        ),
        ({"wait": {"target": "pods", "seconds": -1}}, "seconds must be 0 or more, not -1"),
        ({"wait": {"target": "pods", "seconds": "long"}}, "Expected `float`, got `str`"),
        ({"tear": {"target": "pods", "part": 1}}, "part must be from 0 to below 1"),
        ({"expire": {"target": "pods", "verb": "list"}}, "expireWatch is for watch, not for list"),
        ({"conflict": {"target": "pods", "body": {".a[": 1}}}, "body: "),
        ({"conflict": {"target": "pods", "labels": "a=b=c"}}, "labels: "),
        ({"conflict": {"target": "pods", "first": 3, "last": 2}}, "the fault would never fire"),
        ({"conflict": {"target": "pods", "every": 0}}, "first and every must be 1 or more"),
        ({"conflict": {"target": "pods", "probability": 0}}, "probability must be above 0 and at most 1"),
        ({"conflict": {"target": "pods", "until": "tomorrow"}}, "$.when.until"),
        ({**FULL, "wen": {}}, "Object contains unknown field `wen`"),
        ({"action": {"type": "explode"}}, "Invalid value 'explode' - at `$.action.type`"),
        ({"match": {"verb": "get"}}, "Object missing required field `action`"),
        (3, "3 is neither a rule nor a file of rules"),
        ([3], "3 is not a rule"),
    ],
)
def test_a_rule_without_sense_is_refused_in_one_line(rule: Any, problem: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_rules(rule)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "not YAML"),
        ("conflict: pods", "does not contain a list of rules"),
        ("- conflict: pods\n- conflikt: pods", "rule 2: no ready-made fault 'conflikt'"),
        ("\x00", "not YAML"),
    ],
)
def test_a_file_that_holds_no_rules_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(RuleError) as caught:
        read_rules(path)
    assert str(path) in str(caught.value)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"cannot read .*: No such file"):
        read_rules(tmp_path / "missing.yaml")
    path = tmp_path / "long.yaml"
    path.write_text("#" * (1024 * 1024 + 1))
    with pytest.raises(RuleError, match="longer than 1048576 bytes"):
        read_rules(path)


@pytest.mark.parametrize(
    ("on", "members", "problem"),
    [
        ("resourceclaim", {}, "no resource 'resourceclaim' is served; did you mean resourceclaims?"),
        ("resourceclaims/scale", {}, "no resource 'resourceclaims' with a subresource 'scale' is served"),
        ("pods.apps", {}, "no resource 'pods' is served in apps"),
        ("pods.nothing.example", {}, "no group 'nothing.example' is served"),
        ("tokenreviews", {}, "tokenreviews is not served with update, patch, delete"),
        (
            "pods",
            {"verb": "list", "labels": "a=b"},
            "labels and body select requests for one object, not list",
        ),
    ],
)
def test_a_rule_that_nothing_served_can_match_is_refused_and_nothing_is_armed(
    on: str, members: dict[str, Any], problem: str
) -> None:
    with FakeAPI(release="1.33") as api:
        with pytest.raises(RuleError, match="^" + problem.replace("?", r"\?")):
            api.faults.arm([make_rule("wait", "pods", seconds=1), make_rule("conflict", on, **members)])
        assert len(api.faults) == 0


def test_names_of_faults_are_their_own_and_their_number_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeAPI() as api:
        api.faults.conflict("pods", called="mine")
        with pytest.raises(RuleError, match="a fault 'mine' is armed already"):
            api.faults.conflict("pods", called="mine")
        with pytest.raises(RuleError, match="no fault yours is armed"):
            api.faults.disarm("mine", "yours")
        assert [each.name for each in api.faults] == ["mine"]
        monkeypatch.setattr("fakeapi.faults.armed.RULES_MAX", 1)
        with pytest.raises(RuleError, match="more than 1 faults cannot be armed at once"):
            api.faults.conflict("pods")


def test_there_is_no_fault_of_another_name() -> None:
    with FakeAPI() as api:
        with pytest.raises(AttributeError, match="no ready-made fault 'explode'"):
            api.faults.explode()  # type: ignore[attr-defined]
        assert {"conflict", "expire", "arm"} <= set(dir(api.faults))


def test_faults_of_the_settings_are_armed_at_each_start_and_reset() -> None:
    with FakeAPI(faults=[{"throttle": {"target": "get namespaces", "called": "busy"}}]) as api:
        api.faults.disarm()
        api.reset()
        assert [each.name for each in api.faults] == ["busy"]
    with pytest.raises(StartError, match="cannot start: no resource 'pots' is served"):
        FakeAPI(faults={"conflict": "pots"}).start()
    with pytest.raises(RuleError, match="conflikt"):
        FakeAPI(faults={"conflikt": "pods"}).start()
