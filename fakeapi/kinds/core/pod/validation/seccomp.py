"""Validates seccomp profiles in fields and in the older annotations.

Follows `validateSeccompProfileField`, `ValidateSeccompPodAnnotations` and
`validateSeccompAnnotationsAndFields` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.file_paths import validate_descending
from fakeapi.kinds.common.printing.values import printed_plain, printed_struct
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, containers_at
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object

POD_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod"
CONTAINER_ANNOTATION = "container.seccomp.security.alpha.kubernetes.io/"
_LOCALHOST = "localhost/"
_PROFILES = ("runtime/default", "docker/default")
_UNCONFINED = "unconfined"
TYPES = ("Localhost", "RuntimeDefault", "Unconfined")


def profile_errors(holder: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the seccomp profile of a security context.

    - `holder`: the security context
    - `path`: the path of the security context
    """
    profile = holder.get("seccompProfile")
    if profile is None:
        return
    place = f"{path}.seccompProfile"
    kind = profile.get("type", "")
    if not kind:
        yield required(f"{place}.type", "type is required when seccompProfile is set")
    elif kind not in TYPES:
        yield not_supported(f"{place}.type", printed_plain(kind, checks.wording), TYPES)
    local = profile.get("localhostProfile")
    if kind != "Localhost":
        if local is not None:
            printed = printed_struct(profile, "core/v1.SeccompProfile", checks.rules)
            yield invalid(
                f"{place}.localhostProfile", printed, "can only be set when seccomp type is Localhost"
            )
    elif local is None:
        yield required(f"{place}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from validate_descending(local, f"{place}.localhostProfile")


def annotation_errors(annotations: Mapping[str, str], path: str) -> Errors:
    """Validates the annotations that set seccomp profiles of the pod and its containers."""
    if POD_ANNOTATION in annotations:
        yield from _annotated_errors(annotations[POD_ANNOTATION], f"{path}.{POD_ANNOTATION}")
    for key in sorted(annotations):
        if key.startswith(CONTAINER_ANNOTATION):
            yield from _annotated_errors(annotations[key], f"{path}.{key}")


def mismatch_errors(annotations: Mapping[str, str], spec: Object, path: str) -> Errors:
    """Yields an error for each seccomp annotation that contradicts the profile in a security context."""
    own = (spec.get("securityContext") or {}).get("seccompProfile")
    if own is not None and POD_ANNOTATION in annotations:
        yield from _mismatch(annotations[POD_ANNOTATION], own, f"{path}.securityContext.seccompProfile")
    for place, container in containers_at(spec, path):
        profile = (container.get("securityContext") or {}).get("seccompProfile")
        key = CONTAINER_ANNOTATION + container.get("name", "")
        if profile is not None and key in annotations:
            yield from _mismatch(annotations[key], profile, f"{place}.securityContext.seccompProfile")


def _annotated_errors(profile: str, path: str) -> list[FieldError]:
    if profile in _PROFILES or profile == _UNCONFINED:
        return []
    if profile.startswith(_LOCALHOST):
        return validate_descending(profile.removeprefix(_LOCALHOST), path)
    return [invalid(path, profile, "must be a valid seccomp profile")]


def _mismatch(annotation: str, profile: Object, path: str) -> list[FieldError]:
    of_type = forbidden(f"{path}.type", "seccomp type in annotation and field must match")
    match profile.get("type"):
        case "Unconfined":
            return [] if annotation == _UNCONFINED else [of_type]
        case "RuntimeDefault":
            return [] if annotation in _PROFILES else [of_type]
        case "Localhost":
            if not annotation.startswith(_LOCALHOST):
                return [of_type]
            if annotation.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
                rule = "seccomp profile in annotation and field must match"
                return [forbidden(f"{path}.localhostProfile", rule)]
    return []
