"""Validation of references to the parameters of v1alpha2 claims and classes."""

from fakeapi.kinds.resource.legacy_v1alpha2.parameter_references import (
    validate_claim_reference,
    validate_class_reference,
)
from tests.kinds.resource.builders import places, triples

WHOLE = {"kind": "K", "name": "n"}


def test_a_reference_may_be_absent() -> None:
    assert validate_claim_reference({}, "ref", "r") == []
    assert validate_class_reference({}, "ref", "r") == []


def test_a_reference_has_a_kind_and_a_name() -> None:
    assert validate_claim_reference({"ref": WHOLE}, "ref", "r") == []
    assert triples(validate_claim_reference({"ref": {"kind": "", "name": ""}}, "ref", "r")) == [
        ("r.kind", "Required", "Required value"),
        ("r.name", "Required", "Required value"),
    ]


def test_a_class_refers_to_a_namespace_by_a_dns_label() -> None:
    assert validate_class_reference({"ref": {**WHOLE, "namespace": "ns"}}, "ref", "r") == []
    assert places(validate_class_reference({"ref": {**WHOLE, "namespace": "a.b"}}, "ref", "r")) == [
        "r.namespace"
    ]
