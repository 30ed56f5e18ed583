"""Validates that list sets and list maps hold no item twice.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/listtype`.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.schema import Schema


def validate_list_types(obj: Any, schema: Schema | None, path: str = "") -> list[FieldError]:
    """An error for each second item of the same value (x-kubernetes-list-type: set) or keys (map), and for
    each item of a map list that is not an object. Upstream checks an update only if the old object passes.
    """
    raise NotImplementedError
