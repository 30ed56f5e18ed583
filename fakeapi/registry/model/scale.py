"""The subresource scale: converts an object to an autoscaling/v1 Scale, and writes a Scale to the object.

Follows the ScaleREST of k8s.io/kubernetes `pkg/registry/apps/deployment/storage` and of the other workloads,
and `ValidateScale` of `pkg/apis/autoscaling/validation`.
"""

from collections.abc import Callable

import msgspec

from fakeapi.machinery import codec, errors
from fakeapi.machinery.apply import scale_fields
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.machinery.meta.names import name_is_dns_subdomain
from fakeapi.machinery.meta.object_meta import validate_core_object_meta
from fakeapi.machinery.object_paths import Path, value_at, with_value_at
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases import Kind, Release

SCALE = "scale"
_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_SCALE_KIND = Qualified("autoscaling", "Scale")


class ScaleProjection(msgspec.Struct, frozen=True):
    """The fields of an object that its Scale contains."""

    selector_of: Callable[[Object], str]
    """Returns the label selector of an object as text, for `status.selector`. May raise ApiError."""

    replicas: Path = ("spec", "replicas")
    """The field path of the desired number of replicas in the object."""

    status_replicas: Path = ("status", "replicas")
    """The field path of the observed number of replicas in the object."""

    missing_in: str = ""
    """Up to 1.32, the API group in the 404 error for the Scale of a missing object.

    If "", the error names the object itself.
    """


class ScaleView:
    """Converts objects of `kind` to Scales, and writes Scales to objects.

    `scale_kind`: the kind Scale.
    """

    def __init__(self, kind: Kind, release: Release, scale_kind: Kind, projection: ScaleProjection) -> None:
        self._kind = kind
        self._release = release
        self._scale_kind = scale_kind
        self._projection = projection
        replicas = tuple(f"f:{name}" for name in projection.replicas)
        self._paths = {kind.api_version: replicas}

    def of(self, obj: Object) -> Object:
        """Returns the canonical Scale of an object; the object is in the API version of the request."""
        projection = self._projection
        replicas, status_replicas = (
            value_at(obj, projection.replicas),
            value_at(obj, projection.status_replicas),
        )
        return self.scale_of(obj, replicas or 0, status_replicas or 0, projection.selector_of(obj))

    def scale_of(self, obj: Object, replicas: int, status_replicas: int, selector: str) -> Object:
        """Returns the canonical Scale of an object with these replicas and this selector."""
        metadata = obj["metadata"]
        typed = {"kind": self._scale_kind.kind, "apiVersion": self._scale_kind.api_version}
        raw = {
            **typed,
            "metadata": {name: metadata[name] for name in _METADATA if name in metadata},
            "spec": {"replicas": replicas},
            "status": {"replicas": status_replicas, "selector": selector},
        }
        scale, _ = decode(raw, self._scale_kind.schema)
        return {**typed, **scale, **typed}

    def with_managers(self, obj: Object) -> Object:
        """Returns the Scale of an object, with the managedFields entries that own the object's replicas."""
        return self._with_managers_of(obj, self.of(obj))

    def _with_managers_of(self, obj: Object, scale: Object) -> Object:
        """Adds the field managers of an object's replicas to the managedFields of its Scale; returns the
        Scale.
        """
        entries = obj["metadata"].get("managedFields")
        managed = scale_fields.to_scale(entries, self._paths, self._scale_kind.api_version)
        if managed:
            scale["metadata"]["managedFields"] = managed
        return scale

    def applied_to(self, obj: Object, scale: Object) -> Object:
        """Returns an object with the replicas and managedFields of a Scale.

        Raises ApiError 409 if the Scale contains the uid of another object, and 422 if the Scale is invalid.
        """
        metadata, new_metadata = obj["metadata"], scale["metadata"]
        self._check(scale, metadata["name"])
        if new_metadata.get("uid") and new_metadata["uid"] != metadata["uid"]:
            raise errors.conflict(
                self.qualified,
                metadata["name"],
                f"Precondition failed: UID in precondition: {new_metadata['uid']}, "
                f"UID in object meta: {metadata['uid']}",
            )
        return self._scaled(obj, scale, new_metadata.get("resourceVersion", ""))

    def _scaled(self, obj: Object, scale: Object, version: str) -> Object:
        """Returns an object with the replicas and managedFields of a Scale, and with the resourceVersion
        `version`.
        """
        metadata = obj["metadata"]
        entries = scale_fields.to_object(
            metadata.get("managedFields"),
            scale["metadata"].get("managedFields"),
            self._paths,
            self._kind.api_version,
        )
        rest = {name: value for name, value in metadata.items() if name != "managedFields"}
        rest["resourceVersion"] = version
        scaled = with_value_at(obj, self._projection.replicas, (scale.get("spec") or {}).get("replicas", 0))
        return {**scaled, "metadata": {**rest, "managedFields": entries} if entries else rest}

    @property
    def qualified(self) -> Qualified:
        """The group and resource that error messages name, such as deployments/scale."""
        return Qualified(self._kind.group, f"{self._kind.resource}/{SCALE}")

    def json_of(self, body: bytes) -> bytes:
        """Converts the JSON of an object to the JSON of its Scale."""
        return codec.encode(self.of(codec.decode(body)))

    def _check(self, scale: Object, name: str) -> None:
        quirks = self._release.quirks
        problems = []
        if quirks.workloads.scales_have_metadata:
            problems = validate_core_object_meta(
                scale["metadata"], True, name_is_dns_subdomain, "metadata", quirks.wording
            )
        problems += validate_nonnegative((scale.get("spec") or {}).get("replicas"), "spec.replicas")
        if problems:
            raise errors.invalid(_SCALE_KIND, name, problems)
