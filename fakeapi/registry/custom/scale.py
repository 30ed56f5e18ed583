"""The scale subresource of custom objects.

Follows `ScaleREST` of k8s.io/apiextensions-apiserver `pkg/registry/customresource/etcd.go`. A Scale is not
validated itself: what it makes of the object is.
"""

from dataclasses import dataclass
from typing import Any

from fakeapi.machinery import errors
from fakeapi.machinery.apply import scale_fields
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.golang.fmt import printed
from fakeapi.machinery.golang.numbers import converted
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath import dotted
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.custom.specification import ScalePaths
from fakeapi.registry.model.scale import ScaleProjection, ScaleView, with_value_at
from fakeapi.releases import Kind, Release

_UNSET = -(1 << 31)
"""The replicas of a Scale of an object that has none, before a client sets them."""
_GO_TYPES = {str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}"}


class AccessorError(ValueError):
    """A path that leads through, or to, a value of another type; the message is Go's."""


@dataclass(frozen=True, slots=True)
class Found:
    """`present` is False where a path leads nowhere, and `value` then the zero value."""

    value: Any
    present: bool


def nested(obj: Object, path: tuple[str, ...], wanted: type, go: str) -> Found:
    """The value at a path. Raises AccessorError.

    Follows NestedInt64 and NestedString of k8s.io/apimachinery `pkg/apis/meta/v1/unstructured`.
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
    kind = "<nil>" if value is None else _GO_TYPES.get(type(value), "map[string]interface {}")
    return AccessorError(
        f".{'.'.join(path)} accessor error: {printed(value)} is of the type {kind}, expected {wanted}"
    )


def projection_of(paths: ScalePaths | None) -> ScaleProjection | None:
    """Where an object has what a Scale tells, for a version that has the subresource."""
    if paths is None:
        return None
    selector = dotted(paths.selector) if paths.selector else ()

    def selector_of(obj: Object) -> str:
        return str(nested_text(obj, selector).value) if selector else ""

    return ScaleProjection(selector_of, dotted(paths.replicas), dotted(paths.status_replicas))


class CustomScaleView(ScaleView):
    """Reads Scales from custom objects, and writes them. `siblings` are all versions of the kind."""

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
        """The object's own resource: errors do not name the subresource."""
        return self._qualified

    def of(self, obj: Object) -> Object:
        """Raises ApiError 500 for an object without replicas, or where a value has another type."""
        scale, present = self._scale(obj)
        if not present:
            raise errors.internal(f"the spec replicas field {quote(self._text)} does not exist")
        return scale

    def with_managers(self, obj: Object) -> Object:
        scale, present = self._scale(obj)
        if not present:
            scale["spec"]["replicas"] = _UNSET
        entries = obj["metadata"].get("managedFields")
        managed = scale_fields.to_scale(entries, self._paths, self._scale_kind.api_version)
        if managed:
            scale["metadata"]["managedFields"] = managed
        return scale

    def applied_to(self, obj: Object, scale: Object) -> Object:
        """Raises ApiError 400 for a Scale that sets no replicas."""
        replicas = (scale.get("spec") or {}).get("replicas", 0)
        if replicas == _UNSET:
            raise errors.bad_request(f"the spec replicas field {quote(self._text)} cannot be empty")
        metadata, wanted = obj["metadata"], scale["metadata"]
        entries = scale_fields.to_object(
            metadata.get("managedFields"),
            wanted.get("managedFields"),
            self._paths,
            self._kind.api_version,
        )
        rest = {name: value for name, value in metadata.items() if name != "managedFields"}
        if wanted.get("resourceVersion"):
            rest["resourceVersion"] = wanted["resourceVersion"]
        scaled = with_value_at(obj, self._projection.replicas, replicas)
        return {**scaled, "metadata": {**rest, "managedFields": entries} if entries else rest}

    def _scale(self, obj: Object) -> tuple[Object, bool]:
        """The Scale, and whether the object has replicas. Raises ApiError 500."""
        projection = self._projection
        try:
            replicas = nested_int(obj, projection.replicas)
            status_replicas = nested_int(obj, projection.status_replicas)
            selector = projection.selector_of(obj)
        except AccessorError as error:
            raise ApiError(500, "", str(error)) from None
        shown = self.made_of(
            obj, converted(replicas.value, 32), converted(status_replicas.value, 32), selector
        )
        return shown, replicas.present
