"""Finds and executes the program of a container, with its user, capabilities and limits."""

import os
import platform
import resource
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from fakeapi.controllers.kubelet.processes.launcher import system

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OOM_SCORE = "500"
_NAMES = (
    "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE "
    "NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT "
    "SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE "
    "AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ "
    "PERFMON BPF CHECKPOINT_RESTORE"
)
"""The names of the capabilities of Linux, in the order of their numbers."""
_CAPABILITIES = {name: number for number, name in enumerate(_NAMES.split())}
_DEFAULT_NAMES = (
    "CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW SYS_CHROOT MKNOD "
    "AUDIT_WRITE SETFCAP"
)
DEFAULT_CAPABILITIES = frozenset(_DEFAULT_NAMES.split())
"""The capabilities of a container without a securityContext, as in containerd."""


def limit_processes(spec: dict[str, Any]) -> None:
    """Disables core dumps, and makes the kernel's OOM killer prefer this process.

    With the isolation `user`, also limits the number of processes.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
    if spec["isolation"] == "user":
        _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most: int = spec["processes"]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def limit_process_ids(spec: dict[str, Any]) -> None:
    """Limits the process IDs of this PID namespace.

    Does nothing before Linux 6.14, where the limit would change the machine.
    """
    release = platform.release().split(".")
    with suppress(OSError, ValueError, IndexError):
        if (int(release[0]), int(release[1])) >= (6, 14):
            Path("/proc/sys/kernel/pid_max").write_text(str(spec["processes"]))


def drop_privileges(spec: dict[str, Any]) -> None:
    """Switches to the user of the container, and drops the capabilities that the container must not have.

    Raises OSError if the kernel refuses.
    """
    if sys.platform != "linux":
        return
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if spec["isolation"] == "root":
        if not spec["privileged"]:
            _drop_capabilities(_kept(spec["add_capabilities"], spec["drop_capabilities"]))
        os.setgroups(spec["groups"])
        if spec["gid"] is not None:
            os.setgid(spec["gid"])
        if spec["uid"] is not None:
            os.setuid(spec["uid"])
    system.prctl(system.PR_SET_PDEATHSIG, 9)  # Changing the user would clear this signal.


def _kept(added: Iterable[str], dropped: Iterable[str]) -> set[str]:
    added, dropped = set(added), set(dropped)
    kept = set() if "ALL" in dropped else set(DEFAULT_CAPABILITIES) - dropped
    return set(_CAPABILITIES) if "ALL" in added else kept | added


def _drop_capabilities(kept: set[str]) -> None:
    numbers = {_CAPABILITIES[name] for name in kept if name in _CAPABILITIES}
    for number in range(system.CAPABILITIES):
        if number not in numbers:
            with suppress(OSError):  # The kernel may not know this capability.
                system.prctl(system.PR_CAPBSET_DROP, number)


def execute(spec: dict[str, Any]) -> NoReturn:
    """Replaces this process by the container's program.

    Raises OSError or ValueError if the program cannot run.
    """
    try:
        os.chdir(spec["cwd"] or "/")
    except OSError as error:
        raise OSError(f'chdir to cwd ("{spec["cwd"]}") set in config.json failed: {error.strerror}') from None
    argv = spec["argv"]
    path = find(spec)
    try:
        os.execve(path, argv, spec["env"])  # noqa: S606 - argv comes from a pod, without a shell
    except OSError as error:
        raise OSError(f'exec: "{argv[0]}": {error.strerror}') from None


def find(spec: dict[str, Any]) -> str:
    """Returns the path of a container's program. Raises FileNotFoundError if no such program exists.

    Searches for the first word of the command in this order:

    - If the image is a file of this name, the program is this file.
    - The word can be a path, or the name of a program in the directories of PATH.
    - The last part of the word can be a file at the top of the image's directory.
    - If the image is a file of another name, the program is this file.
    """
    name: str = spec["argv"][0]
    top: str = spec["top"]
    last = os.path.basename(name)  # noqa: PTH119 - a word of a command
    if spec["entry"] and last == os.path.basename(spec["entry"]):  # noqa: PTH119
        return str(spec["entry"])
    if name.startswith("/"):
        places = [f"{top}{name}", name, f"{top}/{last}"]
    elif "/" in name:
        places = [name, f"{top}/{last}"]
    else:
        search = (spec["env"].get("PATH") or DEFAULT_PATH).split(":")
        places = [f"{root}{place or '.'}/{name}" for root in dict.fromkeys((top, "")) for place in search]
        places.append(f"{top}/{last}")
    for place in places:
        if os.path.isfile(place) and os.access(place, os.X_OK):  # noqa: PTH113 - relative to the chdir
            return place
    if spec["entry"]:
        return str(spec["entry"])
    if "/" in name:
        raise FileNotFoundError(f'exec: "{name}": stat {name}: no such file or directory')
    raise FileNotFoundError(f'exec: "{name}": executable file not found in $PATH')
