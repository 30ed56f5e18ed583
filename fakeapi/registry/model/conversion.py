"""Converts objects between the served versions of a resource, through the internal version (the hub).

The server stores objects in the hub version. Each KindDefinition names its hub version. This version is in no
release and is never served. A conversion goes from the source version to the hub, then to the target version,
as in k8s.io/apimachinery `pkg/runtime`.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases import Kind


def _unchanged(obj: Object) -> Object:
    return obj


class Conversion(msgspec.Struct, frozen=True):
    """Converts objects between one API version and the internal version, the hub.

    `to_hub` and `from_hub` are pure, and do not change kind and apiVersion. The arguments and results are
    canonical. A result may share nested values with the argument.

    `rebuilt_lists`: the lists that Kubernetes' conversion appends item by item: pairs of a type's name and a
    field. This turns an empty list into a missing list.
    """

    to_hub: Callable[[Object], Object] = _unchanged
    from_hub: Callable[[Object], Object] = _unchanged
    rebuilt_lists: frozenset[tuple[str, str]] = frozenset()


IDENTITY = Conversion()
"""The conversion of API versions whose objects have the same fields as the internal version."""


class Versions:
    """The API versions of one resource in one release, and the conversions between these versions."""

    def __init__(self, kind: Kind, others: Iterable[Kind], conversions: Mapping[str, Conversion]) -> None:
        """Registers the API versions of `kind`. `others`: the kind in its other versions; may include `kind`.

        `conversions`: the Conversion of each version, by version or apiVersion. Other versions use IDENTITY.
        """
        self._kinds = {sibling.api_version: sibling for sibling in (*others, kind)}
        self._kind = kind
        self._conversions = conversions

    def kind_of(self, api_version: str) -> Kind | None:
        """Returns the kind of the resource in an API version; None if the release lacks this version."""
        return self._kinds.get(api_version)

    def conversion(self, kind: Kind) -> Conversion:
        """Returns the conversion between a kind's version and the internal version."""
        conversion = self._conversions.get(kind.api_version) or self._conversions.get(kind.version)
        return conversion or IDENTITY

    def convert(self, value: Object, api_version: str) -> tuple[Object, Struct] | None:
        """Converts an object to another version, for server-side apply; returns the object with its type.

        The result is canonical: as upstream, the object has all fields that the Go type always writes.
        Returns None if the resource does not have the version. Raises TypedError if the apiVersion is
        malformed, or if the object does not fit its type.
        """
        if api_version.count("/") > 1:
            raise TypedError(f"unexpected GroupVersion string: {api_version}")
        target = self._kinds.get(api_version)
        if target is None:
            return None
        if self._source(value) is target:
            return value, target.apply_schema
        try:
            return self.read(value, target)[0], target.apply_schema
        except DecodeError as error:
            raise TypedError(str(error)) from error

    def read(self, value: Object, target: Kind) -> tuple[Object, list[str]]:
        """Returns `value` as a canonical object of the kind `target`, and its strict decoding errors.

        Converts from the apiVersion that `value` states. Raises DecodeError if `value` does not fit its type.
        """
        source = self._source(value)
        obj, strict = decode(value, source.schema)
        if source is not target:
            obj = self.conversion(target).from_hub(self.conversion(source).to_hub(obj))
            obj = {**obj, "apiVersion": target.api_version}
        return obj, strict

    def _source(self, value: Object) -> Kind:
        return self._kinds.get(value.get("apiVersion", ""), self._kind)
