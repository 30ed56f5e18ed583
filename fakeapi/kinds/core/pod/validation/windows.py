"""Validates Windows options, HostProcess pods, and fields that the OS of a pod does not support.

Follows `validateWindowsSecurityContextOptions`, `validateWindowsHostProcessPod`, `validateWindows` and
`validateLinux` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import re

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, containers_at
from fakeapi.machinery.field_errors import forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

CREDENTIAL_MAX_KIB = 64
DOMAIN_MAX_LENGTH = 256
USER_MAX_LENGTH = 104

_has_control_character = re.compile(r"[\x00-\x1f\x7f]").search
_is_net_bios = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_is_domain = re.compile(rf"{_LABEL}(?:\.{_LABEL})*").fullmatch
_is_dots_and_spaces = re.compile("[. ]+").fullmatch
_has_bad_character = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search

_NOT_FOR_WINDOWS = "cannot be set for a windows pod"
_POD_CONTEXT = (
    "appArmorProfile",
    "seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "shareProcessNamespace",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_OF_SPEC = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_TRUTH_COUNTS = ("hostPID", "hostIPC", "sysctls")
"""Fields that are not pointers in Go. Therefore false or an empty list counts as unset."""
_CONTAINER_CONTEXT = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def windows_option_errors(context: Object, path: str) -> Errors:
    """Validates the Windows options of a security context."""
    options = context.get("windowsOptions")
    if options is None:
        return
    place = f"{path}.windowsOptions"
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        yield from each_invalid(f"{place}.gmsaCredentialSpecName", name, names.is_dns1123_subdomain(name))
    if (credential := options.get("gmsaCredentialSpec")) is not None:
        if not credential:
            rule = "gmsaCredentialSpec cannot be an empty string"
            yield invalid(f"{place}.gmsaCredentialSpec", credential, rule)
        elif names.byte_length(credential) > CREDENTIAL_MAX_KIB * 1024:
            rule = f"gmsaCredentialSpec size must be under {CREDENTIAL_MAX_KIB} KiB"
            yield invalid(f"{place}.gmsaCredentialSpec", credential, rule)
    if (user := options.get("runAsUserName")) is not None:
        yield from each_invalid(f"{place}.runAsUserName", user, _user_messages(user))


def host_process_errors(spec: Object, path: str) -> Errors:
    """Validates HostProcess containers: all containers or none, and only with hostNetwork."""
    of_pod = _host_process(spec)
    on_host = []
    for place, container in containers_at(spec, path):
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            printed = "true" if of_pod else "false"
            rule = f"pod hostProcess value must be identical if both are specified, was {printed}"
            yield invalid(f"{place}.securityContext.windowsOptions.hostProcess", own, rule)
        on_host.append(bool(of_pod if own is None else own))
    if not any(on_host):
        return
    if not all(on_host):
        rule = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield invalid(path, "", rule)
    if not spec.get("hostNetwork"):
        rule = "hostNetwork must be true if pod contains any hostProcess containers"
        yield invalid(f"{path}.hostNetwork", False, rule)


def system_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Yields an error for each field that the OS in `spec.os.name` does not support.

    `path`: the path of the pod's spec.
    """
    if spec["os"]["name"] == "linux":
        yield from _linux_errors(spec, path)
    else:
        yield from _windows_errors(spec, path, checks)


def _linux_errors(spec: Object, path: str) -> Errors:
    for place, holder in ((path, spec), *containers_at(spec, path)):
        if "windowsOptions" in (holder.get("securityContext") or {}):
            rule = "windows options cannot be set for a linux pod"
            yield forbidden(f"{place}.securityContext.windowsOptions", rule)


def _windows_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    context = spec.get("securityContext") or {}
    order: tuple[str, ...] = _POD_CONTEXT
    if checks.quirks.host_namespaces_are_of_the_spec:
        order = (*(name for name in _POD_CONTEXT if name not in _OF_SPEC), *_OF_SPEC)
    for name in order:
        holder, place = (spec, path) if name in _OF_SPEC else (context, f"{path}.securityContext")
        if holder.get(name) if name in _TRUTH_COUNTS else name in holder:
            yield forbidden(f"{place}.{name}", _NOT_FOR_WINDOWS)
    for place, container in containers_at(spec, path):
        own = container.get("securityContext") or {}
        for name in _CONTAINER_CONTEXT:
            if name in own:
                yield forbidden(f"{place}.securityContext.{name}", _NOT_FOR_WINDOWS)


def _host_process(holder: Object) -> bool | None:
    options = (holder.get("securityContext") or {}).get("windowsOptions") or {}
    host_process: bool | None = options.get("hostProcess")
    return host_process


def _user_messages(name: str) -> list[str]:
    if not name:
        return ["runAsUserName cannot be an empty string"]
    if _has_control_character(name):
        return ["runAsUserName cannot contain control characters"]
    parts = name.split("\\")
    if len(parts) > 2:
        return ["runAsUserName cannot contain more than one backslash"]
    user = parts[-1]
    errors = _domain_messages(parts[0]) if len(parts) == 2 else []
    if not user:
        errors.append("runAsUserName's User cannot be empty")
    elif names.byte_length(user) > USER_MAX_LENGTH:
        errors.append(f"runAsUserName's User length must not be longer than {USER_MAX_LENGTH} characters")
    if _is_dots_and_spaces(user):
        errors.append("runAsUserName's User cannot contain only periods or spaces")
    if _has_bad_character(user):
        characters = '"/\\:;|=,+*?<>@[]'
        errors.append(f"runAsUserName's User cannot contain the following characters: {characters}")
    return errors


def _domain_messages(domain: str) -> list[str]:
    errors = []
    if names.byte_length(domain) >= DOMAIN_MAX_LENGTH:
        errors.append(f"runAsUserName's Domain length must be under {DOMAIN_MAX_LENGTH} characters")
    if not _is_net_bios(domain) and not _is_domain(domain):
        errors.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    return errors
