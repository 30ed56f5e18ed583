"""Reads the fieldPath of a rule in x-kubernetes-validations.

Follows ValidFieldPath of k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel`.
"""

from fakeapi.machinery.structural.schema import Schema


class FieldPathError(ValueError):
    """A fieldPath that does not lead to a field of the schema; the message is upstream's."""


def field_path(text: str, schema: Schema) -> tuple[str, Schema]:
    """The path as errors show it, beginning with a dot or a bracket, and the schema that it leads to. Raises
    FieldPathError.
    """
    raise NotImplementedError
