"""Validates the resize policies of containers.

Follows `validateResizePolicy` and the additional checks of `validateInitContainers` in k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from typing import Any

from fakeapi.kinds.common.printing.quantities import printed_resource_name
from fakeapi.kinds.common.printing.values import printed_field, printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, is_sidecar
from fakeapi.machinery.field_errors import duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object

_RESOURCES = ("cpu", "memory")
_POLICIES = ("NotRequired", "RestartContainer")


def resize_policy_errors(container: Object, path: str, spec: Object, checks: PodChecks) -> Errors:
    """Validates the resize policies of any container. `path`: the path of `resizePolicy`."""
    seen: set[str] = set()
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if resource in seen:
            yield duplicate(f"{path}[{index}]", printed_resource_name(resource, checks.wording))
        seen.add(resource)
        yield from _choice_errors(resource, printed_resource_name(resource, checks.wording), _RESOURCES, path)
        yield from _choice_errors(restart, printed_plain(restart, checks.wording), _POLICIES, path)
        never = spec.get("restartPolicy") == "Never"
        if never and restart != "NotRequired" and checks.quirks.resize_follows_restart_policy:
            yield invalid(
                path, printed_plain(restart, checks.wording), checks.quirks.resize_of_never_restarted
            )


def init_resize_policy_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the resize policies of an init container by the rules that apply only to init containers.

    `path`: the path of the container.
    """
    policies = container.get("resizePolicy") or ()
    if policies and not checks.sidecar_resize_policy:
        printed = printed_field(policies, "core/v1.Container", "resizePolicy", checks.rules)
        yield invalid(f"{path}.resizePolicy", printed, "must not be set for init containers")
    if is_sidecar(container) or not checks.quirks.init_containers_resize_in_place:
        return
    if _restarts_init_containers(checks.old):
        return
    for index, policy in enumerate(policies):
        if policy.get("restartPolicy") == "RestartContainer":
            rule = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            place = f"{path}.resizePolicy[{index}].restartPolicy"
            yield invalid(place, printed_plain("RestartContainer", checks.wording), rule)


def _restarts_init_containers(spec: Object) -> bool:
    return any(
        policy.get("restartPolicy") == "RestartContainer"
        for container in spec.get("initContainers") or ()
        if not is_sidecar(container)
        for policy in container.get("resizePolicy") or ()
    )


def _choice_errors(chosen: str, printed: Any, choices: tuple[str, ...], path: str) -> Errors:
    if not chosen:
        yield required(path)
    elif chosen not in choices:
        yield not_supported(path, printed, choices)
