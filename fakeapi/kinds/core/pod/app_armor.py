"""Copies AppArmor profiles of a pod between its fields and its older annotations.

Follows applyAppArmorVersionSkew of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
"""

from collections.abc import Iterator

from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

PREFIX = "container.apparmor.security.beta.kubernetes.io/"
LOCALHOST_PROFILE_MAX = 4095
"""Maximum bytes of a localhost profile's name. Longer names are invalid and are not copied to the field."""

_LOCALHOST = "localhost/"
_DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_VALUES = {"Unconfined": "unconfined", "RuntimeDefault": "runtime/default"}


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
        key = PREFIX + container.get("name", "")
        if key not in annotations:
            value = _annotation_of(profile or of_pod)
            if value and rules.quirks.app_armor_fields_are_annotated:
                added[key] = value
        elif profile is None:
            field = _profile_of(annotations[key])
            if field is not None and field != of_pod:
                context = container.get("securityContext") or {}
                container["securityContext"] = {**context, "appArmorProfile": field}
    if added:
        pod["metadata"]["annotations"] = dict(sorted({**annotations, **added}.items()))


def profile_warnings(pod: Object, rules: ReleaseRules) -> list[str]:
    """Returns warnings about AppArmor annotations. Call this before `sync_profiles` changes the pod."""
    if not _applies(pod, rules):
        return []
    annotations: dict[str, str] = pod["metadata"].get("annotations") or {}
    of_pod = (pod["spec"].get("securityContext") or {}).get("appArmorProfile")
    warnings = []
    for container, profile in _containers(pod):
        key = PREFIX + container.get("name", "")
        if key in annotations and profile is None:
            field = _profile_of(annotations[key])
            if field is None or field != of_pod:
                warnings.append(f"metadata.annotations[{key}]: {_DEPRECATED}")
    return warnings


def _applies(pod: Object, rules: ReleaseRules) -> bool:
    is_windows = (pod["spec"].get("os") or {}).get("name") == "windows"
    return rules.gates.enabled("AppArmorFields") and not is_windows


def _containers(pod: Object) -> Iterator[tuple[Object, Object | None]]:
    """Yields each container with its own AppArmor profile or None, in the same order as upstream."""
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for container in pod["spec"].get(name) or ():
            yield container, (container.get("securityContext") or {}).get("appArmorProfile")


def _annotation_of(profile: Object | None) -> str:
    if profile is None:
        return ""
    if profile.get("type") == "Localhost" and profile.get("localhostProfile") is not None:
        return f"{_LOCALHOST}{profile['localhostProfile']}"
    return _VALUES.get(profile.get("type", ""), "")


def _profile_of(annotation: str) -> Object | None:
    """Returns the field value for an AppArmor annotation; None if the annotation is invalid."""
    for kind, value in _VALUES.items():
        if annotation == value:
            return {"type": kind}
    name = annotation.removeprefix(_LOCALHOST)
    if name == annotation or not name or name.strip() != name or len(name.encode()) > LOCALHOST_PROFILE_MAX:
        return None
    return {"type": "Localhost", "localhostProfile": name}
