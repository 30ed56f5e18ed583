"""Coerces and validates the metadata of custom objects and of the resources embedded in them.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/objectmeta`.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema


def coerce(
    obj: Any,
    schema: Schema | None,
    path: str = "",
    *,
    is_resource_root: bool = True,
    drop_invalid: bool = False,
) -> tuple[FieldError | None, list[str]]:
    """Brings metadata, in place, into the form that Go's ObjectMeta has: unknown fields go, and so do fields
    of a wrong type with `drop_invalid`, which otherwise are the error. Returns the paths of the unknown ones,
    sorted.
    """
    raise NotImplementedError


def validate_meta(
    obj: Any,
    schema: Schema | None,
    path: str = "",
    *,
    is_resource_root: bool = True,
    rules: SchemaRules = NEWEST,
) -> list[FieldError]:
    """What is wrong with apiVersion, kind and metadata of embedded resources, and of the object itself with
    `is_resource_root`. `obj` has been coerced.
    """
    raise NotImplementedError
