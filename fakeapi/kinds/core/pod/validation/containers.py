"""Validates the containers, init containers and ephemeral containers of a pod.

Follows `validateContainers`, `validateInitContainers`, `validateEphemeralContainers` and
`validateContainerCommon` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, is_sidecar
from fakeapi.kinds.core.pod.validation.container_ports import host_port_conflicts, port_errors
from fakeapi.kinds.core.pod.validation.environment import environment_errors
from fakeapi.kinds.core.pod.validation.mounts import device_errors, mount_errors
from fakeapi.kinds.core.pod.validation.probes import PodFacts, lifecycle_errors, probes_errors
from fakeapi.kinds.core.pod.validation.resize_policy import (
    init_resize_policy_errors,
    resize_policy_errors,
)
from fakeapi.kinds.core.pod.validation.resources import container_resource_errors
from fakeapi.kinds.core.pod.validation.restart_policy import (
    container_restart_errors,
    init_restart_errors,
)
from fakeapi.kinds.core.pod.validation.security_context import container_security_errors
from fakeapi.machinery.field_errors import duplicate, forbidden, invalid, not_found, not_supported, required
from fakeapi.machinery.json_types import Object

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_OF_SIDECARS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)
_ZERO: dict[str, Any] = {"resources": {}}
"""Go's zero values of container fields that are always present. An empty list is not the zero value."""
_EPHEMERAL = "cannot be set for an Ephemeral Container"


class Containing(msgspec.Struct, frozen=True):
    """The properties of a pod on which the validation of its containers depends.

    - `volumes`: the valid volumes by name
    - `claims`: the names of the pod's resource claims
    """

    spec: Object
    volumes: Mapping[str, Object]
    claims: Collection[str]

    @property
    def facts(self) -> PodFacts:
        os = self.spec.get("os")
        grace_period = self.spec.get("terminationGracePeriodSeconds") or 0
        return PodFacts(grace_period, None if os is None else os.get("name", ""))


def container_errors(pod: Containing, path: str, checks: PodChecks) -> Errors:
    """Validates the ordinary containers of a pod. `path`: the path of `containers`."""
    containers = pod.spec.get("containers") or []
    if not containers:
        yield required(path)
        return
    seen: set[str] = set()
    for index, container in enumerate(containers):
        place, name = f"{path}[{index}]", container.get("name", "")
        yield from _common_errors(container, pod, place, checks)
        if name in seen:
            yield duplicate(f"{place}.name", name)
        seen.add(name)
        yield from lifecycle_errors(container, place, pod.facts, checks)
        yield from probes_errors(container, place, pod.facts, checks)
        yield from container_restart_errors(container, place, checks)
    yield from host_port_conflicts(containers, path)


def init_container_errors(pod: Containing, path: str, checks: PodChecks) -> Errors:
    """Validates the init containers of a pod, including sidecars. `path`: the path of `initContainers`."""
    seen = {container.get("name", "") for container in pod.spec.get("containers") or ()}
    for index, container in enumerate(pod.spec.get("initContainers") or ()):
        place, name = f"{path}[{index}]", container.get("name", "")
        yield from _common_errors(container, pod, place, checks)
        yield from init_restart_errors(container, place, checks)
        if name in seen:
            yield duplicate(f"{place}.name", name)
        elif name:
            seen.add(name)
        yield from host_port_conflicts([container], path)
        if is_sidecar(container):
            yield from lifecycle_errors(container, place, pod.facts, checks)
            yield from probes_errors(container, place, pod.facts, checks)
        else:
            for field in _OF_SIDECARS:
                if field in container:
                    yield forbidden(f"{place}.{field}", checks.quirks.only_sidecars_may)
        yield from init_resize_policy_errors(container, place, checks)


def ephemeral_container_errors(pod: Containing, path: str, checks: PodChecks) -> Errors:
    """Validates the ephemeral containers of a pod. `path`: the path of `ephemeralContainers`."""
    others = {
        container.get("name", "")
        for kind in ("containers", "initContainers")
        for container in pod.spec.get(kind) or ()
    }
    seen = set(others)
    for index, container in enumerate(pod.spec.get("ephemeralContainers") or ()):
        place, name = f"{path}[{index}]", container.get("name", "")
        yield from _common_errors(container, pod, place, checks)
        yield from image_errors(container, place)
        if name in seen:
            yield duplicate(f"{place}.name", name)
        seen.add(name)
        target = container.get("targetContainerName")
        if target and target not in others:
            yield not_found(f"{place}.targetContainerName", target)
        for field in _NOT_EPHEMERAL:
            if field in container and container[field] != _ZERO.get(field):
                yield forbidden(f"{place}.{field}", _EPHEMERAL)
        for position, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    yield forbidden(f"{place}.volumeMounts[{position}].{field}", _EPHEMERAL)


def image_errors(container: Object, path: str) -> Errors:
    """Yields an error for an image with leading or trailing whitespace.

    Such images are valid in pod templates.
    """
    image = container.get("image", "")
    if image != image.strip():
        yield invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def pull_policy_errors(policy: str, path: str, checks: PodChecks) -> Errors:
    if not policy:
        yield required(path)
    elif policy not in PULL_POLICIES:
        yield not_supported(path, printed_plain(policy, checks.wording), PULL_POLICIES)


def _common_errors(container: Object, pod: Containing, path: str, checks: PodChecks) -> Errors:
    name = container.get("name", "")
    if not name:
        yield required(f"{path}.name")
    else:
        yield from validate_dns_label(name, f"{path}.name")
    if not container.get("image"):
        yield required(f"{path}.image")
    policy = container.get("terminationMessagePolicy", "")
    if not policy:
        yield required(f"{path}.terminationMessagePolicy")
    elif policy not in _MESSAGE_POLICIES:
        yield not_supported(
            f"{path}.terminationMessagePolicy", printed_plain(policy, checks.wording), _MESSAGE_POLICIES
        )
    yield from port_errors(container, path, checks)
    yield from environment_errors(container, path, checks)
    yield from mount_errors(container, pod.volumes, f"{path}.volumeMounts", checks)
    yield from device_errors(container, pod.volumes, f"{path}.volumeDevices")
    yield from pull_policy_errors(container.get("imagePullPolicy", ""), f"{path}.imagePullPolicy", checks)
    resources = container.get("resources") or {}
    yield from container_resource_errors(resources, pod.claims, f"{path}.resources", checks)
    yield from resize_policy_errors(container, f"{path}.resizePolicy", pod.spec, checks)
    yield from container_security_errors(container, f"{path}.securityContext", pod.spec, checks)
