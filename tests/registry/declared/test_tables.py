"""The validation code supports every declared validation rule of every Kubernetes release."""

from typing import Any

import pytest

from fakeapi.registry.declared.enforcement import DeclaredValidation
from fakeapi.releases import COMPILED_RELEASES, load_release
from fakeapi.releases.rules import rules_of


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_every_kind_has_rules_that_can_be_asked(name: str) -> None:
    minor = int(name.removeprefix("1."))
    release = load_release(name, {"DeclarativeValidationTakeover": True} if 32 < minor < 37 else {})
    for kind in release.kinds:
        declared = DeclaredValidation(kind, release.all_kinds.tables, rules_of(release))
        empty: dict[str, Any] = {"metadata": {}, "spec": {}, "status": {}}
        declared.merged([], empty, None)
        declared.merged([], empty, empty)


def test_requesters_and_responders_have_names_and_priorities_of_their_own() -> None:
    release = load_release("1.37")
    kind = release.kind("", "v1", "pods")
    declared = DeclaredValidation(kind, release.all_kinds.tables, rules_of(release))
    responders = [
        {"name": "a.k8s.io/x", "priority": 999},
        {"name": "K8s.io/x", "priority": 1000},
        {"name": "example.com/x", "priority": 1000},
    ]
    found = declared.merged([], {"metadata": {}, "spec": {"evictionResponders": responders}}, None)
    reserved = [(error.field, error.body) for error in found if "reserved" in error.body]
    domains = "domain names *.k8s.io, *.kubernetes.io are reserved"
    priorities = "priorities 0-999 are reserved for responders with *.k8s.io suffix"
    assert reserved == [
        ("spec.evictionResponders[0].name", f'Invalid value: "a.k8s.io/x": {domains}'),
        ("spec.evictionResponders[0].priority", f"Invalid value: 999: {priorities}"),
        ("spec.evictionResponders[1].name", f'Invalid value: "K8s.io/x": {domains}'),
    ]
