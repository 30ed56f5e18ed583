"""Registrations: the DRA drivers of one node. A driver is simulated, or has a socket in the plugin directory.

Follows k8s.io/kubernetes `pkg/kubelet/pluginmanager` and `pkg/kubelet/cm/dra/plugin`. Scans the directory
every POLL_SECONDS of real time, because drivers are separate processes.
"""

import asyncio
import logging
import os
import stat
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from fakeapi.controllers.kubelet.driver import Driver, PluginInfo
from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.services import OLD_BATCH
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

POLL_SECONDS = 0.1
NAME_BYTES_MAX = 253
"""Maximum length of a driver's name in bytes. The Kubernetes API has the same limit for names."""
DRA_PLUGIN = "DRAPlugin"
KUBELET_ROOT = Path("/var/lib/kubelet")
"""The kubelet directory as drivers in containers see it. Drivers register endpoints below this path."""
NEEDS_GRPC = "drivers over gRPC need the extra node, pip install 'fakeapi-k8s[node]'"
"""The end of the message about a driver's socket if the extra `node` is not installed."""

Source: TypeAlias = Path | str
"""The registration socket of a driver's instance, or "simulated"."""

Notify: TypeAlias = Callable[[Path, str], Awaitable[str]]
"""Function that notifies a driver of its registration status.

Returns the error if the notification failed; "" otherwise.
"""


class Registrations:
    """The registered DRA drivers by name.

    `on_change`: called with the name of a driver that registers or unregisters.
    """

    def __init__(
        self,
        directory: Path,
        services: tuple[str, ...],
        spawn: Callable[[Coroutine[Any, Any, None]], Awaitable[None]],
        on_change: Callable[[str], None],
        on_unreachable: Callable[[str], None],
        *,
        keeps_instances: bool,
    ) -> None:
        """Starts without drivers.

        - `directory`: the plugin directory of the node.
        - `services`: the gRPC services that the release's kubelet supports; none before 1.31.
        - `spawn`: runs a coroutine as a task. `Manager.settle` waits for this task, so that a driver is
          registered when `settle` returns.
        - `on_unreachable`: called with a message about a socket that gRPC cannot reach.
        - `keeps_instances`: whether an older instance of a driver serves again after the newest instance
          unregisters. If false, a driver is unregistered when any of its sockets disappears.
        """
        self.drivers: dict[str, Driver] = {}
        self._directory = directory
        self._services = services
        self._spawn = spawn
        self._on_change = on_change
        self._on_unreachable = on_unreachable
        self._keeps_instances = keeps_instances
        self._instances: dict[str, dict[Source, Driver]] = {}
        self._known: dict[Path, tuple[tuple[int, int], str]] = {}
        self._seen: dict[str, int] = {}
        self._unanswered = False

    @property
    def may_have_changed(self) -> bool:
        """Whether a scan could find new sockets, or find that known sockets are gone."""
        return self._unanswered or not self._seen or not all(map(_is_as_seen, self._seen.items()))

    async def look(self) -> None:
        """Scans the directory once: registers new drivers, and unregisters drivers without a socket."""
        if not self.may_have_changed:
            return
        self._unanswered = False
        sockets, self._seen = _sockets(self._directory)
        for path in self._known.keys() - sockets.keys():
            _, name = self._known.pop(path)
            self.remove(path, name)
        known = {path: identity for path, (identity, _) in self._known.items()}
        new = [path for path, identity in sockets.items() if known.get(path) != identity]
        for path, registered in zip(new, await asyncio.gather(*map(self._register, new)), strict=True):
            if registered is None:
                self._unanswered = True
            else:
                self._known[path] = sockets[path], registered

    def add(self, source: Source, driver: Driver) -> None:
        """Registers an instance of a driver.

        The kubelet then sends the calls for this driver to the new instance.
        """
        instances = self._instances.setdefault(driver.name, {})
        instances.pop(source, None)
        instances[source] = self.drivers[driver.name] = driver
        self._on_change(driver.name)

    def remove(self, source: Source, name: str) -> None:
        """Unregisters an instance of the driver `name`; does nothing if the instance is not registered."""
        instances = self._instances.get(name, {})
        if instances.pop(source, None) is None:
            return
        if instances and self._keeps_instances:
            self.drivers[name] = list(instances.values())[-1]
        else:
            instances.clear()
            del self.drivers[name]
        self._on_change(name)

    async def _register(self, path: Path) -> str | None:
        """Requests the PluginInfo from a socket, and registers the driver.

        Returns the name of the driver; "" if the plugin is not a DRA driver or is rejected; None if the call
        failed and the next scan must try again.
        """
        try:
            from fakeapi.controllers.kubelet import plugin_calls  # noqa: PLC0415 - needs the extra `node`
        except ImportError:
            return self._cannot_reach(f"the socket {path} of a plugin cannot be called: {NEEDS_GRPC}")
        try:
            info = await plugin_calls.info_of(path)
        except plugin_calls.Unreachable as error:
            return self._cannot_reach(f"the socket {path} of a plugin cannot be reached: {error}")
        except plugin_calls.NoAnswer as error:
            log.debug("cannot register %r: %s", str(path), printable_line(error))
            return None
        except UnicodeEncodeError:
            log.warning("%r is not a plugin socket: its name is not UTF-8", str(path))
            return ""
        if info.type != DRA_PLUGIN:
            return ""
        problem, service = self._problem_and_service(info, path)
        endpoint = self._reachable(info.endpoint) or str(path)
        driver = plugin_calls.driver_at(endpoint, info, service)
        await self._spawn(self._answer(path, driver, problem, plugin_calls.notify))
        return "" if problem else info.name

    def _cannot_reach(self, problem: str) -> str:
        log.warning("%s", printable_line(problem))
        self._on_unreachable(problem)
        return ""

    def _problem_and_service(self, info: PluginInfo, path: Path) -> tuple[str, str]:
        """Returns the reason why the kubelet rejects a driver, and the gRPC service to call.

        The reason is "" if the kubelet accepts the driver. `path`: the driver's registration socket.
        """
        problem, service = self._choose(list(info.versions))
        if len(info.name.encode()) > NAME_BYTES_MAX:
            problem = f"the name of the DRA driver is longer than {NAME_BYTES_MAX} bytes"
        elif problem:
            endpoint = self._reachable(info.endpoint) or str(path)
            where = f"of DRA driver plugin {info.name} at endpoint {shortened(endpoint)}"
            problem = f"invalid supported gRPC versions {where}: {problem}"
        return shortened(problem), service

    def _reachable(self, endpoint: str) -> str:
        """Returns a driver's endpoint on this machine: replaces /var/lib/kubelet by the node's directory.

        Returns the endpoint unchanged if it is not below /var/lib/kubelet, or if the replaced path is not a
        socket.
        """
        if not Path(endpoint).is_relative_to(KUBELET_ROOT):
            return endpoint
        here = self._directory.parent / Path(endpoint).relative_to(KUBELET_ROOT)
        return str(here) if here.is_socket() else endpoint

    async def _answer(self, path: Path, driver: Driver, problem: str, notify: Notify) -> None:
        """Notifies a driver of its registration status.

        Adds the driver to `drivers` if the kubelet accepted it. `problem`: the reason why the kubelet
        rejected the driver; "" if the kubelet accepted it.
        """
        name = printable_line(shortened(driver.name, NAME_BYTES_MAX))
        failure = await notify(path, problem)
        if failure:
            log.debug("%s did not receive its registration status: %s", name, printable_line(failure))
        if problem:
            log.warning("DRA driver %s is refused: %s", name, printable_line(problem))
            return
        self.add(path, driver)

    def _choose(self, offered: list[str]) -> tuple[str, str]:
        """Chooses the gRPC service of a driver to call; returns (problem, service).

        The problem is the reason why the kubelet rejects the driver; "" if the kubelet accepts it. `offered`:
        the gRPC services that the driver supports.
        """
        if not offered:
            return "empty list of supported gRPC services (aka supported versions)", ""
        if not self._services:
            return "", OLD_BATCH
        for service in offered:
            if service in self._services:
                return "", service
        if "v1alpha4.Node" in self._services and all(service[:1].isdigit() for service in offered):
            return "", "v1alpha4.Node"
        theirs = " ".join(f'"{service}"' for service in offered)
        ours = " ".join(f'"{service}"' for service in self._services)
        reason = f"none of services supported by the plugin ([{theirs}])"
        return f"{reason} are supported by the kubelet ([{ours}])", ""


async def follow_sockets(nodes: Callable[[], Iterable[Registrations]]) -> None:
    """Scans the directories of all nodes every POLL_SECONDS, until the task is cancelled.

    One task serves all nodes, so that many nodes cost little. A slow driver delays only the scan of its own
    node.
    """
    scans: dict[Registrations, asyncio.Task[None]] = {}
    try:
        while True:
            for node in nodes():
                if node not in scans and node.may_have_changed:
                    scans[node] = asyncio.ensure_future(_scan(node))
            scans = {node: scan for node, scan in scans.items() if not scan.done()}
            await asyncio.sleep(POLL_SECONDS)
    finally:
        for scan in scans.values():
            scan.cancel()


async def _scan(node: Registrations) -> None:
    try:
        await node.look()
    except Exception:
        log.exception("unexpected error at the sockets of drivers")


def _is_as_seen(directory: tuple[str, int]) -> bool:
    """Whether a directory still has the modification time of the last scan.

    `directory`: the path and this modification time in nanoseconds.
    """
    path, changed = directory
    try:
        return os.stat(path).st_mtime_ns == changed  # noqa: PTH116 - twenty times as fast
    except OSError:
        return False


def _sockets(directory: Path) -> tuple[dict[Path, tuple[int, int]], dict[str, int]]:
    """Returns the sockets below a directory, and the modification times of all directories.

    Identifies each socket by its inode number and its ctime.
    """
    sockets: dict[Path, tuple[int, int]] = {}
    seen: dict[str, int] = {}
    for root, _, names in os.walk(directory):
        try:
            seen[root] = os.stat(root).st_mtime_ns  # noqa: PTH116 - twenty times as fast
        except OSError:
            continue
        for name in sorted(names):
            path = Path(root, name)
            try:
                status = path.stat()
            except OSError:
                continue
            if stat.S_ISSOCK(status.st_mode) and not name.startswith("."):
                sockets[path] = status.st_ino, status.st_ctime_ns
    return sockets, seen
