"""PodNetworks: creates network namespaces for pods. The API server also listens in each namespace."""

import asyncio
from collections import Counter

import msgspec

from fakeapi.cluster import CloseListener, Cluster, InCluster
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerStartError
from fakeapi.controllers.kubelet.processes.isolation import Isolation
from fakeapi.controllers.kubelet.processes.launched import LaunchError
from fakeapi.controllers.kubelet.processes.networks import (
    HOST,
    HOST_NETWORK,
    SERVER_PORT,
    Network,
    PodNetwork,
)


class _Held(msgspec.Struct, frozen=True):
    """A network, with the function that ends the API server's listener in this network."""

    network: PodNetwork
    close_listener: CloseListener


class PodNetworks:
    """The networks of the pods of one server."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._held: dict[str, asyncio.Task[_Held]] = {}
        self._users: Counter[str] = Counter()

    def wanted_by(self, run: ContainerRun, isolation: Isolation) -> bool:
        """Whether a pod gets its own network.

        True if the option `run_network` is "pod", containers are isolated, and the pod does not use
        hostNetwork.
        """
        is_own = self._cluster.settings.run_network == "pod" and isolation != "none"
        return is_own and not run.pod["spec"].get("hostNetwork")

    async def enter(self, run: ContainerRun, isolation: Isolation) -> Network:
        """Returns the network of a container. The caller must call `leave` later.

        Raises ContainerStartError if the network cannot be created.
        """
        if not self.wanted_by(run, isolation):
            return HOST_NETWORK
        uid = run.key[0]
        self._users[uid] += 1
        if uid not in self._held:
            self._held[uid] = asyncio.create_task(self._make(run, isolation))
        try:
            return (await asyncio.shield(self._held[uid])).network
        except LaunchError as error:
            await self.leave(run, None)
            self._held.pop(uid, None)
            raise ContainerStartError("CreatePodSandboxError", f"network namespace: {error}") from None

    async def leave(self, run: ContainerRun, network: Network | None) -> None:
        """Ends the network of a pod after its last container has left."""
        if network is HOST_NETWORK:
            return
        uid = run.key[0]
        self._users[uid] -= 1
        if self._users[uid] > 0:
            return
        del self._users[uid]
        held = self._held.pop(uid, None)
        if held is not None and held.done() and held.exception() is None:
            await held.result().close_listener()
            await held.result().network.close()

    async def address(self, network: Network) -> InCluster | None:
        """Returns the address of the API server as seen in a network; None if pods cannot reach the
        server.
        """
        address = await self._cluster.in_cluster()
        if network is HOST_NETWORK or address is None:
            return address
        return InCluster(HOST, SERVER_PORT, address.ca)

    async def close(self) -> None:
        """Ends all networks."""
        networks, self._held = self._held, {}
        self._users.clear()
        for each in await asyncio.gather(*networks.values(), return_exceptions=True):
            if isinstance(each, _Held):
                await each.close_listener()
                await each.network.close()

    async def _make(self, run: ContainerRun, isolation: Isolation) -> _Held:
        network = await PodNetwork.start(isolation, run.pod_ip)
        return _Held(network, await self._cluster.listen_in_pod(network.listener))
