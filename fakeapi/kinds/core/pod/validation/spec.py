"""Validates the specs of pods and pod templates.

Follows `ValidatePodSpec` of k8s.io/kubernetes `pkg/apis/core/validation`, including the order of errors.
"""

from fakeapi.kinds.common.numbers import INT32_MAX, validate_within
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation import dns, names_of_others
from fakeapi.kinds.core.pod.validation.affinity import affinity_errors
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, containers_at
from fakeapi.kinds.core.pod.validation.container_ports import host_network_errors
from fakeapi.kinds.core.pod.validation.containers import (
    Containing,
    container_errors,
    ephemeral_container_errors,
    init_container_errors,
)
from fakeapi.kinds.core.pod.validation.gates import gate_errors
from fakeapi.kinds.core.pod.validation.host_users import host_users_errors
from fakeapi.kinds.core.pod.validation.resource_claims import claim_errors
from fakeapi.kinds.core.pod.validation.resources import overhead_errors, pod_resource_errors
from fakeapi.kinds.core.pod.validation.security_context import (
    pod_security_errors,
    shared_process_errors,
)
from fakeapi.kinds.core.pod.validation.tolerations import toleration_errors
from fakeapi.kinds.core.pod.validation.topology_spread import topology_spread_errors
from fakeapi.kinds.core.pod.validation.volumes import validate_volumes
from fakeapi.kinds.core.pod.validation.windows import host_process_errors, system_errors
from fakeapi.machinery.field_errors import FieldError, invalid, not_found, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_labels

RESTART_POLICIES = ("Always", "OnFailure", "Never")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_SYSTEMS = ("linux", "windows")


def validate_pod_spec(
    spec: Object, path: str, checks: PodChecks, metadata: Object | None = None
) -> list[FieldError]:
    """Validates a pod spec. The spec must be in canonical form and have defaults.

    `metadata`: the metadata of the pod; None for a pod template.
    """
    return list(_spec_errors(spec, path, checks, metadata))


def _spec_errors(spec: Object, path: str, checks: PodChecks, metadata: Object | None) -> Errors:
    yield from _container_errors(spec, path, checks, metadata)
    if not checks.quirks.host_network_checks_container_port:
        yield from host_network_errors(spec, path, checks)
    yield from _choice_errors(spec, "restartPolicy", RESTART_POLICIES, path, checks)
    yield from dns.policy_errors(spec, path, checks)
    yield from validate_labels(spec.get("nodeSelector") or {}, f"{path}.nodeSelector", checks.wording)
    yield from pod_security_errors(spec, path, checks)
    if checks.quirks.host_namespaces_are_of_the_spec:
        yield from shared_process_errors(spec, path)
    yield from affinity_errors(spec, path, checks)
    yield from dns.config_errors(spec, path, checks)
    yield from gate_errors(spec, path, checks)
    yield from topology_spread_errors(spec, path, checks)
    yield from host_process_errors(spec, path)
    yield from host_users_errors(spec, path, checks)
    yield from dns.hostname_override_errors(spec, path, checks)
    yield from names_of_others.service_account_errors(spec, path, checks)
    yield from names_of_others.name_errors(spec, "nodeName", path)
    if "activeDeadlineSeconds" in spec:
        seconds = spec["activeDeadlineSeconds"]
        yield from validate_within(seconds, f"{path}.activeDeadlineSeconds", 1, INT32_MAX)
    yield from dns.name_errors(spec, path)
    yield from toleration_errors(spec.get("tolerations") or (), f"{path}.tolerations", checks)
    yield from dns.host_alias_errors(spec, path, checks)
    yield from names_of_others.name_errors(spec, "priorityClassName", path)
    yield from names_of_others.runtime_class_errors(spec, path)
    if spec.get("preemptionPolicy") is not None:
        yield from _choice_errors(spec, "preemptionPolicy", _PREEMPTION_POLICIES, path, checks)
    yield from overhead_errors(spec.get("overhead") or {}, f"{path}.overhead", checks)
    yield from _system_errors(spec, path, checks)
    yield from names_of_others.group_errors(spec, path, checks)
    yield from _environment_volume_errors(spec, path)


def _container_errors(spec: Object, path: str, checks: PodChecks, metadata: Object | None) -> Errors:
    volumes, errors = validate_volumes(spec, metadata, f"{path}.volumes", checks)
    yield from errors
    yield from claim_errors(spec, metadata, path, checks)
    claims = {claim["name"] for claim in spec.get("resourceClaims") or () if claim.get("name")}
    pod = Containing(spec, volumes, claims)
    yield from container_errors(pod, f"{path}.containers", checks)
    yield from init_container_errors(pod, f"{path}.initContainers", checks)
    yield from ephemeral_container_errors(pod, f"{path}.ephemeralContainers", checks)
    yield from pod_resource_errors(spec, claims, path, checks)


def _choice_errors(spec: Object, name: str, choices: tuple[str, ...], path: str, checks: PodChecks) -> Errors:
    chosen = spec.get(name, "")
    if not chosen:
        yield required(f"{path}.{name}")
    elif chosen not in choices:
        yield not_supported(f"{path}.{name}", printed_plain(chosen, checks.wording), choices)


def _system_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    os = spec.get("os")
    if os is None:
        return
    name = os.get("name", "")
    if not name:
        yield required(f"{path}.os.name", checks.quirks.empty_system)
    elif name not in _SYSTEMS:
        yield not_supported(f"{path}.os", printed_plain(name, checks.wording), _SYSTEMS)
    else:
        yield from system_errors(spec, path, checks)


def _environment_volume_errors(spec: Object, path: str) -> Errors:
    """Yields an error for each fileKeyRef to a volume that does not exist or is not an emptyDir."""
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or ()}
    for place, container in containers_at(spec, path):
        for index, variable in enumerate(container.get("env") or ()):
            reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if reference is None:
                continue
            here, name = (
                f"{place}.env[{index}].valueFrom.fileKeyRef.volumeName",
                reference.get("volumeName", ""),
            )
            if name not in volumes:
                yield not_found(here, name)
            elif "emptyDir" not in volumes[name]:
                yield invalid(here, name, "referenced volume must be of type emptyDir")
