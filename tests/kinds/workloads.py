"""Runs the strategies of workload kinds on manifests; returns the errors and the prepared objects."""

import copy
from typing import Any

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.strategy import MetadataErrors
from fakeapi.releases.release import load_release, release_with
from tests.registry.world import resource_of

Object = dict[str, Any]
DELETED = object()
"""A marker for the function `put`: removes the field instead of setting it."""

POD = {"containers": [{"name": "main", "image": "example.com/app:1"}]}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": POD}
SELECTOR = {"matchLabels": {"app": "a"}}


class Kind:
    """Runs the strategies of one workload resource of a release.

    `spec`: the spec of the manifests. `gates`: feature gates to set by name.
    """

    def __init__(self, release: str, api_version: str, resource: str, spec: Object, **gates: bool) -> None:
        group, _, version = api_version.rpartition("/")
        loaded = release_with(release, gates) if gates else load_release(release)
        self.resource: Resource = resource_of(loaded.kind(group, version, resource), loaded)
        self.spec = spec

    def manifest(self, *changes: tuple[str, Any], **metadata: Any) -> Object:
        """Returns a manifest of the resource in which defaults are set.

        `changes`: (path, value) pairs to set in the manifest. `metadata`: fields to add to the metadata.
        """
        kind = self.resource.kind
        body: Object = {"kind": kind.kind, "apiVersion": kind.api_version}
        body["metadata"] = {"name": "a", "namespace": "default", "uid": "u", **metadata}
        body["spec"] = copy.deepcopy(self.spec)
        for path, value in changes:
            put(body, path, value)
        obj, _ = decode(body, self.resource.schema)
        first = {"kind": kind.kind, "apiVersion": kind.api_version}
        return self.resource.to_hub(self.resource.body_type.default({**first, **obj}))

    def created(self, *changes: tuple[str, Any], **metadata: Any) -> Object:
        """Returns the object that a create prepares from the manifest.

        `changes`: (path, value) pairs to set in the manifest. `metadata`: fields to add to the metadata.
        """
        return self.resource.strategy_for("").prepare_create(self.manifest(*changes, **metadata))

    def refusals(self, *changes: tuple[str, Any], **metadata: Any) -> list[str]:
        """Returns the validation errors of a create.

        `changes`: (path, value) pairs to set in the manifest. `metadata`: fields to add to the metadata.
        """
        obj = self.created(*changes, **metadata)
        errors = self.resource.strategy_for("").validate_create(obj)
        return texts(self.resource.with_declared(errors, obj))

    def update_refusals(
        self, *changes: tuple[str, Any], subresource: str = "", before: tuple[tuple[str, Any], ...] = ()
    ) -> list[str]:
        """Returns the validation errors of an update.

        - `changes`: (path, value) pairs to set in the new object
        - `before`: (path, value) pairs to set first, in the stored object
        """
        strategy = self.resource.strategy_for(subresource)
        old = self.created()
        for path, value in before:
            put(old, path, value)
        new = copy.deepcopy(old)
        for path, value in changes:
            put(new, path, value)
        new = strategy.prepare_update(new, old)
        metadata = MetadataErrors((_marker("object"),), (_marker("change"),))
        errors = strategy.validate_update(new, old, metadata)
        return texts(self.resource.with_declared(errors, new, old, subresource))

    def updated(self, *changes: tuple[str, Any], subresource: str = "") -> Object:
        """Returns the object that an update prepares, before validation.

        `changes`: (path, value) pairs to set in the object. `subresource`: "" for the main resource.
        """
        old = self.created()
        new = copy.deepcopy(old)
        for path, value in changes:
            put(new, path, value)
        return self.resource.strategy_for(subresource).prepare_update(new, old)

    def row(self, obj: Object, now: float = 0.0) -> dict[str, Any]:
        """Returns the cells of the object's Table row by the name of the column."""
        return {column.name: column.cell(obj, now) for column in self.resource.columns}


def _marker(what: str) -> FieldError:
    return FieldError("", "metadata", what)


def texts(errors: list[FieldError]) -> list[str]:
    return [str(error) for error in errors]


def put(obj: Object, path: str, value: Any) -> None:
    """Sets the value at a field path such as `spec.containers.0.image`; creates missing parents.

    The value DELETED removes the field.
    """
    *parents, last = path.split(".")
    at: Any = obj
    for name in parents:
        at = at[int(name)] if isinstance(at, list) else at.setdefault(name, {})
    if value is DELETED:
        at.pop(int(last) if isinstance(at, list) else last, None)
    elif isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
