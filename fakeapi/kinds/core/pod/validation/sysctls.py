"""Validates sysctls of pods.

Follows `validateSysctls` of k8s.io/kubernetes `pkg/apis/core/validation` and `pkg/util` `sysctl`.
"""

import re

from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required
from fakeapi.machinery.json_types import Object

NAME_MAX_LENGTH = 253
_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_NAME = rf"({_SEGMENT}[\./])*{_SEGMENT}"
_is_name = re.compile(_NAME.replace("(", "(?:")).fullmatch
_NAME_ERROR = f"must have at most {NAME_MAX_LENGTH} characters and match regex ^{_NAME}$"

_IPC = frozenset({
    "kernel.sem",
    "kernel.shm",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.msg",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
})  # fmt: skip
_IPC_PREFIX = "fs.mqueue."


def sysctl_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the sysctls of a pod. `path`: the path of `sysctls`."""
    seen: set[str] = set()
    allowed = not checks.quirks.sysctls_need_own_namespaces or has_host_sysctl(checks.old)
    for index, sysctl in enumerate((spec.get("securityContext") or {}).get("sysctls") or ()):
        place, name = f"{path}[{index}].name", sysctl.get("name", "")
        if not name:
            yield required(place)
        elif len(name) > NAME_MAX_LENGTH or not _is_name(name):
            yield invalid(place, name, _NAME_ERROR)
        elif name in seen:
            yield duplicate(place, name)
        if not allowed:
            yield from _host_errors(name, spec, place)
        seen.add(name)


def has_host_sysctl(spec: Object) -> bool:
    """Whether a pod sets a sysctl of a namespace that it shares with its node (hostNetwork or hostIPC)."""
    sysctls = (spec.get("securityContext") or {}).get("sysctls") or ()
    return any(_host_errors(sysctl.get("name", ""), spec, "") for sysctl in sysctls)


def _host_errors(name: str, spec: Object, path: str) -> list[FieldError]:
    dotted = normalized(name).partition("*")[0]
    if spec.get("hostNetwork") and dotted.startswith("net."):
        return [invalid(path, name, "may not be specified when 'hostNetwork' is true")]
    if spec.get("hostIPC") and (dotted in _IPC or dotted.startswith(_IPC_PREFIX)):
        return [invalid(path, name, "may not be specified when 'hostIPC' is true")]
    return []


def normalized(name: str) -> str:
    """Returns a sysctl's name with dots as separators. In `name`, the separators may be slashes."""
    first = min((name.find(mark) for mark in "./" if mark in name), default=-1)
    if first < 0 or name[first] == ".":
        return name
    return name.translate(str.maketrans("./", "/."))
