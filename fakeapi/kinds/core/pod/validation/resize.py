"""Validates writes to `/resize`, which change the resources of running containers.

Follows `ValidatePodResize` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.mirror_pods import is_mirror
from fakeapi.kinds.core.pod.qos import qos_class
from fakeapi.kinds.core.pod.validation.checks import NO_PATH, Errors, PodChecks, is_sidecar
from fakeapi.kinds.core.pod.validation.create import pod_errors
from fakeapi.kinds.core.pod.validation.internal_form import internal_spec
from fakeapi.kinds.core.pod.validation.resource_changes import (
    has_removed,
    with_old_amounts,
    with_old_resources,
)
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases.rules import ReleaseRules

_ONLY_RESOURCES = "only cpu and memory resources are mutable"
_POD_GATE = "InPlacePodLevelResourcesVerticalScaling"
_INIT_GATE = "InPlacePodVerticalScalingInitContainers"
_VOLUME_GATE = "InPlacePodVerticalScalingMemoryBackedVolumes"


def validate_pod_resize(
    new: Object, old: Object, rules: ReleaseRules, metadata: MetadataErrors = NO_METADATA_ERRORS
) -> list[FieldError]:
    """Validates a write to `/resize` of a pod. Both pods must be in canonical form and have defaults."""
    checks = PodChecks(rules, new["spec"], old["spec"], is_pod=True)
    refused = _refusal(new["spec"], old, checks)
    if refused:
        return [forbidden(NO_PATH, refused)]
    errors = [*metadata.of_change, *metadata.of_object, *pod_errors(new, old, checks)]
    stored = old["status"].get("qosClass") or qos_class(old["spec"], rules.gates)
    if qos_class(new["spec"], rules.gates) != stored:
        printed = printed_plain(new["status"].get("qosClass", ""), checks.wording)
        errors.append(invalid("spec", printed, "Pod QOS Class may not change as a result of resizing"))
    if not _node_resizes(old["status"]):
        errors.append(forbidden("spec", "Pod running on node without support for resize"))
    return errors + _change_errors(new["spec"], old, checks, found=bool(errors))


def _refusal(spec: Object, old: Object, checks: PodChecks) -> str:
    """Returns the reason why a pod can never be resized, such as a static pod; "" for all other pods."""
    before = old["spec"]
    uses_pod = _asks_as_a_whole(before) or _asks_as_a_whole(spec)
    if uses_pod and not checks.quirks.pods_with_resources_resize:
        return "pods with pod-level resources cannot be resized"
    if is_mirror(old):
        return "static pods cannot be resized"
    if (before.get("os") or {}).get("name") == "windows":
        return "windows pods cannot be resized"
    return ""


def _asks_as_a_whole(spec: Object) -> bool:
    resources = spec.get("resources") or {}
    return bool(resources.get("requests") or resources.get("limits"))


def _node_resizes(status: Object) -> bool:
    """Whether the node of a pod can resize pods: such nodes report `resources` of running containers."""
    for container in status.get("containerStatuses") or ():
        if "running" in (container.get("state") or {}):
            return "resources" in container
    return True


def _change_errors(spec: Object, old: Object, checks: PodChecks, *, found: bool) -> list[FieldError]:
    before, left, errors = old["spec"], dict(spec), list[FieldError]()
    if _asks_as_a_whole(before) or _asks_as_a_whole(spec):
        if not checks.enabled(_POD_GATE):
            rule = (
                f"resize of pods with pod-level resources is forbidden when {_POD_GATE}Enabled feature gate"
            )
            return [forbidden(NO_PATH, f"{rule} is disabled")]
        errors += _pod_resource_errors(left, before, checks)
        if errors and "resources" not in spec:
            left["resources"] = before["resources"]
    has_node_claims = old["status"].get("nodeAllocatableResourceClaimStatuses")
    if has_node_claims and checks.quirks.node_claims_are_not_resized:
        rule = "pods with node allocatable resource claims cannot be resized"
        errors.append(forbidden("spec", rule))
    moved = list(_order_errors(spec, before))
    if moved and checks.quirks.resize_keeps_containers:
        return errors + moved
    errors += _removal_errors(spec, before, checks)
    errors += _container_errors(left, before, checks)
    if checks.quirks.memory_volumes_resize:
        errors += _volume_errors(spec.get("volumes") or (), before.get("volumes") or (), checks)
        left["volumes"] = before.get("volumes") or []
    if (found or errors) and checks.quirks.resize_keeps_containers:
        return errors
    if not semantically_equal(left, before):
        errors.append(_other_change(left, before, checks))
    return errors


def _other_change(left: Object, before: Object, checks: PodChecks) -> FieldError:
    if not checks.quirks.resize_shows_difference:
        return forbidden("spec", _ONLY_RESOURCES)
    one, struct = internal_spec(before, checks.rules)
    other, _ = internal_spec(left, checks.rules)
    return forbidden("spec", f"{_ONLY_RESOURCES}\n{printed_difference(one, other, struct, checks.rules)}")


def _pod_resource_errors(left: Object, before: Object, checks: PodChecks) -> Errors:
    """Validates the change of pod-level resources.

    Resets the resizable amounts in `left` to the stored amounts, so that a later comparison detects only
    other changes.

    `left`: a copy of the new spec, which is changed in place
    `before`: the stored spec
    """
    resources, stored = left.get("resources"), before.get("resources")
    if resources is None:
        if stored is not None:
            yield forbidden("spec.resources", "pod-level resources cannot be removed")
        return
    if stored is not None:
        for name, label in (("requests", "requests"), ("limits", "limits")):
            if has_removed(resources.get(name) or {}, stored.get(name) or {}):
                rule = f"pod-level resource {label} cannot be removed"
                yield forbidden(f"spec.resources.{name}", rule)
    munged = with_old_resources(resources, stored or {}, checks.quirks)
    if stored is None and not munged:
        del left["resources"]
    else:
        left["resources"] = munged
    if not semantically_equal(left.get("resources"), stored):
        yield forbidden("spec", "only cpu and memory resources are mutable at pod-level")


def _order_errors(spec: Object, before: Object) -> Errors:
    for kind in ("containers", "initContainers"):
        new, old = spec.get(kind) or (), before.get(kind) or ()
        if len(new) != len(old):
            yield forbidden(f"spec.{kind}", f"{kind} may not be added or removed on resize")
            continue
        for index, (container, stored) in enumerate(zip(new, old, strict=True)):
            if container.get("name") != stored.get("name"):
                place = f"spec.{kind}[{index}].name"
                yield forbidden(place, f"{kind} may not be renamed or reordered on resize")


def _removal_errors(spec: Object, before: Object, checks: PodChecks) -> Errors:
    for kind in ("initContainers", "containers"):
        pairs = zip(spec.get(kind) or (), before.get(kind) or (), strict=False)
        for index, (container, stored) in enumerate(pairs):
            if kind == "initContainers" and not _can_resize(stored, checks):
                continue
            path = f"spec.{kind}[{index}].resources"
            resources, old = container.get("resources") or {}, stored.get("resources") or {}
            for name, label in (("requests", "requests"), ("limits", "limits")):
                if has_removed(resources.get(name) or {}, old.get(name) or {}):
                    yield forbidden(f"{path}.{name}", f"resource {label} cannot be removed")
            if checks.quirks.resize_keeps_memory:
                yield from _memory_errors(container, stored, path)


def _memory_errors(container: Object, stored: Object, path: str) -> Errors:
    policies = container.get("resizePolicy") or ()
    of_memory = (policy.get("restartPolicy") for policy in policies if policy.get("resourceName") == "memory")
    if next(of_memory, "") not in ("NotRequired", ""):
        return
    new = ((container.get("resources") or {}).get("limits") or {}).get("memory")
    old = ((stored.get("resources") or {}).get("limits") or {}).get("memory")
    if new is None or (old is not None and quantity.compare(new, old) >= 0):
        return
    verb = "added" if old is None else "decreased"
    rule = f"memory limits cannot be {verb} unless resizePolicy is RestartContainer"
    yield forbidden(f"{path}.limits[memory]", rule)


def _can_resize(container: Object, checks: PodChecks) -> bool:
    if checks.quirks.only_sidecars_resize:
        return is_sidecar(container) and checks.enabled("SidecarContainers")
    return is_sidecar(container) or checks.enabled(_INIT_GATE)


def _container_errors(left: Object, before: Object, checks: PodChecks) -> list[FieldError]:
    """Returns errors for changes of containers that are not resizes.

    Resets the resizable amounts in `left` to the stored amounts, so that a later comparison detects only
    other changes.

    `left`: a copy of the new spec, which is changed in place
    `before`: the stored spec
    """
    errors: list[FieldError] = []
    keeps_containers = checks.quirks.resize_keeps_containers
    for kind in ("containers", "initContainers"):
        containers = []
        for index, (container, stored) in enumerate(
            zip(left.get(kind) or (), before.get(kind) or (), strict=False)
        ):
            resizable = kind == "containers" or (keeps_containers and _can_resize(container, checks))
            settled = with_old_amounts(container, stored, checks.quirks) if resizable else container
            if resizable and not keeps_containers:
                settled = _with_policy_of(stored, settled)
            containers.append(settled)
            if keeps_containers:
                errors += _other_container_errors(settled, container, stored, f"spec.{kind}[{index}]", checks)
        if containers:
            left[kind] = containers + list(left[kind][len(containers) :])
    return errors


def _with_policy_of(stored: Object, container: Object) -> Object:
    rest = {name: value for name, value in container.items() if name != "resizePolicy"}
    return rest | ({"resizePolicy": stored["resizePolicy"]} if "resizePolicy" in stored else {})


def _other_container_errors(
    settled: Object, container: Object, stored: Object, path: str, checks: PodChecks
) -> Errors:
    differs = not semantically_equal(settled, stored)
    if path.startswith("spec.containers"):
        if differs:
            yield forbidden("spec", _ONLY_RESOURCES)
        return
    if not _can_resize(container, checks):
        if differs:
            yield forbidden("spec", "resources for non-sidecar init containers are immutable")
        return
    if checks.quirks.only_sidecars_resize:
        if differs:
            yield forbidden("spec", "only cpu and memory resources for sidecar containers are mutable")
        return
    if differs:
        yield forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable")
    if is_sidecar(container) or semantically_equal(container, stored):
        return
    for policy in container.get("resizePolicy") or ():
        if policy.get("restartPolicy") == "RestartContainer":
            rule = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            yield forbidden(path, rule)


def _volume_errors(new: Sequence[Object], old: Sequence[Object], checks: PodChecks) -> Errors:
    if not checks.enabled(_VOLUME_GATE):
        if not semantically_equal(list(new), list(old)):
            rule = f"volumes are immutable on resize when {_VOLUME_GATE} feature gate is disabled"
            yield forbidden("spec.volumes", rule)
        return
    if len(new) != len(old):
        yield forbidden("spec.volumes", "volumes may not be added or removed on resize")
        return
    for index, (volume, stored) in enumerate(zip(new, old, strict=True)):
        path = f"spec.volumes[{index}]"
        if volume.get("name") != stored.get("name"):
            yield forbidden(f"{path}.name", "volumes may not be renamed or reordered on resize")
        else:
            yield from _volume_size_errors(volume, stored, path)


def _volume_size_errors(volume: Object, stored: Object, path: str) -> Errors:
    if not semantically_equal(_without_size(volume), _without_size(stored)):
        yield forbidden(path, "only sizeLimit of memory-backed emptyDir volumes is mutable on resize")
        return
    if "emptyDir" not in volume or "emptyDir" not in stored:
        return
    new, old = volume["emptyDir"].get("sizeLimit", "0"), stored["emptyDir"].get("sizeLimit", "0")
    place = f"{path}.emptyDir.sizeLimit"
    if (quantity.parse(new).amount == 0) != (quantity.parse(old).amount == 0):
        yield forbidden(place, "adding or removing sizeLimit on an existing volume is not allowed")
    elif quantity.compare(new, old) != 0 and volume["emptyDir"].get("medium") != "Memory":
        yield forbidden(place, "sizeLimit is only mutable for memory-backed emptyDir volumes")


def _without_size(volume: Object) -> Object:
    if "emptyDir" not in volume:
        return volume
    rest = {name: value for name, value in volume["emptyDir"].items() if name != "sizeLimit"}
    return {**volume, "emptyDir": rest}
