"""Plan: what is installed, checked as far as that goes without a server, in the order that it needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.installing.sources import Manifest, Source, manifests_of
from fakeapi.machinery.json_types import Object

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

_OF_THE_SERVER = ("uid", "resourceVersion", "managedFields", "selfLink", "creationTimestamp", "generation")


@dataclass(frozen=True, slots=True)
class Kind:
    """The path of a kind in the API."""

    api_version: str
    plural: str
    namespaced: bool

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
    return Plan(sorted(manifests, key=_rank))


def type_of(obj: Mapping[str, Any]) -> tuple[str, str]:
    """Group and kind."""
    return obj["apiVersion"].rpartition("/")[0], obj["kind"]


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
    kept: Object = {name: value for name, value in metadata.items() if name not in _OF_THE_SERVER}
    return Manifest({**obj, "metadata": kept}, manifest.origin)


def _rank(manifest: Manifest) -> int:
    group, kind = type_of(manifest.obj)
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
