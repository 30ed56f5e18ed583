"""Validates security contexts of pods and containers.

Follows `ValidateSecurityContext` and `validatePodSpecSecurityContext` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.numbers import INT32_MAX, validate_user_id, validate_within
from fakeapi.kinds.common.printing.values import printed_plain, printed_struct
from fakeapi.kinds.core.pod.validation import app_armor, seccomp
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.container_ports import host_network_errors
from fakeapi.kinds.core.pod.validation.sysctls import sysctl_errors
from fakeapi.kinds.core.pod.validation.windows import windows_option_errors
from fakeapi.machinery.field_errors import invalid, not_supported
from fakeapi.machinery.json_types import Object

_PROC_MOUNTS = ("Default", "Unmasked")
_GROUP_CHANGE_POLICIES = ("Always", "OnRootMismatch")
_GROUPS_POLICIES = ("Merge", "Strict")
_SELINUX_POLICIES = ("MountOption", "Recursive")
_SYS_ADMIN = "CAP_SYS_ADMIN"


def container_security_errors(container: Object, path: str, spec: Object, checks: PodChecks) -> Errors:
    """Validates the security context of a container.

    - `path`: the path of the security context
    - `spec`: the spec of the pod
    """
    context = container.get("securityContext")
    if context is None:
        return
    yield from validate_user_id(context, "runAsUser", path)
    yield from validate_user_id(context, "runAsGroup", path)
    yield from _proc_mount_errors(context, f"{path}.procMount", spec, checks)
    yield from seccomp.profile_errors(context, path, checks)
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation_errors(context, path, checks)
    yield from windows_option_errors(context, path)
    yield from app_armor.profile_errors(context, path, checks)


def pod_security_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the security context of a pod. `path`: the path of the pod's spec."""
    place = f"{path}.securityContext"
    context = spec.get("securityContext") or {}
    if checks.quirks.host_network_checks_container_port:
        yield from host_network_errors(spec, path, checks)
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from validate_user_id(context, name, place)
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from validate_within(group, f"{place}.supplementalGroups[{index}]", 0, INT32_MAX)
    if not checks.quirks.host_namespaces_are_of_the_spec:
        yield from shared_process_errors(spec, place)
    yield from sysctl_errors(spec, f"{place}.sysctls", checks)
    yield from _choice_errors(context, "fsGroupChangePolicy", _GROUP_CHANGE_POLICIES, place, checks)
    yield from seccomp.profile_errors(context, place, checks)
    yield from windows_option_errors(context, place)
    yield from app_armor.profile_errors(context, place, checks)
    yield from _choice_errors(context, "supplementalGroupsPolicy", _GROUPS_POLICIES, place, checks)
    policies = ("Recursive",) if checks.only_recursive_selinux else _SELINUX_POLICIES
    yield from _choice_errors(context, "seLinuxChangePolicy", policies, place, checks)


def shared_process_errors(spec: Object, path: str) -> Errors:
    """Yields an error if a pod has both shareProcessNamespace and hostPID."""
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        rule = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{path}.shareProcessNamespace", True, rule)


def _choice_errors(
    context: Object, name: str, choices: tuple[str, ...], path: str, checks: PodChecks
) -> Errors:
    chosen = context.get(name)
    if chosen is not None and chosen not in choices:
        yield not_supported(f"{path}.{name}", printed_plain(chosen, checks.wording), choices)


def _proc_mount_errors(context: Object, path: str, spec: Object, checks: PodChecks) -> Errors:
    mount = context.get("procMount")
    if mount is None:
        return
    if mount not in _PROC_MOUNTS:
        yield not_supported(path, printed_plain(mount, checks.wording), _PROC_MOUNTS)
    if (
        mount == "Unmasked"
        and checks.quirks.unmasked_proc_needs_user_namespace
        and spec.get("hostUsers", True)
    ):
        yield invalid(
            path, printed_plain(mount, checks.wording), "`hostUsers` must be false to use `Unmasked`"
        )


def _escalation_errors(context: Object, path: str, checks: PodChecks) -> Errors:
    printed = printed_struct(context, "core/v1.SecurityContext", checks.rules)
    if context.get("privileged"):
        rule = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid(path, printed, rule)
    if checks.sys_admin_without_escalation:
        return
    for capability in (context.get("capabilities") or {}).get("add") or ():
        if capability == _SYS_ADMIN:
            rule = f"cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` {_SYS_ADMIN}"
            yield invalid(path, printed, rule)
