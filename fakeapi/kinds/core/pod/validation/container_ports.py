"""Validates the ports and host ports of containers.

Follows `validateContainerPorts`, `checkHostPortConflicts` and `validatePodHostNetworkDeps` of
k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.ports import PROTOCOLS, is_port_name, validate_port_number
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object


def port_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the ports of a container. `path`: the path of the container."""
    seen: set[str] = set()
    for index, port in enumerate(container.get("ports") or ()):
        place = f"{path}.ports[{index}]"
        if name := port.get("name", ""):
            messages = is_port_name(name)
            if messages:
                yield from each_invalid(f"{place}.name", name, messages)
            elif name in seen:
                yield duplicate(f"{place}.name", name)
            else:
                seen.add(name)
        if not port.get("containerPort"):
            yield required(f"{place}.containerPort")
        else:
            yield from validate_port_number(port["containerPort"], f"{place}.containerPort")
        if port.get("hostPort"):
            yield from validate_port_number(port["hostPort"], f"{place}.hostPort")
        protocol = port.get("protocol", "")
        if not protocol:
            yield required(f"{place}.protocol")
        elif protocol not in PROTOCOLS:
            yield not_supported(f"{place}.protocol", printed_plain(protocol, checks.wording), PROTOCOLS)


def host_port_conflicts(containers: Sequence[Object], path: str) -> Errors:
    """Yields an error for each host port that another port uses with the same protocol and host IP.

    `path`: the path of the list of containers.
    """
    seen: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            taken = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if taken in seen:
                yield duplicate(f"{path}[{index}].ports[{position}].hostPort", taken)
            seen.add(taken)


def host_network_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates that container ports equal their host ports, for a pod with hostNetwork.

    `path`: the path of the pod's spec.
    """
    if not spec.get("hostNetwork"):
        return
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            place = f"{path}.containers[{index}].ports[{position}]"
            on_host, inside = port.get("hostPort", 0), port.get("containerPort", 0)
            if on_host == inside:
                continue
            if checks.quirks.host_network_checks_container_port:
                rule = "must match `hostPort` when `hostNetwork` is true"
                yield invalid(f"{place}.containerPort", inside, rule)
            elif checks.is_pod or on_host:
                rule = "must match `containerPort` when `hostNetwork` is true"
                yield invalid(f"{place}.hostPort", on_host, rule)
