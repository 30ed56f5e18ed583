"""Validates new pods. The registry validates their metadata, except special annotations.

Follows `ValidatePodCreate` and `validatePodMetadataAndSpec` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.numbers import validate_not_negative
from fakeapi.kinds.core.pod.validation import app_armor, seccomp
from fakeapi.kinds.core.pod.validation.annotations import annotation_errors
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.containers import image_errors
from fakeapi.kinds.core.pod.validation.spec import validate_pod_spec
from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules


def validate_pod_create(pod: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a new pod, which must be in canonical form and have defaults. Ignores most metadata."""
    checks = PodChecks(rules, pod["spec"], is_pod=True)
    return [*pod_errors(pod, None, checks), *_creation_errors(pod, checks)]


def pod_errors(pod: Object, old: Object | None, checks: PodChecks) -> Errors:
    """Validates a pod on create or update. Of the metadata, validates only special annotations.

    `old`: the stored pod; None on create.
    """
    spec, old_metadata = pod["spec"], None if old is None else old["metadata"]
    yield from annotation_errors(pod["metadata"], spec, "metadata.annotations", checks, old_metadata)
    yield from validate_pod_spec(spec, "spec", checks, pod["metadata"])
    if not spec.get("serviceAccountName"):
        yield from _token_errors(spec)
    if checks.quirks.grace_period_is_not_negative and "terminationGracePeriodSeconds" in spec:
        grace = spec["terminationGracePeriodSeconds"]
        yield from validate_not_negative(grace, "spec.terminationGracePeriodSeconds")
    for name in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(name) or ()):
            yield from image_errors(container, f"spec.{name}[{index}]")


def _token_errors(spec: Object) -> Errors:
    for index, volume in enumerate(spec.get("volumes") or ()):
        for position, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if "serviceAccountToken" in source:
                place = f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken"
                yield forbidden(place, "must not be specified when serviceAccountName is not set")


def _creation_errors(pod: Object, checks: PodChecks) -> Errors:
    spec = pod["spec"]
    annotations = pod["metadata"].get("annotations") or {}
    if spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")
    yield from seccomp.mismatch_errors(annotations, spec, "spec")
    yield from app_armor.mismatch_errors(annotations, spec, "spec", checks)
