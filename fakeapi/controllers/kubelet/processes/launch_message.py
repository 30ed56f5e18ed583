"""Builds the messages to launchers: the complete description of a container's process, as JSON.

`launcher/main.py` reads these messages.
"""

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from fakeapi.controllers.kubelet.containers.hostname import hostname
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun
from fakeapi.controllers.kubelet.processes.image_command import argv_of, path_inside
from fakeapi.controllers.kubelet.processes.isolation import Isolation
from fakeapi.controllers.kubelet.processes.launcher.program import DEFAULT_PATH
from fakeapi.controllers.kubelet.processes.networks import HOST_NETWORK, Network
from fakeapi.controllers.kubelet.processes.node_paths import HOST, device_path
from fakeapi.machinery.json_types import Object

WRITABLE_BYTES = 256 << 20
"""Maximum number of bytes that a container can write to its own file system, outside of volumes.

Also the maximum for each of /tmp and /run.
"""
IMAGE_MOUNTS_MAX = 2_000
"""Maximum number of an image's files and directories that are mounted over this machine's files.

An image with more files and directories cannot start.
"""
PROCESSES_MAX = 4_096
"""Maximum number of processes in a container.

With the isolation `user`, the limit always applies. With `root`, the limit applies only since Linux 6.14,
where each PID namespace has its own limit. With `none`, the number is not limited.
"""
_ROOT_FILE = "etc/passwd"
"""A file that marks an image's directory as an entire root file system."""


class ProcessMount(msgspec.Struct, frozen=True):
    """A directory or file of this machine that a container sees at the path `target`."""

    source: Path
    target: str
    sub_path: str = ""
    read_only: bool = False


class ProcessPlan(msgspec.Struct, frozen=True):
    """The data for the messages to the launchers of one container.

    - `image`: the directory or the program of the image.
    - `directory`: the directory of the container on this machine. The launcher may remove it.
    - `env`: the environment variables.
    - `network`: the network of the pod.
    - `cleanup`: directories that the launcher removes if the server is killed.
    """

    run: ContainerRun
    isolation: Isolation
    image: Path
    directory: Path
    env: dict[str, str]
    mounts: tuple[ProcessMount, ...]
    cleanup: tuple[Path, ...] = ()
    network: Network = HOST_NETWORK

    @property
    def _in_own_root(self) -> bool:
        return self.isolation != "none"

    @property
    def _is_whole(self) -> bool:
        return (self.image / _ROOT_FILE).is_file()

    def container(self) -> dict[str, Any]:
        """Returns the message that starts the container.

        Raises ContainerStartError if the container has no command.
        """
        run = self.run
        whole = self._is_whole
        argv = argv_of(run.config, self.image, in_own_root=self._in_own_root)
        own_sys = run.directory / HOST / "sys"
        stage = self.directory / "root"
        stage.mkdir(parents=True, exist_ok=True)
        return {
            **self._process(argv, self.env),
            "kind": "run",
            "stage": str(stage),
            "base": str(self.image) if whole else "/",
            "image": "" if whole else str(self.image),
            "sys": str(own_sys) if own_sys.is_dir() else "/sys",
            "hostname": hostname(run),
            "mounts": [
                {
                    "source": str(mount.source),
                    "sub_path": mount.sub_path,
                    "target": mount.target,
                    "read_only": mount.read_only,
                }
                for mount in self.mounts
                if not _is_of_machine(mount)
            ],
            "devices": [
                {
                    "path": device.path,
                    "host_path": str(device_path(run.directory, device.host_path or device.path)),
                }
                for device in run.config.devices
            ],
            "host_devices": self._sees_host_devices,
            "read_only_root": bool(self._context().get("readOnlyRootFilesystem")),
            "network": self.network.pid,
            "writable_bytes": WRITABLE_BYTES,
            "image_mounts": IMAGE_MOUNTS_MAX,
            "cleanup": [str(path) for path in self.cleanup],
        }

    def session(self, command: list[str], pid: int, *, tty: bool) -> dict[str, Any]:
        """Returns the message that runs a command in the container. `pid`: the container's process."""
        env = {"TERM": "xterm", **self.env} if tty else self.env
        return {**self._process(command, env), "kind": "enter", "pid": pid, "tty": tty}

    def _process(self, argv: list[str], env: dict[str, str]) -> dict[str, Any]:
        """Returns the part of a message that describes one process: its program, user and limits."""
        config = self.run.config
        cwd = config.working_dir
        entry = path_inside(self.image, in_own_root=self._in_own_root) if self.image.is_file() else ""
        env = {"PATH": DEFAULT_PATH, "HOSTNAME": hostname(self.run), **env}
        if self.isolation == "none":
            argv, env, cwd = self._substituted(argv, env, cwd)
        top = str(self.image) if self.isolation == "none" and self.image.is_dir() else ""
        context, pod_context = self._context(), self.run.pod["spec"].get("securityContext") or {}
        user = context.get("runAsUser", pod_context.get("runAsUser"))
        group = context.get("runAsGroup", pod_context.get("runAsGroup"))
        groups = {*(pod_context.get("supplementalGroups") or ())}
        if pod_context.get("fsGroup") is not None:
            groups.add(pod_context["fsGroup"])
        capabilities = context.get("capabilities") or {}
        return {
            "isolation": self.isolation,
            "argv": argv,
            "env": env,
            "cwd": cwd,
            "entry": entry,
            "top": "" if top == "/" else top,
            "uid": user,
            "gid": group,
            "groups": sorted(groups),
            "processes": PROCESSES_MAX,
            "privileged": bool(context.get("privileged")),
            "add_capabilities": _names(capabilities.get("add")),
            "drop_capabilities": _names(capabilities.get("drop")),
        }

    def _substituted(
        self, argv: list[str], env: dict[str, str], cwd: str
    ) -> tuple[list[str], dict[str, str], str]:
        """Replaces the paths of mounts by the paths on this machine, for containers without mount
        namespaces.
        """
        places = {mount.target.rstrip("/"): str(mount.source / mount.sub_path) for mount in self.mounts}
        targets = sorted(places, key=len, reverse=True)

        def replaced(text: str) -> str:
            return with_places(text, [(target, places[target]) for target in targets])

        kept = {"PATH", "HOME"}
        env = {name: text if name in kept else replaced(text) for name, text in env.items()}
        return [replaced(word) for word in argv], env, replaced(cwd)

    @property
    def _sees_host_devices(self) -> bool:
        mounted = any(_is_of_machine(mount) and "dev" in mount.target for mount in self.mounts)
        return bool(self._context().get("privileged")) or mounted

    def _context(self) -> Object:
        context: Object = self.run.container.get("securityContext") or {}
        return context


def with_places(text: str, places: Iterable[tuple[str, str]]) -> str:
    """Replaces each path in a text that is a mount target, or below one, by the path of its source.

    A path can follow the start of the text, `=`, `:` or `,`. `places`: pairs of target and source.
    """
    parts: list[str] = []
    word = ""
    for character in f"{text}\0":
        if character in "=:,\0":
            parts.append(_with_place(word, places))
            parts.append(character)
            word = ""
        else:
            word += character
    return "".join(parts)[:-1]


def _with_place(path: str, places: Iterable[tuple[str, str]]) -> str:
    for target, source in places:
        if path == target or path.startswith(f"{target}/"):
            return source + path[len(target) :]
    return path


def _is_of_machine(mount: ProcessMount) -> bool:
    """Whether a mount is this machine's /dev or /proc at the same path. The launcher mounts these itself."""
    target = posixpath.normpath(mount.target)
    return target in {"/dev", "/proc"} and str(mount.source) == target


def _names(capabilities: Iterable[str] | None) -> list[str]:
    return [name.upper().removeprefix("CAP_") for name in capabilities or ()]
