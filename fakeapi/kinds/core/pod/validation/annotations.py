"""Validates special annotations of pods: mirror pod, tolerations, deletion cost, seccomp, AppArmor.

Follows `ValidatePodSpecificAnnotations` and `ValidatePodSpecificAnnotationUpdates` of k8s.io/kubernetes
`pkg/apis/core/validation`. Errors are sorted by annotation key where upstream has random order.
"""

import re
from collections.abc import Mapping
from typing import Any

from fakeapi.kinds.core.pod.mirror_pods import MIRROR
from fakeapi.kinds.core.pod.validation import app_armor, seccomp
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.tolerations import toleration_errors
from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.json_types import Object

_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

_is_cost = re.compile(r"0|-?[1-9][0-9]*").fullmatch


def annotation_errors(
    metadata: Object, spec: Object, path: str, checks: PodChecks, old: Object | None = None
) -> Errors:
    """Validates the annotations of a pod or pod template.

    - `path`: the path of the annotations
    - `old`: the stored metadata; None for a new object
    """
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    if MIRROR in annotations and not spec.get("nodeName"):
        rule = "must set spec.nodeName if mirror pod annotation is set"
        yield invalid(f"{path}[{MIRROR}]", annotations[MIRROR], rule)
    if annotations.get(_TOLERATIONS):
        yield from _toleration_annotation_errors(annotations[_TOLERATIONS], path, checks)
    if _checks_cost(old, checks) and not is_deletion_cost(annotations.get(_DELETION_COST)):
        yield invalid(f"{path}[{_DELETION_COST}]", annotations[_DELETION_COST], "must be a 32bit integer")
    yield from seccomp.annotation_errors(annotations, path)
    yield from app_armor.annotation_errors(annotations, spec, path)


def annotation_update_errors(new: Object, old: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the change of a pod's annotations. `new` and `old` are whole pods."""
    after: Mapping[str, str] = new["metadata"].get("annotations") or {}
    before: Mapping[str, str] = old["metadata"].get("annotations") or {}
    for key in sorted(before):
        if after.get(key) != before[key]:
            yield from _fixed(key, path, "may not remove or update")
    for key in sorted(after.keys() - before.keys()):
        yield from _fixed(key, path, "may not add")
    yield from annotation_errors(new["metadata"], new["spec"], path, checks, old["metadata"])


def is_deletion_cost(text: str | None) -> bool:
    """Whether an annotation value is a 32-bit integer without leading zeros.

    Returns True for None, because a missing annotation is valid.
    """
    if text is None:
        return True
    return _is_cost(text) is not None and -(1 << 31) <= int(text[:12]) < 1 << 31


def _checks_cost(old: Object | None, checks: PodChecks) -> bool:
    if not checks.enabled("PodDeletionCost"):
        return False
    return old is None or is_deletion_cost((old.get("annotations") or {}).get(_DELETION_COST))


def _fixed(key: str, path: str, verb: str) -> list[FieldError]:
    if key.startswith(app_armor.ANNOTATION):
        return [forbidden(f"{path}[{key}]", f"{verb} AppArmor annotations")]
    if key == MIRROR:
        return [forbidden(f"{path}[{key}]", f"{verb} mirror pod annotation")]
    return []


def _toleration_annotation_errors(text: str, path: str, checks: PodChecks) -> Errors:
    try:
        tolerations: Any = codec.decode(text.encode())
    except ValueError as error:
        yield invalid(path, _TOLERATIONS, str(error))
        return
    entries = [entry for entry in tolerations or () if isinstance(entry, dict)]
    yield from toleration_errors(entries, f"{path}.{_TOLERATIONS}", checks)
