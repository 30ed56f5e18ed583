"""ProcessRuntime: runs the containers of chosen images as local processes.

`--run IMAGE=DIR` chooses the images. docs/run.md describes the environment of such a process.
"""

import asyncio
import logging
import os
from pathlib import Path

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.runtime import (
    Container,
    ContainerExit,
    ContainerRun,
    ContainerRuntime,
    ContainerStartError,
    OnExit,
)
from fakeapi.controllers.kubelet.processes import in_cluster
from fakeapi.controllers.kubelet.processes.isolation import Isolation, available_isolation
from fakeapi.controllers.kubelet.processes.launch_message import ProcessMount, ProcessPlan
from fakeapi.controllers.kubelet.processes.networks import HOST, Network
from fakeapi.controllers.kubelet.processes.pod_networks import PodNetworks
from fakeapi.controllers.kubelet.processes.process_container import ProcessContainer
from fakeapi.controllers.kubelet.processes.service_ports import port_of_service
from fakeapi.controllers.kubelet.processes.volumes import PodVolumes
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

PROCESSES_MAX = 500
"""Maximum number of containers that run as processes at the same time. Further containers fail to start, and
the kubelet tries again.
"""
TERMINATION_PATH = "/dev/termination-log"


class ProcessRuntime(ContainerRuntime):
    """Runs the containers of the images in `cluster.run_images`."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._api = context.api("kubelet")
        self._images = context.cluster.run_images
        self._isolation: asyncio.Task[Isolation] | None = None
        self._containers: set[ProcessContainer] = set()
        self._networks = PodNetworks(context.cluster)
        self._leaving: set[asyncio.Task[None]] = set()
        self._starting = 0
        self._services = context.informer(context.served("", "services"))
        context.cluster.service_urls.resolve = self._url_of_service
        self._is_temporary = context.cluster.settings.kubelet_directory is None

    def takes(self, run: ContainerRun) -> bool:
        return self._images.find(run.image) is not None

    async def start(self, run: ContainerRun, on_exit: OnExit) -> Container:
        image = self._images.find(run.image)
        if image is None or not image.exists():
            raise ContainerStartError("ErrImagePull", f"the files of the image {run.image} are gone: {image}")
        if len(self._containers) + self._starting >= PROCESSES_MAX:
            raise ContainerStartError(
                "RunContainerError", f"{PROCESSES_MAX} containers already run as processes, the maximum"
            )
        self._starting += 1
        try:
            return await self._start(run, image, on_exit)
        finally:
            self._starting -= 1

    async def _start(self, run: ContainerRun, image: Path, on_exit: OnExit) -> Container:
        network = await self._networks.enter(run, await self._chosen_isolation())
        ended: list[ContainerExit] = []

        def exited(end: ContainerExit) -> None:
            ended.append(end)
            self._containers.discard(container)
            self._leave(run, network)
            on_exit(end)

        try:
            plan, message = await self._plan(run, image, network)
            container_log = ContainerLog(self._context.clock.now)
            container = await ProcessContainer.start(plan, container_log, message, exited)
        except BaseException:
            self._leave(run, network)
            raise
        if not ended:
            self._containers.add(container)
        return container

    def _leave(self, run: ContainerRun, network: Network) -> None:
        task = asyncio.create_task(self._networks.leave(run, network))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _plan(self, run: ContainerRun, image: Path, network: Network) -> tuple[ProcessPlan, Path]:
        """Returns the plan of a container, and the path of its termination message.

        Creates the container's directory. Raises ContainerStartError if a volume or the directory cannot be
        created.
        """
        pod = run.directory / "pods" / run.pod["metadata"]["uid"]
        directory = pod / "containers" / run.name / str(run.attempt)
        mounts = await PodVolumes(self._context, self._api, pod).mounts(run)
        message = directory / "termination-log"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            message.write_bytes(b"")
            message.chmod(0o666)
        except OSError as error:
            raise ContainerStartError("CreateContainerError", str(error)) from None
        mounts.append(ProcessMount(message, run.container.get("terminationMessagePath") or TERMINATION_PATH))
        root = run.directory.parent if self._is_temporary else directory
        plan = ProcessPlan(
            run,
            await self._chosen_isolation(),
            image,
            directory,
            await self._environment(run, network),
            tuple(mounts),
            (root,),
            network,
        )
        return plan, message

    async def _environment(self, run: ContainerRun, network: Network) -> dict[str, str]:
        """Returns the container's environment, with an address of the API server that processes can reach."""
        address = in_cluster.environment(await self._networks.address(network))
        own = {entry["name"] for entry in run.container.get("env") or ()}
        reachable = {name: value for name, value in address.items() if name not in own}
        return {**run.config.env, **reachable}

    async def _chosen_isolation(self) -> Isolation:
        if self._isolation is None:
            self._isolation = asyncio.create_task(self._choose_isolation())
        return await asyncio.shield(self._isolation)

    async def _choose_isolation(self) -> Isolation:
        kind, problem = await available_isolation(is_root=os.geteuid() == 0)
        if kind == "none":
            log.warning(
                "containers run without namespaces of their own: paths of mounts in commands and environment "
                "variables are replaced, and a path in the program's code is not (%s)",
                printable_line(problem),
            )
        return kind

    def _url_of_service(self, namespace: str, name: str, port: int) -> str | None:
        """Returns the URL of a running process behind a Service; None if no such process runs."""
        service = self._services.get(namespace, name)
        if service is None:
            return None
        for container in self._containers:
            number = port_of_service(service, port, [container.run])
            if number is not None:
                return f"https://{HOST}:{container.network.local_port(number)}"
        return None

    async def close(self) -> None:
        self._context.cluster.service_urls.resolve = lambda *_: None
        if self._isolation is not None:
            self._isolation.cancel()
        await asyncio.gather(*(container.kill() for container in list(self._containers)))
        await asyncio.gather(*self._leaving)
        await self._networks.close()
