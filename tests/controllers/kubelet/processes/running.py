"""Starts containers as processes, without a server."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.runtime import (
    ContainerConfig,
    ContainerExit,
    ContainerRun,
    DeviceNode,
    StreamName,
)
from fakeapi.controllers.kubelet.processes.isolation import Isolation
from fakeapi.controllers.kubelet.processes.launch_message import ProcessMount, ProcessPlan
from fakeapi.controllers.kubelet.processes.process_container import ProcessContainer


@dataclass
class Images:
    """Creates containers in a folder, with the isolation of a test."""

    folder: Path
    isolation: Isolation

    @property
    def image(self) -> Path:
        path = self.folder / "image"
        path.mkdir(exist_ok=True)
        return path

    def script(self, name: str, text: str) -> Path:
        """Writes an executable shell script into the image."""
        path = self.image / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def plan(
        self,
        command: Iterable[str],
        *,
        args: Iterable[str] = (),
        env: dict[str, str] | None = None,
        mounts: Iterable[ProcessMount] = (),
        devices: Iterable[DeviceNode] = (),
        container: dict[str, Any] | None = None,
        spec: dict[str, Any] | None = None,
        working_dir: str = "",
        image: Path | None = None,
    ) -> ProcessPlan:
        pod = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": spec or {}}
        config = ContainerConfig(
            command=tuple(command), args=tuple(args), devices=tuple(devices), working_dir=working_dir
        )
        whole = {"name": "c", "image": "i", **(container or {})}
        run = ContainerRun("node", self.folder, pod, whole, "main", 0, "id", "10.0.0.1", "10.0.0.2", config)
        directory = self.folder / "container"
        directory.mkdir(exist_ok=True)
        return ProcessPlan(
            run, self.isolation, image or self.image, directory, env or {}, tuple(mounts), (directory,)
        )


@dataclass
class Ran:
    """A started container. `ended`: its exit, as a future."""

    container: ProcessContainer
    ended: "asyncio.Future[ContainerExit]"

    async def exit(self) -> ContainerExit:
        return await asyncio.wait_for(self.ended, 20)

    async def lines(self) -> list[str]:
        """Waits for the exit; returns the lines of the log."""
        await self.exit()
        return [line.data.decode().rstrip("\n") for line in self.container.log.lines]

    async def line(self) -> str:
        """Waits for the first line of the log; returns it."""

        async def first() -> str:
            async for line in self.container.log.follow(0):
                return line.data.decode().rstrip("\n")
            return ""

        return await asyncio.wait_for(first(), 20)


@asynccontextmanager
async def started(plan: ProcessPlan) -> AsyncIterator[Ran]:
    """Starts a container, and kills it at the end of the block."""
    ended: asyncio.Future[ContainerExit] = asyncio.get_running_loop().create_future()
    message = plan.directory / "termination-log"
    message.write_bytes(b"")
    container = await ProcessContainer.start(plan, ContainerLog(time.time), message, ended.set_result)
    try:
        yield Ran(container, ended)
    finally:
        await container.kill()


@dataclass
class Client:
    """The streams of a client of exec: the input to send, and the received output."""

    stdin: list[bytes] = field(default_factory=list)
    has_stdin: bool = False
    tty: bool = False
    output: dict[str, bytes] = field(default_factory=dict)

    async def read_stdin(self) -> bytes:
        return self.stdin.pop(0) if self.stdin else b""

    async def write(self, stream: StreamName, data: bytes) -> None:
        self.output[stream] = self.output.get(stream, b"") + data

    async def sizes(self) -> AsyncIterator[tuple[int, int]]:
        if self.tty:
            yield 132, 43
