"""Implements the subresource scale of custom objects.

Follows `ScaleREST` of k8s.io/apiextensions-apiserver `pkg/registry/customresource/etcd.go`. The server
validates only the changed custom object, not the Scale.
"""

from typing import Any

import msgspec

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.golang.fmt import go_type, printed
from fakeapi.machinery.golang.numbers import converted
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath import dotted
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.custom.specification import ScalePaths
from fakeapi.registry.model.scale import ScaleProjection, ScaleView
from fakeapi.releases import Kind, Release

_UNSET = -(1 << 31)
"""Placeholder for the replicas in a Scale, if the custom object has no replicas. Not sent to clients."""


class AccessorError(ValueError):
    """Raised if the value at a field path has the wrong type.

    The message equals the message of Go's accessors.
    """


class Found(msgspec.Struct, frozen=True):
    """The value at a field path of an object.

    If the path does not exist, `value` is the zero value of the expected type, and `present` is False.
    """

    value: Any
    present: bool


def nested(obj: Object, path: tuple[str, ...], wanted: type, go: str) -> Found:
    """Returns the value at a field path, and whether the path exists.

    - `wanted`: the type that the value must have.
    - `go`: the name of this type in Go, for the error message.

    Raises AccessorError if the value has another type, or if a parent of the value is neither an object nor
    null. If a parent is null, the path does not exist. Follows NestedInt64 and NestedString of
    k8s.io/apimachinery `pkg/apis/meta/v1/unstructured`.
    """
    value: Any = obj
    for index, name in enumerate(path):
        if value is None:
            return Found(wanted(), present=False)
        if not isinstance(value, dict):
            raise _not_of_type(path[: index + 1], value, "map[string]interface{}")
        if name not in value:
            return Found(wanted(), present=False)
        value = value[name]
    if type(value) is not wanted:
        raise _not_of_type(path, value, go)
    return Found(value, present=True)


def nested_int(obj: Object, path: tuple[str, ...]) -> Found:
    return nested(obj, path, int, "int64")


def nested_text(obj: Object, path: tuple[str, ...]) -> Found:
    return nested(obj, path, str, "string")


def _not_of_type(path: tuple[str, ...], value: Any, wanted: str) -> AccessorError:
    return AccessorError(
        f".{'.'.join(path)} accessor error: {printed(value)} is of the type {go_type(value)}, "
        f"expected {wanted}"
    )


def projection_of(paths: ScalePaths | None) -> ScaleProjection | None:
    """Returns the projection that builds a Scale from a custom object; None if `paths` is None.

    `paths`: the JSONPaths in the CRD; None if the version does not have the subresource scale.
    """
    if paths is None:
        return None
    selector = dotted(paths.selector) if paths.selector else ()

    def selector_of(obj: Object) -> str:
        return str(nested_text(obj, selector).value) if selector else ""

    return ScaleProjection(selector_of, dotted(paths.replicas), dotted(paths.status_replicas))


class CustomScaleView(ScaleView):
    """Converts custom objects to Scales, and writes Scales back to custom objects."""

    def __init__(
        self,
        kind: CustomKind,
        release: Release,
        scale_kind: Kind,
        projection: ScaleProjection,
        siblings: tuple[CustomKind, ...],
    ) -> None:
        super().__init__(kind, release, scale_kind, projection)
        self._text = f".{'.'.join(projection.replicas)}"
        self._qualified = Qualified(kind.group, kind.resource)
        for sibling in siblings:
            scale = sibling.version_specification.scale
            if scale is not None:
                self._paths[sibling.api_version] = tuple(f"f:{name}" for name in dotted(scale.replicas))

    @property
    def qualified(self) -> Qualified:
        """The resource that error messages name: the custom resource, without `/scale`."""
        return self._qualified

    def of(self, obj: Object) -> Object:
        """Returns the Scale of a custom object.

        Raises ApiError 500 if the object has no replicas, or if replicas or selector have the wrong type.
        """
        scale, present = self._scale(obj)
        if not present:
            raise errors.internal(f"the spec replicas field {quote(self._text)} does not exist")
        return scale

    def with_managers(self, obj: Object) -> Object:
        scale, present = self._scale(obj)
        if not present:
            scale["spec"]["replicas"] = _UNSET
        return self._with_managers_of(obj, scale)

    def applied_to(self, obj: Object, scale: Object) -> Object:
        """Returns a custom object with the replicas and managedFields of a Scale.

        Raises ApiError 400 if the Scale has no replicas.
        """
        if (scale.get("spec") or {}).get("replicas") == _UNSET:
            raise errors.bad_request(f"the spec replicas field {quote(self._text)} cannot be empty")
        version = scale["metadata"].get("resourceVersion") or obj["metadata"]["resourceVersion"]
        return self._scaled(obj, scale, version)

    def _scale(self, obj: Object) -> tuple[Object, bool]:
        """Returns the Scale of a custom object, and whether the object has replicas.

        Raises ApiError 500 if replicas or selector have the wrong type.
        """
        projection = self._projection
        try:
            replicas = nested_int(obj, projection.replicas)
            status_replicas = nested_int(obj, projection.status_replicas)
            selector = projection.selector_of(obj)
        except AccessorError as error:
            raise ApiError(500, "", str(error)) from None
        scale = self.scale_of(
            obj, converted(replicas.value, 32), converted(status_replicas.value, 32), selector
        )
        return scale, replicas.present
