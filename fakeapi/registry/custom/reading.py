"""Decodes custom objects, prunes unknown fields and sets defaults, as Go types do for built-in kinds.

Follows `unstructuredSchemaCoercer` and `unstructuredDefaulter` of k8s.io/apiextensions-apiserver
`pkg/apiserver/customresource_handler.go`. For an object with another kind or group, only the metadata is
decoded, because validation rejects the object later.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.duplicate_keys import duplicate_errors, first_strict_errors
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.defaulting import DefaultsTooLarge, default
from fakeapi.machinery.structural.nulls import prune_nulls
from fakeapi.machinery.structural.object_meta import coerce
from fakeapi.machinery.structural.pruning import prune
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.machinery.structural.schema import Schema


class DefaultsRefused(ApiError):
    """Raised if the defaults make an object too large to store. The error message equals etcd's message."""

    def __init__(self) -> None:
        super().__init__(500, "", "etcdserver: request is too large")


class ObjectReader(msgspec.Struct, frozen=True):
    """Decodes, prunes and defaults the custom objects of one CRD, in any of its versions.

    - `schemas`: the OpenAPI schema of each version; None for a version without a schema.
    - `fills_defaults`: whether objects get their defaults.
    """

    group: str
    kind: str
    schemas: Mapping[str, Schema | None]
    object_meta: Struct
    rules: SchemaRules
    preserves_unknown_fields: bool
    fills_defaults: bool = True

    def read(self, value: Any) -> tuple[Object, list[str]]:
        """Returns the custom object of a decoded body, and its strict decoding errors.

        Prunes the object by the schema of its version, unless the CRD preserves unknown fields.

        The caller may change the object. Raises DecodeError if the body is not a valid object.
        """
        strict = first_strict_errors(duplicate_errors(value, None))
        obj, unknown = self._with_metadata({} if value is None else value)
        strict += [f"unknown field {quote('metadata.' + _path_in(error))}" for error in unknown]
        if self.is_own(obj):
            metadata = obj["metadata"]
            strict += self._settle(obj, self.schema_of(obj))
            obj["metadata"] = metadata
        return obj, strict

    def read_as_merged(self, value: Object) -> Object:
        """Decodes the result of a merge without pruning, so that nulls and unknown fields remain.

        The caller may change the result. Raises DecodeError if the result is not a valid object.
        """
        return self._with_metadata(value)[0]

    def _with_metadata(self, value: Any) -> tuple[Object, list[str]]:
        """Returns a copy of an object with decoded metadata, and the strict decoding errors of the metadata.

        Raises DecodeError if the metadata is invalid, or if a number is too large for a float64.
        """
        try:
            obj: Object = rewritten(value)
        except ValueError as error:
            raise DecodeError(str(error)) from None
        metadata, unknown = decode(obj.get("metadata") or {}, self.object_meta)
        return {**obj, "metadata": metadata}, unknown

    def prune(self, obj: Object) -> Object:
        """Removes fields of a converted object that are not in the schema of its version. Changes `obj`.

        Keeps these fields if the CRD preserves unknown fields. Raises DecodeError if the metadata of an
        embedded resource is invalid.
        """
        if self.is_own(obj):
            self._settle(obj, self.schema_of(obj))
        return obj

    def settle(self, obj: Object) -> Object:
        """Prunes and defaults a stored or converted object by the schema of its version. Changes `obj`."""
        return self.default(self.prune(obj))

    def default(self, obj: Object) -> Object:
        """Sets the defaults from the schema of an object's version. Changes `obj`.

        Does nothing for an object of another kind, or if `fills_defaults` is False. Raises DefaultsRefused if
        the defaults make the object too large.
        """
        if self.fills_defaults and self.is_own(obj):
            try:
                default(obj, self.schema_of(obj))
            except DefaultsTooLarge:
                raise DefaultsRefused from None
        return obj

    def is_own(self, obj: Object) -> bool:
        """Whether an object has the kind and the API group of the CRD."""
        group, _, _ = str(obj.get("apiVersion", "")).rpartition("/")
        return group == self.group and obj.get("kind") == self.kind

    def schema_of(self, obj: Object) -> Schema | None:
        """Returns the schema of an object's version.

        Returns None if the version has no schema, or if the object has another kind.
        """
        if not self.is_own(obj):
            return None
        return self.schemas.get(self._version_of(obj))

    @staticmethod
    def _version_of(obj: Object) -> str:
        return str(obj["apiVersion"]).rpartition("/")[2]

    def _settle(self, obj: Object, schema: Schema | None) -> list[str]:
        """Prunes an object and decodes the metadata of embedded resources; returns strict decoding errors.

        Raises DecodeError if the metadata of an embedded resource is invalid.
        """
        paths: list[str] = []
        if not self.preserves_unknown_fields:
            paths += prune(obj, schema)
            prune_nulls(obj, schema)
        error, unknown = coerce(obj, schema, self.object_meta, is_resource_root=False, rules=self.rules)
        if error is not None:
            raise DecodeError(str(error))
        return [f'unknown field "{path}"' for path in (*paths, *unknown)]


def _path_in(strict: str) -> str:
    """Returns the field path that a strict decoding error names in quotation marks."""
    return strict.partition('"')[2].rstrip('"')
