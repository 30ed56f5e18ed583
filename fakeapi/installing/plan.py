"""Plan: what is installed, checked as far as that goes without a server, in the order that it needs."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fakeapi.installing.references import Identities, places_of, references_of
from fakeapi.installing.sources import Manifest, Source, manifests_of, type_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_valid_path_segment_name

EXTENSIONS = "apiextensions.k8s.io"
DEFINITION = "CustomResourceDefinition"
_ORDER = (
    ("", "Namespace"),
    (EXTENSIONS, DEFINITION),
    ("", "ServiceAccount"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "StorageClass"),
    ("node.k8s.io", "RuntimeClass"),
    ("resource.k8s.io", "DeviceClass"),
    ("", "LimitRange"),
    ("", "ResourceQuota"),
    ("", "Secret"),
    ("", "ConfigMap"),
    ("", "Service"),
)
_LAST = ("admissionregistration.k8s.io", "apiregistration.k8s.io")
"""Groups whose objects may keep others from being created."""

OF_THE_SERVER = ("uid", "resourceVersion", "managedFields", "selfLink", "creationTimestamp", "generation")


@dataclass(frozen=True, slots=True)
class Kind:
    """The path of a kind in the API."""

    api_version: str
    plural: str
    namespaced: bool
    has_status: bool = False
    """Whether the status is a subresource."""

    def path(self, namespace: str, name: str) -> str:
        root = "/apis" if "/" in self.api_version else "/api"
        scope = f"/namespaces/{namespace}" if self.namespaced else ""
        return f"{root}/{self.api_version}{scope}/{self.plural}/{name}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Manifests in the order in which they are applied: namespaces, definitions, and the rest."""

    manifests: Sequence[Manifest]

    @property
    def definitions(self) -> list[Manifest]:
        return [each for each in self.manifests if type_of(each.obj) == (EXTENSIONS, DEFINITION)]

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that are installed."""
        found = (each for each in self.manifests if type_of(each.obj) == ("", "Namespace"))
        return frozenset(each.obj["metadata"]["name"] for each in found)

    def defined_kinds(self) -> dict[tuple[str, str], Kind]:
        """The kinds of the definitions, by apiVersion and kind."""
        return {key: kind for each in self.definitions for key, kind in _kinds_of(each).items()}


def plan_of(sources: Iterable[Source]) -> Plan:
    """Reads sources and orders what they hold. Raises InstallError."""
    manifests = [_checked(each) for each in manifests_of(sources)]
    seen: dict[tuple[str, ...], Manifest] = {}
    for each in manifests:
        metadata = each.obj["metadata"]
        key = (*type_of(each.obj), metadata.get("namespace") or "", metadata["name"])
        if key in seen:
            raise each.error(f"{described(each.obj)} is in {seen[key].origin} already")
        seen[key] = each
    return Plan(_owners_first(sorted(_without_old_uids(manifests), key=lambda each: rank_of(each.obj))))


def _without_old_uids(manifests: Sequence[Manifest]) -> list[Manifest]:
    """The manifests without the uids of references among them, as the server gives others."""
    known = Identities()
    for each in manifests:
        known.add(each.obj, each.uid)
    return [_without_old_uids_of(each, known) for each in manifests]


def _without_old_uids_of(manifest: Manifest, known: Identities) -> Manifest:
    if not any(each.uid and each.uid == known.find(each) for each in references_of(manifest.obj)):
        return manifest
    obj = copy.deepcopy(manifest.obj)
    for reference in references_of(obj):
        if reference.uid and reference.uid == known.find(reference):
            del reference.holder["uid"]
    return replace(manifest, obj=obj)


def _owners_first(manifests: Sequence[Manifest]) -> list[Manifest]:
    """The same order, but that each manifest stands behind those that it refers to by uid."""
    by_place = {place: each for each in manifests for place in places_of(each.obj)}
    ordered: dict[int, Manifest] = {}
    for first in manifests:
        waiting, entered = [first], set[int]()
        while waiting:
            each = waiting[-1]
            if id(each) in entered or id(each) in ordered:
                ordered.setdefault(id(waiting.pop()), each)
                continue
            entered.add(id(each))
            for reference in references_of(each.obj, status=False):
                owners = (by_place.get(place) for place in reference.places)
                waiting.extend(owner for owner in owners if owner is not None and id(owner) not in entered)
    return list(ordered.values())


def described(obj: Mapping[str, Any]) -> str:
    """An object for a message: "Widget team/x"."""
    metadata = obj["metadata"]
    namespace = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{obj['kind']} {namespace}{metadata['name']}"


def _checked(manifest: Manifest) -> Manifest:
    """The manifest without what only a server says of an object."""
    obj = manifest.obj
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise manifest.error(f"{obj['kind']} without a metadata.name")
    if not isinstance(metadata.get("namespace") or "", str):
        raise manifest.error(f"{obj['kind']} {metadata['name']} with a namespace that is no text")
    for name in filter(None, (metadata["name"], metadata.get("namespace"))):
        for problem in is_valid_path_segment_name(name):  # as client-go refuses to ask for it
            raise manifest.error(f"{obj['kind']} with an invalid name {name!r}: {problem}")
    kept: Object = {name: value for name, value in metadata.items() if name not in OF_THE_SERVER}
    uid = metadata.get("uid")
    return Manifest({**obj, "metadata": kept}, manifest.origin, uid if isinstance(uid, str) else "")


def rank_of(obj: Mapping[str, Any]) -> int:
    """The place of an object's kind in the order in which kinds are created."""
    group, kind = type_of(obj)
    if group in _LAST:
        return len(_ORDER) + 1
    return _ORDER.index((group, kind)) if (group, kind) in _ORDER else len(_ORDER)


def _kinds_of(definition: Manifest) -> dict[tuple[str, str], Kind]:
    spec = definition.obj.get("spec")
    try:
        assert isinstance(spec, Mapping)
        names, namespaced = spec["names"], spec.get("scope") != "Cluster"
        versions = [each["name"] for each in spec["versions"] if each.get("served", True)]
        return {
            (f"{spec['group']}/{version}", names["kind"]): Kind(
                f"{spec['group']}/{version}", names["plural"], namespaced
            )
            for version in versions
        }
    except (AssertionError, KeyError, TypeError, AttributeError):
        raise definition.error(f"{described(definition.obj)} names no group, kind or versions") from None
