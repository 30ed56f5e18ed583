"""Validates updates of pods. An update may change only some fields of the spec.

Follows `ValidatePodUpdate` and `ValidatePodEphemeralContainersUpdate` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.numbers import INT32_MAX, range_error
from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.mirror_pods import is_mirror
from fakeapi.kinds.core.pod.qos import qos_class
from fakeapi.kinds.core.pod.validation.annotations import annotation_update_errors
from fakeapi.kinds.core.pod.validation.checks import NO_PATH, Errors, PodChecks
from fakeapi.kinds.core.pod.validation.containers import image_errors
from fakeapi.kinds.core.pod.validation.create import pod_errors
from fakeapi.kinds.core.pod.validation.gates import added_gate_errors
from fakeapi.kinds.core.pod.validation.internal_form import internal_spec
from fakeapi.kinds.core.pod.validation.resource_changes import with_old_amounts
from fakeapi.kinds.core.pod.validation.scheduling_changes import with_old_placement
from fakeapi.kinds.core.pod.validation.tolerations import added_toleration_errors
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases.pod_quirks import PodQuirks
from fakeapi.releases.rules import ReleaseRules

_UPDATABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)
_RESIZABLE = "`spec.containers[*].resources` (for CPU/memory only)"
_IMAGES = ("containers", "initContainers")


def validate_pod_update(
    new: Object, old: Object, rules: ReleaseRules, metadata: MetadataErrors = NO_METADATA_ERRORS
) -> list[FieldError]:
    """Validates an update of a pod. Both pods must be in canonical form and have defaults."""
    checks = PodChecks(rules, new["spec"], old["spec"], is_pod=True)
    errors = _object_errors(new, old, checks, metadata)
    return [*errors, *_spec_change_errors(new, old, checks)]


def validate_ephemeral_containers_update(
    new: Object, old: Object, rules: ReleaseRules, metadata: MetadataErrors = NO_METADATA_ERRORS
) -> list[FieldError]:
    """Validates a write to `/ephemeralcontainers`. Such a write can only add ephemeral containers."""
    checks = PodChecks(rules, new["spec"], old["spec"], is_pod=True)
    errors = _object_errors(new, old, checks, metadata)
    if is_mirror(old):
        return [forbidden(NO_PATH, "static pods do not support ephemeral containers")]
    after = {
        container.get("name", ""): container for container in new["spec"].get("ephemeralContainers") or ()
    }
    for container in old["spec"].get("ephemeralContainers") or ():
        name = container.get("name", "")
        rule = f"existing ephemeral containers {quote(name)} may not be"
        if name not in after:
            errors.append(forbidden("spec.ephemeralContainers", f"{rule} removed\n"))
        elif not semantically_equal(container, after[name]):
            struct = rules.schemas.struct("core/v1.EphemeralContainer")
            printed = printed_difference(container, after[name], struct, checks.rules)
            errors.append(forbidden("spec.ephemeralContainers", f"{rule} changed\n{printed}"))
    return errors


def _object_errors(new: Object, old: Object, checks: PodChecks, metadata: MetadataErrors) -> list[FieldError]:
    return [
        *metadata.of_change,
        *metadata.of_object,
        *pod_errors(new, old, checks),
        *annotation_update_errors(new, old, "metadata.annotations", checks),
    ]


def _spec_change_errors(new: Object, old: Object, checks: PodChecks) -> Errors:
    spec, before = new["spec"], old["spec"]
    for name in _IMAGES:
        containers, stored = spec.get(name) or (), before.get(name) or ()
        if len(containers) != len(stored):
            yield forbidden(f"spec.{name}", "pod updates may not add or remove containers")
            return
        yield from _image_change_errors(containers, f"spec.{name}")
    deadline = list(_deadline_errors(spec, before, checks))
    yield from deadline
    if deadline and "activeDeadlineSeconds" in spec:
        return
    tolerations = spec.get("tolerations") or (), before.get("tolerations") or ()
    yield from added_toleration_errors(*tolerations, "spec.tolerations", checks)
    gates = spec.get("schedulingGates") or (), before.get("schedulingGates") or ()
    yield from added_gate_errors(*gates, "spec.schedulingGates")
    if semantically_equal(spec, before):
        return
    if checks.quirks.updates_keep_qos_class:
        yield from _qos_errors(new, old, checks)
    yield from _other_field_errors(spec, before, checks)


def _image_change_errors(containers: Sequence[Object], path: str) -> Errors:
    for index, container in enumerate(containers):
        if not container.get("image"):
            yield required(f"{path}[{index}].image")
        yield from image_errors(container, f"{path}[{index}]")


def _deadline_errors(spec: Object, before: Object, checks: PodChecks) -> Errors:
    path = "spec.activeDeadlineSeconds"
    seconds, stored = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if seconds is None:
        if stored is not None:
            yield invalid(
                path,
                printed_plain(None, checks.wording),
                "must not update from a positive integer to nil value",
            )
    elif not 0 <= seconds <= INT32_MAX:
        yield invalid(path, seconds, range_error(0, INT32_MAX))
    elif stored is not None and stored < seconds:
        yield invalid(path, seconds, "must be less than or equal to previous value")


def _qos_errors(new: Object, old: Object, checks: PodChecks) -> Errors:
    stored = old["status"].get("qosClass") or qos_class(old["spec"], checks.rules.gates)
    if qos_class(new["spec"], checks.rules.gates) != stored:
        printed = printed_plain(new["status"].get("qosClass", ""), checks.wording)
        yield invalid("metadata", printed, "Pod QoS is immutable")


def _other_field_errors(spec: Object, before: Object, checks: PodChecks) -> Errors:
    """Yields an error if an update changes immutable fields of a pod spec.

    The message of the error contains the difference. Also yields errors for forbidden changes of node
    selector and node affinity of a pod with scheduling gates. `before`: the stored spec.
    """
    resizes = checks.quirks.updates_resize_pods and checks.enabled("InPlacePodVerticalScaling")
    left = _with_old_fields(spec, before, checks.quirks, resizes=resizes)
    if before.get("schedulingGates") and checks.enabled("PodSchedulingReadiness"):
        left, errors = with_old_placement(left, before, checks)
        yield from errors
    if semantically_equal(left, before):
        return
    fields = (*_UPDATABLE, _RESIZABLE) if resizes else _UPDATABLE
    one, struct = internal_spec(before, checks.rules)
    other, _ = internal_spec(left, checks.rules)
    printed = printed_difference(one, other, struct, checks.rules)
    rule = f"pod updates may not change fields other than {','.join(fields)}\n{printed}"
    yield forbidden("spec", rule)


def _with_old_fields(spec: Object, before: Object, quirks: PodQuirks, *, resizes: bool) -> Object:
    """Returns the new pod spec with the stored values of all mutable fields.

    `before`: the stored spec
    `resizes`: whether container resources are mutable
    """
    left = dict(spec)
    for name in _IMAGES:
        if spec.get(name):
            pairs = zip(spec[name], before[name], strict=True)
            left[name] = [container | {"image": stored.get("image", "")} for container, stored in pairs]
    if resizes:
        pairs = zip(left["containers"], before["containers"], strict=True)
        left["containers"] = [with_old_amounts(container, stored, quirks) for container, stored in pairs]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        left.pop(name, None)
        if name in before:
            left[name] = before[name]
    stored_grace = before.get("terminationGracePeriodSeconds") or 0
    if stored_grace < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        left["terminationGracePeriodSeconds"] = stored_grace
    return {name: left[name] for name in {**before, **left} if name in left}
