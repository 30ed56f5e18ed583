"""Subjects of stories: a kind with valid objects, and random changes of them."""

import copy
from collections.abc import Collection
from typing import Any, Protocol

from fakeapi.releases import Kind
from tests.differential.exchanges.bases import base_of
from tools.strategy_samples import Generator


class Subject(Protocol):
    """A kind for stories.

    - `api_version`, `kind`, `resource`, `namespaced`, `verbs`: as in discovery.
    - `subresources`: the names of the subresources.
    - `fields`: the names of the fields of an object.
    """

    @property
    def api_version(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def resource(self) -> str: ...
    @property
    def namespaced(self) -> bool: ...
    @property
    def verbs(self) -> Collection[str]: ...
    @property
    def subresources(self) -> Collection[str]: ...
    @property
    def fields(self) -> Collection[str]: ...

    def valid(self) -> dict[str, Any]:
        """Returns a valid object with apiVersion and kind, and without its name and namespace."""

    def varied(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Returns a copy of an object with random changes in one of its fields; rarely without changes."""

    def changed(self, obj: dict[str, Any], part: str) -> dict[str, Any]:
        """Returns a copy of an object with random changes in the field `part`."""

    def part(self, obj: dict[str, Any]) -> str:
        """Returns the name of the field to change: "spec", or a random field."""


class BuiltIn:
    """A built-in kind, as a subject of stories. The schema of the kind is the source of random changes."""

    def __init__(self, generator: Generator, kind: Kind) -> None:
        self._generator = generator
        self._kind = kind
        self.api_version, self.kind, self.resource = kind.api_version, kind.kind, kind.resource
        self.namespaced, self.verbs = kind.namespaced, kind.verbs
        self.subresources = [subresource.name for subresource in kind.subresources]
        self.fields = kind.schema.fields

    def valid(self) -> dict[str, Any]:
        if self._kind.group == "resource.k8s.io":
            made = self._generator.base(self._kind)
            return {name: value for name, value in made.items() if name != "metadata"}
        fields = copy.deepcopy(dict(base_of(self._kind) or {}))
        return {"apiVersion": self.api_version, "kind": self.kind, **fields}

    def varied(self, obj: dict[str, Any]) -> dict[str, Any]:
        part = self.part(obj)
        if part not in self.fields:
            return copy.deepcopy(obj)
        times = self._generator.random.choice([0, 1, 1, 1, 2])
        return self._generator.changed(obj, self._kind.schema, part, times)

    def changed(self, obj: dict[str, Any], part: str) -> dict[str, Any]:
        return self._generator.changed(obj, self._kind.schema, part)

    def part(self, obj: dict[str, Any]) -> str:
        return self._generator.part(obj)
