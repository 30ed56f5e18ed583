"""Finds references from a mirror pod to other API objects.

A kubelet must not create mirror pods with such references.

Follows `HasAPIObjectReference` in k8s.io/kubernetes `pkg/api/pod`, and before 1.34 the checks of
`admitPodCreate`. The error message names only the first reference.
"""

from collections.abc import Iterator
from typing import Final

from fakeapi.admission.plugins.service_account import projected_sources, secret_names
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.releases.node_quirks import NodeQuirks

_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
_VOLUMES: Final = {
    "configMap": "configmaps (via configmap volumes)",
    "secret": "secrets (via secret volumes)",
    "csi": "csidrivers (via CSI volumes)",
    "glusterfs": "endpoints (via glusterFS volumes)",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims (via ephemeral volumes)",
    "azureFile": "secrets (via azureFile volumes)",
}
_SOURCES: Final = {
    "configMap": "configmaps (via projected volumes)",
    "secret": "secrets (via projected volumes)",
    "serviceAccountToken": "serviceaccounts (via projected volumes)",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}
"""Names of referenced resources in error messages, by the field of a projected volume's source."""


def reference_of(spec: Object) -> tuple[str, str]:
    """Returns (resource, error) for the first reference in a mirror pod, such as ("secrets", "").

    `resource` is "" if the pod references no API object. `error` is "" unless a volume or a source of a
    projected volume has an unknown type.
    """
    if spec.get("serviceAccountName"):
        return "serviceaccounts", ""
    if any(secret_names(spec)):
        return "secrets", ""
    if any(_config_map_names(spec)):
        return "configmaps", ""
    if spec.get("resourceClaims"):
        return "resourceclaims", ""
    for volume in spec.get("volumes") or ():
        resource, problem = _reference_of_volume(volume)
        if resource or problem:
            return resource, problem
    return "", ""


def refused_reference(spec: Object, quirks: NodeQuirks) -> str:
    """Returns the first forbidden reference of a mirror pod, such as "secrets"; "" without such a reference.

    Use this function only for releases before 1.34.
    """
    volumes = spec.get("volumes") or ()
    if spec.get("serviceAccountName"):
        return "a service account"
    if any(secret_names(spec)):
        return "secrets"
    if any(_config_map_names(spec)):
        return "configmaps"
    if quirks.pods_without_trust_bundles and any(
        source.get("clusterTrustBundle") is not None for source in projected_sources(volumes)
    ):
        return "clustertrustbundles"
    if any(volume.get("persistentVolumeClaim") is not None for volume in volumes):
        return "persistentvolumeclaims"
    return "resourceclaims" if quirks.pods_without_claims and spec.get("resourceClaims") else ""


def _reference_of_volume(volume: Object) -> tuple[str, str]:
    for field, called in _VOLUMES.items():
        if volume.get(field) is not None:
            return called, ""
    for source in projected_sources([volume]):
        resource = next((called for field, called in _SOURCES.items() if source.get(field) is not None), "")
        if resource:
            return resource, ""
        if source.get("downwardAPI") is None:
            return "", f"unknown source for projected volume {quote(volume.get('name', ''))}"
    known = any(value is not None for name, value in volume.items() if name != "name")
    return "", "" if known else f"unknown volume type for volume  {quote(volume.get('name', ''))}"


def _config_map_names(spec: Object) -> Iterator[str]:
    """Yields the names of the ConfigMaps that a pod references. Follows `VisitPodConfigmapNames`."""
    for field in _CONTAINERS:
        for container in spec.get(field) or ():
            for source in container.get("envFrom") or ():
                if source.get("configMapRef") is not None:
                    yield source["configMapRef"].get("name", "")
            for variable in container.get("env") or ():
                reference = (variable.get("valueFrom") or {}).get("configMapKeyRef")
                if reference is not None:
                    yield reference.get("name", "")
    volumes = spec.get("volumes") or ()
    for holder in (*volumes, *projected_sources(volumes)):
        if holder.get("configMap") is not None:
            yield holder["configMap"].get("name", "")
