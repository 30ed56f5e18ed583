"""Validates the statuses of containers: state transitions, users, allocated resources, volumes.

Follows `ValidateContainerStateTransition`, `ValidateInitContainerStateTransition` and the validators of
`ValidatePodStatusUpdate` of k8s.io/kubernetes `pkg/apis/core/validation`. Also follows
`ContainerShouldRestart` of `pkg/api/v1/pod`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.numbers import INT32_MAX, validate_within
from fakeapi.kinds.common.printing.quantities import printed_resource_name
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, is_sidecar
from fakeapi.machinery.field_errors import duplicate, forbidden, invalid, not_supported, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import byte_length

STATUSES = {
    "containerStatuses": "containers",
    "initContainerStatuses": "initContainers",
    "ephemeralContainerStatuses": "ephemeralContainers",
}
MESSAGE_MAX_LENGTH = 1024
IMAGE_MAX_LENGTH = 256
UINT32_MAX = (1 << 32) - 1

_HEALTH = ("Healthy", "Unhealthy", "Unknown")
_CLAIM = "claim:"


def transition_errors(new: Object, old: Object, checks: PodChecks) -> Errors:
    """Yields an error for each terminated container that restarts against its restart policy.

    `new` and `old` are whole pods.
    """
    spec = old["spec"]
    for name, kind in STATUSES.items():
        of_init = kind == "initContainers" and checks.quirks.init_containers_have_restart_rules
        rules = checks.restart_rules and (kind == "containers" or of_init)
        if rules and checks.restart_all_containers and _restarts_all(spec):
            continue
        containers = {entry.get("name"): entry for entry in spec.get(kind) or ()}
        going = {
            entry.get("name")
            for entry in new["status"].get(name) or ()
            if "terminated" not in (entry.get("state") or {})
        }
        for index, status in enumerate(old["status"].get(name) or ()):
            ended = (status.get("state") or {}).get("terminated")
            if ended is None or status.get("name") not in going:
                continue
            container = containers.get(status.get("name"))
            if not _may_restart(container, kind, spec, ended.get("exitCode", 0), rules=rules):
                rule = "may not be transitioned to non-terminated state"
                yield forbidden(f"status.{name}[{index}].state", rule)


def _may_restart(container: Object | None, kind: str, spec: Object, code: int, *, rules: bool) -> bool:
    if kind == "ephemeralContainers":
        return False
    if rules:
        return container is not None and _should_restart(container, spec, code)
    policy = spec.get("restartPolicy")
    if policy == "Always" or (policy == "OnFailure" and code != 0):
        return True
    return kind == "initContainers" and container is not None and is_sidecar(container)


def _should_restart(container: Object, spec: Object, code: int) -> bool:
    policy = container.get("restartPolicy")
    if policy is not None and any(_matches(rule, code) for rule in container.get("restartPolicyRules") or ()):
        return True
    chosen = policy if policy in ("Always", "OnFailure", "Never") else spec.get("restartPolicy")
    return chosen not in ("OnFailure", "Never") or (chosen == "OnFailure" and code != 0)


def _matches(rule: Object, code: int) -> bool:
    codes = rule.get("exitCodes")
    if codes is None:
        return False
    listed = code in (codes.get("values") or ())
    return listed if codes.get("operator") == "In" else not listed


def _restarts_all(spec: Object) -> bool:
    return any(
        rule.get("action") == "RestartAllContainers"
        for kind in ("initContainers", "containers")
        for container in spec.get(kind) or ()
        for rule in container.get("restartPolicyRules") or ()
    )


def user_errors(pod: Object, checks: PodChecks) -> Errors:
    """Validates the users in container statuses, such as uid and supplemental groups."""
    system = (pod["spec"].get("os") or {}).get("name", "linux")
    for name in STATUSES:
        for index, status in enumerate(pod["status"].get(name) or ()):
            user = (status.get("user") or {}).get("linux")
            if user is None:
                continue
            path = f"status.{name}[{index}].{checks.quirks.user_path}"
            if system == "windows":
                yield forbidden(path, "cannot be set for a windows pod")
                continue
            most = UINT32_MAX if checks.quirks.users_are_unsigned else INT32_MAX
            yield from validate_within(user.get("uid", 0), f"{path}.uid", 0, most)
            yield from validate_within(user.get("gid", 0), f"{path}.gid", 0, INT32_MAX)
            for position, group in enumerate(user.get("supplementalGroups") or ()):
                place = f"{path}.supplementalGroups[{position}]"
                yield from validate_within(group, place, 0, INT32_MAX)


def allocated_resource_errors(pod: Object, checks: PodChecks) -> Errors:
    """Validates `allocatedResourcesStatus`: the health of the resources that containers have."""
    for name, kind in STATUSES.items():
        containers = {entry.get("name"): entry for entry in reversed(pod["spec"].get(kind) or ())}
        for index, status in enumerate(pod["status"].get(name) or ()):
            allocated = status.get("allocatedResourcesStatus") or ()
            path = f"status.{name}[{index}].allocatedResourcesStatus"
            if kind == "ephemeralContainers":
                if allocated:
                    yield forbidden(path, "must not be specified in container status")
                continue
            for position, resource in enumerate(allocated):
                place = f"{path}[{position}]"
                container = containers.get(status.get("name"))
                if container is not None:
                    yield from _resource_name_errors(resource, container, pod, f"{place}.name", checks)
                yield from _health_errors(resource.get("resources") or (), f"{place}.resources", checks)


def _resource_name_errors(
    resource: Object, container: Object, pod: Object, path: str, checks: PodChecks
) -> Errors:
    name, own = resource.get("name", ""), container.get("resources") or {}
    if not name.startswith(_CLAIM) or not checks.quirks.claims_have_resource_statuses:
        if name not in (own.get("requests") or {}):
            yield invalid(
                path, printed_resource_name(name, checks.wording), checks.quirks.unknown_resource_status
            )
        return
    used = {_claim_name(claim) for claim in own.get("claims") or ()}
    if name in used or (checks.quirks.users_are_unsigned and _is_extended(name, container, pod["status"])):
        return
    yield invalid(path, printed_resource_name(name, checks.wording), checks.quirks.unknown_claim_status)


def _claim_name(claim: Object) -> str:
    request = claim.get("request")
    return f"{_CLAIM}{claim.get('name', '')}{f'/{request}' if request else ''}"


def _is_extended(name: str, container: Object, status: Object) -> bool:
    """Whether the name `claim:CLAIM/REQUEST` refers to the claim for a container's extended resources.

    - `name`: the name of an allocated resource
    - `status`: the status of the pod
    """
    extended = status.get("extendedResourceClaimStatus") or {}
    claim, _, request = name.removeprefix(_CLAIM).partition("/")
    if not request or claim != extended.get("resourceClaimName"):
        return False
    requests = (container.get("resources") or {}).get("requests") or {}
    return any(
        (mapping.get("containerName"), mapping.get("requestName")) == (container.get("name"), request)
        and requests.get(mapping.get("resourceName"), "0") != "0"
        for mapping in extended.get("requestMappings") or ()
    )


def _health_errors(resources: Sequence[Object], path: str, checks: PodChecks) -> Errors:
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        health, message = resource.get("health", ""), resource.get("message")
        place, resource_id = f"{path}[{index}]", resource.get("resourceID", "")
        if health not in _HEALTH:
            yield not_supported(f"{place}.health", printed_plain(health, checks.wording), _HEALTH)
        if message == "":
            yield required(f"{place}.message", "must be non-empty if specified")
        elif message is not None and byte_length(message) > MESSAGE_MAX_LENGTH:
            yield too_long(f"{place}.message", MESSAGE_MAX_LENGTH, checks.wording.too_long)
        if resource_id in seen:
            yield duplicate(f"{place}.resourceID", printed_plain(resource_id, checks.wording))
        seen.add(resource_id)


def volume_errors(pod: Object, checks: PodChecks) -> Errors:
    """Validates the image volumes in container statuses, if the gate ImageVolumeWithDigest is on."""
    if not checks.enabled("ImageVolumeWithDigest"):
        return
    for name in STATUSES:
        for index, status in enumerate(pod["status"].get(name) or ()):
            for position, mount in enumerate(status.get("volumeMounts") or ()):
                image = (mount.get("volumeStatus") or {}).get("image")
                if image is None:
                    continue
                path = f"status.{name}[{index}].volumeMounts[{position}].volumeStatus.imageVolumeStatus"
                reference = image.get("imageRef", "")
                if not reference:
                    yield required(f"{path}.imageRef", "imageRef must not be empty")
                if byte_length(reference) > IMAGE_MAX_LENGTH:
                    yield too_long(f"{path}.imageRef", IMAGE_MAX_LENGTH, checks.wording.too_long)
