"""Checks the rules of a CustomResourceDefinition: that they compile, and what they cost at most.

Follows k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`.
"""

from fakeapi.machinery.cel import library
from fakeapi.machinery.structural.schema import Schema

INSTALL = "it takes the extra cel, pip install 'fakeapi-k8s[cel]'"


def has_rules(schema: Schema | None) -> bool:
    """Whether the schema has x-kubernetes-validations where objects are checked by them."""
    if schema is None:
        return False
    below = [*schema.properties.values(), schema.items, schema.additional_properties]
    return bool(schema.validations) or any(has_rules(each) for each in below if isinstance(each, Schema))


def unchecked_warning(schema: Schema | None) -> str | None:
    """What clients are told of a definition whose rules cannot be checked; None where they are."""
    if library.is_installed() or not has_rules(schema):
        return None
    return f"fakeapi does not check x-kubernetes-validations: {INSTALL}"
