"""The program of the launcher.

The first message from the server says what to run: a container, a command in a container, the network of a
pod, or a test of the isolation.

All modules are imported at the start, because Python's files may not exist in the file system of a container.
"""

import contextlib
import fcntl
import os
import signal
import socket
import sys
import termios
from pathlib import Path
from typing import Any

from fakeapi.controllers.kubelet.processes.launcher import network, program, root, system
from fakeapi.controllers.kubelet.processes.launcher.supervisor import Control, supervise

_ENTERED = ("user", "pid", "uts", "ipc", "net", "mnt")
"""The namespaces of a container that an `exec` command enters, in this order."""


def main(descriptor: int) -> None:
    """Runs the launcher. `descriptor`: the file descriptor of the control socket."""
    os.set_inheritable(descriptor, False)
    connection = socket.socket(fileno=descriptor)
    control = Control(connection)
    spec = control.read()
    if spec is None:
        return
    try:
        if spec["kind"] == "enter":
            _enter(control, spec)
        elif spec["kind"] == "network":
            _hold_network(control, spec)
        elif spec["kind"] == "probe":
            _probe(control, spec)
        else:
            _run(control, spec)
    except (OSError, ValueError) as error:
        control.send(error=str(error))


def _run(control: Control, spec: dict[str, Any]) -> None:
    """Starts the container that `spec` describes, with its isolation.

    Raises OSError if the kernel refuses the namespaces.
    """
    if spec["isolation"] == "none":
        _become_subreaper()
        supervise(control, lambda: _start_plain(spec), owns_processes=True, cleanup=spec["cleanup"])
        return
    if spec["network"]:
        _join_network(spec)
    elif spec["isolation"] == "user":
        _enter_user_namespace()
    system.unshare(system.CLONE_NEWPID)
    supervise(control, lambda: _start_isolated(spec), owns_processes=False, cleanup=spec["cleanup"])


def _hold_network(control: Control, spec: dict[str, Any]) -> None:
    """Creates the network namespace of a pod and keeps it open for the pod's containers."""
    if spec["isolation"] == "user":
        _enter_user_namespace()
    system.unshare(system.CLONE_NEWNET)
    network.hold(control, spec, os.getpid())


def _join_network(spec: dict[str, Any]) -> None:
    """Enters the network namespace of the pod. With the isolation `user`, first enters its user namespace."""
    names = ["user", "net"] if spec["isolation"] == "user" else ["net"]
    for descriptor in [os.open(f"/proc/{spec['network']}/ns/{name}", os.O_RDONLY) for name in names]:
        system.setns(descriptor)


def _enter_user_namespace() -> None:
    """Becomes root of a new user namespace. Only the current user exists in this namespace."""
    uid, gid = os.getuid(), os.getgid()
    system.unshare(system.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")


def _become_subreaper() -> None:
    if sys.platform == "linux":
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)


def _start_isolated(spec: dict[str, Any]) -> None:
    os.setsid()
    program.limit_processes(spec)
    system.unshare(system.CLONE_NEWNS | system.CLONE_NEWUTS | system.CLONE_NEWIPC)
    socket.sethostname(spec["hostname"])
    root.build(spec)
    program.limit_process_ids(spec)
    program.drop_privileges(spec)
    program.execute(spec)


def _start_plain(spec: dict[str, Any]) -> None:
    os.setsid()
    program.limit_processes(spec)
    program.execute(spec)


def _enter(control: Control, spec: dict[str, Any]) -> None:
    """Runs a command in a running container. Raises OSError if its namespaces cannot be entered."""
    if spec["isolation"] == "none":
        _become_subreaper()
        supervise(control, lambda: _start_session(spec), owns_processes=True, cleanup=[])
        return
    opened = {name: os.open(f"/proc/{spec['pid']}/ns/{name}", os.O_RDONLY) for name in _ENTERED}
    others = {name: descriptor for name, descriptor in opened.items() if _is_other(name, descriptor)}
    for name in ("user", "pid"):
        if name in others:
            system.setns(others.pop(name))

    def start() -> None:
        for descriptor in others.values():
            system.setns(descriptor)
        _start_session(spec)

    supervise(control, start, owns_processes=False, cleanup=[])


def _is_other(name: str, descriptor: int) -> bool:
    """Whether an open namespace file is of a namespace that this process is not in."""
    own = os.stat(f"/proc/self/ns/{name}")  # noqa: PTH116 - beside fstat
    return own.st_ino != os.fstat(descriptor).st_ino


def _start_session(spec: dict[str, Any]) -> None:
    os.setsid()
    if spec["tty"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    program.limit_processes(spec)
    if spec["isolation"] != "none":
        program.drop_privileges(spec)
    program.execute(spec)


def _probe(control: Control, spec: dict[str, Any]) -> None:
    """Tests whether containers can be isolated here with `spec["isolation"]`.

    Runs all steps once and reports the result.
    """
    spec |= {
        "mounts": [], "devices": [], "image": "", "base": "/", "sys": "/sys", "privileged": False,
        "host_devices": False, "read_only_root": False, "add_capabilities": [], "drop_capabilities": [],
        "groups": [], "uid": None, "gid": None, "writable_bytes": 1 << 20, "image_mounts": 0,
        "processes": 1000,
    }  # fmt: skip
    if spec["isolation"] == "user":
        _enter_user_namespace()
    system.unshare(system.CLONE_NEWPID)

    def attempt() -> None:
        system.unshare(system.CLONE_NEWNS | system.CLONE_NEWUTS | system.CLONE_NEWIPC)
        root.build(spec)
        program.drop_privileges(spec)
        os._exit(0)

    supervise(control, attempt, owns_processes=False, cleanup=[])


def run() -> None:
    """Runs the launcher with the descriptor in the first argument of the command line."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        main(int(sys.argv[1]))
