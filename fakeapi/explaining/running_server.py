"""Explains objects of a running server."""

from typing import Protocol, runtime_checkable

from fakeapi.cluster import Cluster
from fakeapi.controllers.controller_runner import ControllerRunner
from fakeapi.controllers.manager import Manager
from fakeapi.explaining.explain import explain, target_of
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.stored_objects import objects_of


@runtime_checkable
class _Kubelet(Protocol):
    """The interface of the kubelet controller. Avoids importing the controller, which needs grpc."""

    @property
    def nodes(self) -> dict[str, "_Node"]: ...


class _Node(Protocol):
    @property
    def drivers(self) -> list[str]: ...


async def explain_running(
    cluster: Cluster, controllers: ControllerRunner | None, resource: str, namespace: str, name: str
) -> Explanation:
    """Explains an object of a running server.

    - `controllers`: the controllers of the server; None if no controllers run.
    - `resource`: the plural of the resource, such as "pods".
    """
    manager = None if controllers is None else controllers.running_manager
    names = () if manager is None else manager.names
    target = target_of(resource, namespace, name)
    retries = {} if manager is None else manager.retry_delays(f"{target.kind} {target.key}")
    objects = await objects_of(cluster, target, names, registered_drivers(manager), retries)
    return await explain(objects, resource, namespace, name, cluster.server.heavy)


def registered_drivers(manager: Manager | None) -> dict[str, frozenset[str]]:
    """Returns the drivers that are registered with each kubelet of this server, by the name of its node.

    `manager`: the running controllers; None if no controllers run.
    """
    kubelet = None if manager is None else manager.find("kubelet")
    if not isinstance(kubelet, _Kubelet):
        return {}
    return {name: frozenset(node.drivers) for name, node in kubelet.nodes.items()}
