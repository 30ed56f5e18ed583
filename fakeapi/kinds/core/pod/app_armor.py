"""Copies the AppArmor profiles of a pod from annotations to fields, and back.

Follows applyAppArmorVersionSkew of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
"""

from collections.abc import Iterator

from fakeapi.kinds.core.pod.validation.app_armor import (
    ANNOTATION,
    ANNOTATION_VALUES,
    LOCALHOST,
    PROFILE_MAX,
    profile_of,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import byte_length
from fakeapi.releases.rules import ReleaseRules

_DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead'


def sync_profiles(pod: Object, rules: ReleaseRules) -> None:
    """Copies AppArmor profiles from annotations to fields of a pod, in place.

    Up to 1.33, also copies profiles from fields to annotations.
    """
    if not _applies(pod, rules):
        return
    annotations: dict[str, str] = pod["metadata"].get("annotations") or {}
    of_pod = (pod["spec"].get("securityContext") or {}).get("appArmorProfile")
    added: dict[str, str] = {}
    for container, profile in _containers(pod):
        key = ANNOTATION + container.get("name", "")
        if key not in annotations:
            value = _annotation_of(profile or of_pod)
            if value and rules.quirks.app_armor_fields_are_annotated:
                added[key] = value
        elif profile is None:
            field = _synced_profile(annotations[key])
            if field is not None and field != of_pod:
                context = container.get("securityContext") or {}
                container["securityContext"] = {**context, "appArmorProfile": field}
    if added:
        pod["metadata"]["annotations"] = dict(sorted({**annotations, **added}.items()))


def profile_warnings(pod: Object, rules: ReleaseRules) -> list[str]:
    """Returns warnings about AppArmor annotations.

    Call this function before `sync_profiles` changes the pod.
    """
    if not _applies(pod, rules):
        return []
    annotations: dict[str, str] = pod["metadata"].get("annotations") or {}
    of_pod = (pod["spec"].get("securityContext") or {}).get("appArmorProfile")
    warnings = []
    for container, profile in _containers(pod):
        key = ANNOTATION + container.get("name", "")
        if key in annotations and profile is None:
            field = _synced_profile(annotations[key])
            if field is None or field != of_pod:
                warnings.append(f"metadata.annotations[{key}]: {_DEPRECATED}")
    return warnings


def _applies(pod: Object, rules: ReleaseRules) -> bool:
    is_windows = (pod["spec"].get("os") or {}).get("name") == "windows"
    return rules.gates.enabled("AppArmorFields") and not is_windows


def _containers(pod: Object) -> Iterator[tuple[Object, Object | None]]:
    """Yields each container of a pod and its AppArmor profile, in upstream's order.

    The profile is None if the container itself does not set a profile.
    """
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for container in pod["spec"].get(name) or ():
            yield container, (container.get("securityContext") or {}).get("appArmorProfile")


def _annotation_of(profile: Object | None) -> str:
    if profile is None:
        return ""
    if profile.get("type") == "Localhost" and profile.get("localhostProfile") is not None:
        return f"{LOCALHOST}{profile['localhostProfile']}"
    return ANNOTATION_VALUES.get(profile.get("type", ""), "")


def _synced_profile(annotation: str) -> Object | None:
    """Converts an AppArmor annotation to the fields of a profile; None if the profile is invalid."""
    profile = profile_of(annotation)
    name = (profile or {}).get("localhostProfile", "")
    return None if name.strip() != name or byte_length(name) > PROFILE_MAX else profile
