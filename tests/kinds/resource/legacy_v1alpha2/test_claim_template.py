"""ResourceClaimTemplate of resource.k8s.io/v1alpha2: defaults and validation."""

from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.claim_template import ClaimTemplateStrategy
from tests.kinds.resource.builders import ODD_TEMPLATES, RULES, places, template

STRATEGY = ClaimTemplateStrategy(RULES["1.30"])


def v1alpha2(class_name: str = "a", **metadata: Any) -> dict[str, Any]:
    return template({"resourceClassName": class_name, "allocationMode": "Immediate"}, **metadata)


def test_a_template_s_claims_have_the_defaults_of_claims() -> None:
    assert STRATEGY.default(template({"resourceClassName": "a"}))["spec"]["spec"] == {
        "resourceClassName": "a",
        "allocationMode": "WaitForFirstConsumer",
    }


def test_a_template_s_claims_follow_the_rules_of_claims() -> None:
    assert STRATEGY.validate_create(v1alpha2()) == []
    assert places(STRATEGY.validate_create(v1alpha2("Bad_", name="x"))) == [
        "spec.metadata.name",
        "spec.spec.resourceClassName",
    ]


def test_the_spec_stays_as_it_was_made() -> None:
    assert places(STRATEGY.validate_update(v1alpha2("b"), v1alpha2("a"))) == ["spec"]
    assert places(STRATEGY.validate_update(v1alpha2(labels={"a": "1"}), v1alpha2())) == ["spec"]
    assert STRATEGY.validate_update(v1alpha2(), v1alpha2()) == []


def test_what_is_wrong_with_the_spec_is_said_before_and_after() -> None:
    bad = "spec.spec.resourceClassName"
    assert places(STRATEGY.validate_update(v1alpha2("Bad_"), v1alpha2())) == [bad, "spec", bad]


@pytest.mark.parametrize("name", ["ownerReferences", "finalizers", "managedFields"])
def test_what_claims_cannot_be_given_is_refused_though_it_is_an_empty_list(name: str) -> None:
    body = v1alpha2()
    sent = {**body, "spec": {**body["spec"], "metadata": {name: []}}}
    restored = STRATEGY.restore_after_decoding({**body, "spec": {**body["spec"]}}, sent)
    assert places(STRATEGY.validate_create(restored)) == [f"spec.metadata.{name}"]
    assert all(STRATEGY.restore_after_decoding(body, odd) == body for odd in ODD_TEMPLATES)
