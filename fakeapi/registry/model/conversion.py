"""Conversion between the served versions of a resource, through its hub.

The hub is the one form in which the objects of a resource are stored, whatever version they are written and
read in. It is named by the kind's definition, belongs to no release and is never served. Conversion goes
source → hub → target, as in k8s.io/apimachinery `pkg/runtime`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases import Kind


def _unchanged(obj: Object) -> Object:
    return obj


@dataclass(frozen=True, slots=True)
class Conversion:
    """Converts between one version and the hub.

    Both directions are pure, take and give canonical objects, share parts with their argument, and leave kind
    and apiVersion alone.
    """

    to_hub: Callable[[Object], Object] = _unchanged
    from_hub: Callable[[Object], Object] = _unchanged


IDENTITY = Conversion()
"""For versions that write objects as the hub does."""


class Versions:
    """The versions of one resource that a release has, and conversion between them."""

    def __init__(self, kind: Kind, others: Iterable[Kind], conversions: Mapping[str, Conversion]) -> None:
        """`others` may include `kind` itself; `conversions` by version or apiVersion, else IDENTITY."""
        self._kinds = {each.api_version: each for each in (*others, kind)}
        self._kind = kind
        self._conversions = conversions

    def kind_of(self, api_version: str) -> Kind | None:
        """The resource's kind in that version; None where the release has no such version of it."""
        return self._kinds.get(api_version)

    def conversion(self, kind: Kind) -> Conversion:
        """The conversion between the kind's version and the hub."""
        found = self._conversions.get(kind.api_version) or self._conversions.get(kind.version)
        return found or IDENTITY

    def convert(self, value: Object, api_version: str) -> tuple[Object, Struct] | None:
        """Converts `value`, of any of the versions, to another one; for `machinery.apply`.

        The result is canonical, so that fields that the type always writes are there, as upstream has it.
        None where the resource has no such version. Raises TypedError, also for a malformed apiVersion.
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
        """`value`, which names its version, as a canonical object of the kind `target`.

        With it come the messages of strict decoding. Raises DecodeError.
        """
        source = self._source(value)
        obj, strict = decode(value, source.schema)
        if source is not target:
            obj = self.conversion(target).from_hub(self.conversion(source).to_hub(obj))
            obj = {**obj, "apiVersion": target.api_version}
        return obj, strict

    def _source(self, value: Object) -> Kind:
        return self._kinds.get(value.get("apiVersion", ""), self._kind)
