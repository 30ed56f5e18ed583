"""The versions of one resource in a release, and the way of an object from one to another.

Objects are kept in the oldest version that the release serves. Upstream keeps them in another one, which
nobody can tell: a version is a form of the same object, and every way leads through the form that is kept.
Follows the conversions of k8s.io/kubernetes `pkg/apis/resource` and k8s.io/apimachinery `pkg/runtime`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.groups.resource_k8s_io.conversion import requests, slices
from fakeapi.releases import Kind, Release


def _as_it_is(obj: Object) -> Object:
    return obj


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a version writes what is kept. Both ways are pure, go from canonical objects to canonical objects,
    share parts with what they are given, and leave kind and apiVersion alone.
    """

    to_hub: Callable[[Object], Object] = _as_it_is
    from_hub: Callable[[Object], Object] = _as_it_is


IDENTITY = Conversion()

CONVERSIONS: dict[tuple[str, str], Conversion] = {
    ("resourceclaims", "v1beta2"): Conversion(requests.claim_from_exactly, requests.claim_to_exactly),
    ("resourceclaimtemplates", "v1beta2"): Conversion(
        requests.template_from_exactly, requests.template_to_exactly
    ),
    ("resourceslices", "v1beta1"): Conversion(slices.slice_from_objects, slices.slice_to_objects),
    ("resourceslices", "v1beta2"): Conversion(slices.slice_from_flat, slices.slice_to_flat),
}
"""By resource and version; whatever is not here has the form that is kept."""


class Versions:
    """`stored` is the kind whose version is kept."""

    def __init__(self, kind: Kind, release: Release) -> None:
        self._kinds = {
            each.api_version: each
            for each in release.kinds
            if (each.group, each.resource) == (kind.group, kind.resource)
        }
        self._kind = kind
        self.stored = next(iter(self._kinds.values()))

    def kind_of(self, api_version: str) -> Kind | None:
        """The resource's kind in that version; None where it does not exist in it."""
        return self._kinds.get(api_version)

    def convert(self, value: Object, api_version: str) -> tuple[Object, Struct] | None:
        """What `machinery.apply` asks of a converter: `value`, of any of the versions, in another one.

        What comes out is canonical, so that fields that the type always writes are there, as upstream has it.
        None where the resource has no such version. Raises TypedError, for what is no version at all too.
        """
        if api_version.count("/") > 1:
            raise TypedError(f"unexpected GroupVersion string: {api_version}")
        target = self._kinds.get(api_version)
        if target is None:
            return None
        if self._source(value) is target:
            return value, target.schema
        try:
            return self.read(value, target)[0], target.schema
        except DecodeError as error:
            raise TypedError(str(error)) from error

    def read(self, value: Object, target: Kind) -> tuple[Object, list[str]]:
        """`value`, which says its version, as a canonical object of the kind `target`.

        With it come the texts of strict decoding. Raises DecodeError.
        """
        source = self._source(value)
        obj, strict = decode(value, source.schema)
        if source is not target:
            obj = conversion_of(target).from_hub(conversion_of(source).to_hub(obj))
            obj = {**obj, "apiVersion": target.api_version}
        return obj, strict

    def _source(self, value: Object) -> Kind:
        return self._kinds.get(value.get("apiVersion", ""), self._kind)


def conversion_of(kind: Kind) -> Conversion:
    return CONVERSIONS.get((kind.resource, kind.version), IDENTITY)
