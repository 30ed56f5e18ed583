"""Namespace of core/v1: its finalizer, label and phase."""

import copy
from typing import Any

import pytest

from fakeapi.kinds.core.namespace.definition import NamespaceStatusStrategy, NamespaceStrategy
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of
from tests.kinds.resource.builders import places, triples

RULES = rules_of(load_release("1.33"))
NAME = {"kubernetes.io/metadata.name": "team"}


def namespace(status: dict[str, Any] | None = None, *finalizers: str, **metadata: Any) -> dict[str, Any]:
    spec = {"finalizers": list(finalizers)} if finalizers else {}
    return {"metadata": {"name": "team", **metadata}, "spec": spec, "status": status or {}}


def test_a_new_namespace_is_active_and_kubernetes_holds_it() -> None:
    strategy = NamespaceStrategy(RULES)
    obj = strategy.prepare_create(strategy.default(namespace({"phase": "Terminating"}, labels={"z": "1"})))
    assert obj == namespace({"phase": "Active"}, "kubernetes", labels={**NAME, "z": "1"})
    assert list(obj["metadata"]["labels"]) == ["kubernetes.io/metadata.name", "z"]
    assert strategy.validate_create(obj) == []


def test_finalizers_that_it_came_with_stay_before_that_of_kubernetes() -> None:
    strategy = NamespaceStrategy(RULES)
    obj = strategy.prepare_create(namespace({}, "example.com/mine"))
    assert obj["spec"]["finalizers"] == ["example.com/mine", "kubernetes"]
    again = strategy.prepare_create(copy.deepcopy(obj))
    assert again == obj


def test_a_name_that_is_generated_becomes_the_label_when_it_is_known() -> None:
    strategy = NamespaceStrategy(RULES)
    nameless = {"metadata": {"generateName": "team-"}, "spec": {}, "status": {}}
    assert "labels" not in strategy.default(nameless)["metadata"]
    nameless["metadata"]["name"] = "team-x"
    assert strategy.prepare_create(nameless)["metadata"]["labels"] == {
        "kubernetes.io/metadata.name": "team-x"
    }


def test_a_write_to_a_namespace_keeps_phase_and_finalizers() -> None:
    old = namespace({"phase": "Active"}, "kubernetes", labels=NAME)
    strategy = NamespaceStrategy(RULES)
    new = strategy.default(namespace({"phase": "Terminating"}, labels={"kubernetes.io/metadata.name": "x"}))
    assert strategy.prepare_update(new, old) == old
    assert strategy.validate_update(new, old) == []


@pytest.mark.parametrize("finalizer", ["mine", "example.com/bad name!"])
def test_a_finalizer_is_qualified(finalizer: str) -> None:
    made = NamespaceStrategy(RULES).prepare_create(namespace({}, finalizer))
    assert places(NamespaceStrategy(RULES).validate_create(made)) == ["spec.finalizers"]


def test_a_write_to_status_keeps_finalizers_and_the_phase_follows_from_deletion() -> None:
    old = namespace({"phase": "Active"}, "kubernetes", labels=NAME)
    strategy = NamespaceStatusStrategy(RULES)
    new = strategy.prepare_update(namespace({"phase": "Terminating"}, labels=NAME), old)
    assert new["spec"] == old["spec"]
    assert triples(strategy.validate_update(new, old)) == [
        (
            "status.Phase",
            "Invalid",
            "Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
        )
    ]
    new["metadata"]["deletionTimestamp"] = "2001-01-01T00:00:00Z"
    assert strategy.validate_update(new, old) == []
