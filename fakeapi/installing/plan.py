"""Plan: the manifests to install, in dependency order, after all checks that need no server."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from fakeapi.clients.served_resource import ServedResource
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
"""Groups whose objects are created last, because they can prevent the creation of other objects."""

OF_THE_SERVER = ("uid", "resourceVersion", "managedFields", "selfLink", "creationTimestamp", "generation")
"""The fields of metadata that only a server sets."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Manifests in the order in which they are applied.

    Namespaces come first, then CustomResourceDefinitions, then other objects. Owners come before the objects
    that refer to them.
    """

    manifests: Sequence[Manifest]

    @property
    def definitions(self) -> list[Manifest]:
        return [manifest for manifest in self.manifests if type_of(manifest.obj) == (EXTENSIONS, DEFINITION)]

    @property
    def namespaces(self) -> frozenset[str]:
        """The names of the namespaces in the plan."""
        manifests = (manifest for manifest in self.manifests if type_of(manifest.obj) == ("", "Namespace"))
        return frozenset(manifest.obj["metadata"]["name"] for manifest in manifests)

    def defined_kinds(self) -> dict[tuple[str, str], ServedResource]:
        """Returns the kinds that the CustomResourceDefinitions of the plan define, by apiVersion and kind.

        Raises InstallError for a definition without a group, kind or versions.
        """
        return {key: kind for definition in self.definitions for key, kind in _kinds_of(definition).items()}


def plan_of(sources: Iterable[Source]) -> Plan:
    """Reads the manifests of sources, checks them, and puts them in dependency order.

    Raises InstallError for an unreadable source, an invalid manifest, or an object that occurs twice.
    """
    manifests = [_checked(manifest) for manifest in manifests_of(sources)]
    seen: dict[tuple[str, ...], Manifest] = {}
    for manifest in manifests:
        metadata = manifest.obj["metadata"]
        key = (*type_of(manifest.obj), metadata.get("namespace") or "", metadata["name"])
        if key in seen:
            raise manifest.error(f"{described(manifest.obj)} is in {seen[key].origin} already")
        seen[key] = manifest
    return Plan(_owners_first(sorted(_without_old_uids(manifests), key=lambda each: rank_of(each.obj))))


def _without_old_uids(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Removes the uids from references between the manifests, because the server assigns new uids.

    Keeps the uids in references to other objects.
    """
    known = Identities()
    for manifest in manifests:
        known.add(manifest.obj, manifest.uid)
    return [_without_old_uids_of(manifest, known) for manifest in manifests]


def _without_old_uids_of(manifest: Manifest, known: Identities) -> Manifest:
    if not any(
        reference.uid and reference.uid == known.find(reference) for reference in references_of(manifest.obj)
    ):
        return manifest
    obj = copy.deepcopy(manifest.obj)
    for reference in references_of(obj):
        if reference.uid and reference.uid == known.find(reference):
            del reference.holder["uid"]
    return replace(manifest, obj=obj)


def _owners_first(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Puts each manifest after the manifests of the objects to which it refers, such as its owners.

    Otherwise, keeps the order.
    """
    by_place = {place: manifest for manifest in manifests for place in places_of(manifest.obj)}
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
    """Returns the kind, namespace and name of an object for messages: "Widget team/x"."""
    metadata = obj["metadata"]
    namespace = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{obj['kind']} {namespace}{metadata['name']}"


def _checked(manifest: Manifest) -> Manifest:
    """Checks the name and namespace of a manifest. Removes the metadata that only a server sets.

    The field `uid` of the returned manifest contains the removed uid. Raises InstallError if the name is
    missing, or if the name or namespace is invalid.
    """
    obj = manifest.obj
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise manifest.error(f"{obj['kind']} without a metadata.name")
    if not isinstance(metadata.get("namespace") or "", str):
        raise manifest.error(f"{obj['kind']} {metadata['name']} with a namespace that is not text")
    for name in filter(None, (metadata["name"], metadata.get("namespace"))):
        for problem in is_valid_path_segment_name(name):  # client-go refuses such names too
            raise manifest.error(f"{obj['kind']} with an invalid name {name!r}: {problem}")
    kept: Object = {name: value for name, value in metadata.items() if name not in OF_THE_SERVER}
    uid = metadata.get("uid")
    return Manifest({**obj, "metadata": kept}, manifest.origin, uid if isinstance(uid, str) else "")


def rank_of(obj: Mapping[str, Any]) -> int:
    """Returns the rank of an object's kind. Objects with lower ranks are created first."""
    group, kind = type_of(obj)
    if group in _LAST:
        return len(_ORDER) + 1
    return _ORDER.index((group, kind)) if (group, kind) in _ORDER else len(_ORDER)


def _kinds_of(definition: Manifest) -> dict[tuple[str, str], ServedResource]:
    spec = definition.obj.get("spec")
    try:
        assert isinstance(spec, Mapping)
        names, namespaced = spec["names"], spec.get("scope") != "Cluster"
        versions = [version["name"] for version in spec["versions"] if version.get("served", True)]
        return {
            (f"{spec['group']}/{version}", names["kind"]): ServedResource(
                spec["group"], version, names["plural"], names["kind"], namespaced
            )
            for version in versions
        }
    except (AssertionError, KeyError, TypeError, AttributeError):
        raise definition.error(f"{described(definition.obj)} names no group, kind or versions") from None
