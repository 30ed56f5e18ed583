"""Targets of the search: each kind with the objects from which its random objects come."""

import ast
import copy
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.releases import Kind
from tests.differential.exchanges.bases import base_of
from tests.differential.exchanges.corpus import TAG
from tests.differential.exchanges.messages import KINDS
from tests.differential.searching.mutating import Mutator
from tests.differential.searching.places import shapes
from tests.differential.searching.seeds import Seed, recorded_objects
from tools.sample_bases import BASES
from tools.strategy_samples import Generator

POOL_MAX = 150
"""Maximum number of bases and of stored objects of a kind; a new one replaces a random one."""

_NAMED_BY_RULE = ("CustomResourceDefinition", "APIService", "StorageVersion", "ClusterTrustBundle")


@dataclass
class State:
    """An object that the server stores.

    - `history`: the requests that created it.
    - `obj`: the object.
    """

    history: list[dict[str, Any]]
    obj: dict[str, Any]


@dataclass
class Target:
    """A kind with the bases for its random objects.

    - `objects`: bases for creates.
    - `states`: stored objects for updates.
    - `seeds`: the known objects and updates.
    - `gain`: grows with each new message, and falls with each step.
    """

    kind: Kind
    collection: str
    mutator: Mutator
    objects: list[dict[str, Any]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    seeds: list[Seed] = field(default_factory=list)
    gain: float = 1.0
    _shapes: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def package(self) -> str:
        """The folder below `fakeapi/kinds` with the rules of the kind."""
        return package_of(self.kind.group)

    def decodes(self, obj: dict[str, Any]) -> bool:
        """Whether a server can decode an object, so that it validates the object."""
        try:
            decode(copy.deepcopy(obj), self.kind.schema)
        except DecodeError:
            return False
        return True

    def learn(self, obj: dict[str, Any]) -> bool:
        """Learns an accepted object. Returns whether it has a new field or a new word."""
        new = set(shapes(self.kind, obj)) - self._shapes
        self._shapes |= new
        if new:
            self.mutator.values.learn(obj, self.kind)
        return bool(new)


def target_of(kind: Kind, rng: random.Random, seeds: Iterable[Seed]) -> Target:
    """Returns a target with the known objects of a kind."""
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    place = f"/namespaces/{TAG}" if kind.namespaced else ""
    target = Target(kind, f"{root}{place}/{kind.resource}", Mutator(rng, words_of(kind.group)))
    target.seeds = [seed for seed in seeds if (seed.group, seed.resource) == (kind.group, kind.resource)]
    for fields in [*_bases(kind), *(dict(seed.fields) for seed in target.seeds if seed.changes is None)]:
        target.objects.append({"apiVersion": kind.api_version, "kind": kind.kind, **fields})
    for obj in [*target.objects, *recorded_objects(kind.api_version, kind.kind)]:
        target.mutator.values.learn(obj, kind)
    return target


def _bases(kind: Kind) -> Iterator[dict[str, Any]]:
    """Yields the fields of a valid object; nothing if none is known."""
    if kind.group == "resource.k8s.io" and kind.resource in BASES[kind.group]:
        made = Generator(1).base(kind)
        yield {name: value for name, value in made.items() if name not in ("metadata", "kind", "apiVersion")}
    elif (fields := base_of(kind)) is not None:
        yield copy.deepcopy(dict(fields))


def named(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns an object with the name of the corpus. Keeps a name that contains it, and names by a rule."""
    metadata = obj.get("metadata", {})
    kept = {k: v for k, v in metadata.items() if k in ("annotations", "labels", "finalizers")}
    name = f"a-{TAG}"
    if obj["kind"] == "IPAddress":
        name = "10.250.0.1"
    elif obj["kind"] in _NAMED_BY_RULE or name in metadata.get("name", ""):
        name = metadata.get("name", "")
    return {**{k: v for k, v in obj.items() if k != "metadata"}, "metadata": {"name": name, **kept}}


def package_of(group: str) -> str:
    """Returns the folder below `fakeapi/kinds` with the rules of an API group."""
    names = {
        "": "core",
        "internal.apiserver.k8s.io": "apiserverinternal",
        "rbac.authorization.k8s.io": "rbac",
    }
    return names.get(group, group.partition(".")[0])


@cache
def words_of(group: str) -> tuple[str, ...]:
    """Returns the texts in the modules of an API group that are values of fields, such as enum values."""
    words = {
        node.value
        for folder in (package_of(group), "common")
        for path in sorted((KINDS / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if 0 < len(node.value) < 60 and node.value.count(" ") < 2
    }
    return tuple(sorted(words))
