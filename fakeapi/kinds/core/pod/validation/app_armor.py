"""Validates AppArmor profiles in fields and in the older annotations.

Follows `ValidateAppArmorProfileField`, `ValidateAppArmorPodAnnotations` and
`validateAppArmorAnnotationsAndFieldsMatchOnCreate` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import (
    Errors,
    PodChecks,
    containers_at,
    containers_of,
)
from fakeapi.machinery.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import byte_length

ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
PROFILE_MAX = 4095
LOCALHOST = "localhost/"
ANNOTATION_VALUES = {"RuntimeDefault": "runtime/default", "Unconfined": "unconfined"}
"""Maps the types of AppArmor profiles without a name to their annotation values."""

TYPES = ("Localhost", "RuntimeDefault", "Unconfined")


def profile_errors(holder: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the AppArmor profile of a security context.

    - `holder`: the security context
    - `path`: the path of the security context
    """
    profile = holder.get("appArmorProfile")
    if profile is None:
        return
    place = f"{path}.appArmorProfile"
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield required(f"{place}.type", "type is required when appArmorProfile is set")
    elif kind not in TYPES:
        yield not_supported(f"{place}.type", printed_plain(kind, checks.wording), TYPES)
    elif kind == "Localhost":
        yield from _local_errors(local, f"{place}.localhostProfile", checks)
    elif local is not None:
        rule = "can only be set when AppArmor type is Localhost"
        yield invalid(f"{place}.localhostProfile", local, rule)


def annotation_errors(annotations: Mapping[str, str], spec: Object, path: str) -> Errors:
    """Validates the annotations that set AppArmor profiles of containers."""
    for key in sorted(annotations):
        if not key.startswith(ANNOTATION):
            continue
        name, profile = key.removeprefix(ANNOTATION), annotations[key]
        if all(container.get("name") != name for container in containers_of(spec)):
            yield invalid(f"{path}[{key}]", name, "container not found")
        if profile not in ("", *ANNOTATION_VALUES.values()) and not profile.startswith(LOCALHOST):
            yield invalid(f"{path}[{key}]", profile, f"invalid AppArmor profile name: {quote(profile)}")


def mismatch_errors(annotations: Mapping[str, str], spec: Object, path: str, checks: PodChecks) -> Errors:
    """Yields an error for each AppArmor annotation that contradicts the profile in a security context.

    Yields nothing for Windows pods, and while the gate AppArmorFields is off.
    """
    if not checks.enabled("AppArmorFields") or (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for place, container in containers_at(spec, path):
        profile = (container.get("securityContext") or {}).get("appArmorProfile") or of_pod
        key = ANNOTATION + container.get("name", "")
        if profile is not None and key in annotations:
            yield from _mismatch(annotations[key], profile, f"{place}.securityContext.appArmorProfile")


def profile_of(annotation: str) -> Object | None:
    """Converts an AppArmor annotation to the fields of a profile; None if the annotation is invalid."""
    for kind, value in ANNOTATION_VALUES.items():
        if annotation == value:
            return {"type": kind}
    if annotation.startswith(LOCALHOST) and annotation != LOCALHOST:
        return {"type": "Localhost", "localhostProfile": annotation.removeprefix(LOCALHOST)}
    return None


def _local_errors(profile: str | None, path: str, checks: PodChecks) -> Errors:
    if profile is None:
        yield required(path, "must be set when AppArmor type is Localhost")
        return
    if profile.strip() != profile:
        yield invalid(path, profile, "must not be padded with whitespace")
    elif not profile:
        yield required(path, "must be set when AppArmor type is Localhost")
    if byte_length(profile) > PROFILE_MAX:
        yield too_long(path, PROFILE_MAX, checks.rules.quirks.too_long_name)


def _mismatch(annotation: str, profile: Object, path: str) -> list[FieldError]:
    of_type = forbidden(f"{path}.type", "apparmor type in annotation and field must match")
    match profile.get("type"):
        case "Unconfined" | "RuntimeDefault" as kind:
            return [] if annotation == ANNOTATION_VALUES[kind] else [of_type]
        case "Localhost":
            if not annotation.startswith(LOCALHOST):
                return [of_type]
            if annotation.removeprefix(LOCALHOST) != profile.get("localhostProfile"):
                rule = "apparmor profile in annotation and field must match"
                return [forbidden(f"{path}.localhostProfile", rule)]
    return []
