"""Validates values against a schema, with the errors of the API server.

Follows k8s.io/kube-openapi `pkg/validation/validate` and k8s.io/apiextensions-apiserver
`pkg/apiserver/validation`.
"""

from typing import Any, Final

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema


class Nothing:
    """The type of NOTHING."""


NOTHING: Final = Nothing()
"""There is no old value: the object is being created."""


def validate(
    value: Any, schema: Schema, path: str = "", *, old: Any = NOTHING, rules: SchemaRules = NEWEST
) -> list[FieldError]:
    """What is wrong with `value`, in upstream's order, by name where upstream walks a Go map.

    With `old`, the value before an update, errors of parts that did not change are left out where the release
    ratchets. Uniqueness in list sets and maps (`list_types`), metadata (`object_meta`) and the rules of
    x-kubernetes-validations are checked elsewhere.
    """
    raise NotImplementedError
