"""KubeletController: runs a kubelet for each Node that the server itself creates.

Follows k8s.io/kubernetes `pkg/kubelet`, as far as API clients and DRA drivers can observe it. Container
runtimes run the containers of pods; by default, containers are simulated.
"""

import shutil
import weakref
from functools import partial
from pathlib import Path
from typing import Any

from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet import node_views
from fakeapi.controllers.kubelet.agent import NodeAgent
from fakeapi.controllers.kubelet.containers.behaviour_reading import read_behaviours, shown_behaviour
from fakeapi.controllers.kubelet.containers.runtimes import Runtimes
from fakeapi.controllers.kubelet.keys import (
    BindingKey,
    CapacityKey,
    CheckpointedPodKey,
    DeletedPodKey,
    DepartedDriverKey,
    DeviceHealthKey,
    DriverKey,
    Key,
    PodKey,
    PublishedKey,
    SimulatedSlicesKey,
    TimerKey,
    UnreachableDriverKey,
)
from fakeapi.controllers.kubelet.lifecycle.connections import ContainerConnections
from fakeapi.controllers.kubelet.lifecycle.state import Run
from fakeapi.controllers.kubelet.pod_admission import AdmittedPods
from fakeapi.controllers.kubelet.registrations import follow_sockets
from fakeapi.controllers.kubelet.short_directories import make_short_directory
from fakeapi.controllers.kubelet.simulated.simulation import Simulation
from fakeapi.controllers.kubelet.timers import Timers
from fakeapi.devices.node_views import NodeSummary, NodeView
from fakeapi.devices.nodes import NodeSpec, node_specs
from fakeapi.machinery.json_types import Object


class KubeletController(Controller):
    name = "kubelet"

    async def start(self) -> None:
        context = self.context
        settings = context.cluster.settings
        self.nodes: dict[str, NodeAgent] = {}
        self._parked: dict[str, dict[Key, None]] = {}
        self._remove_directory: weakref.finalize[Any, KubeletController] | None = None
        if settings.kubelet_directory is None:
            root = make_short_directory()
            self._remove_directory = weakref.finalize(self, shutil.rmtree, root, ignore_errors=True)
        else:
            root = _absolute(settings.kubelet_directory)
        self._pods: Informer = context.informer(context.served("", "pods"))
        self._node_informer: Informer = context.informer(context.served("", "nodes"))
        self._admitted = AdmittedPods()
        self._pods.on_change(self._admitted.pod_changed)
        self._services = context.informer(context.served("", "services"))
        self._timers = Timers(context)
        self.runtimes = Runtimes(context, self._timers)
        self._root = root
        context.run(follow_sockets(lambda: (agent.registrations for agent in self.nodes.values())))
        for spec in node_specs(settings.nodes):
            await self._make_node(spec)
        self.simulation = Simulation(context, self.nodes, self._node_informer, self.make_node)
        await self.simulation.start()
        context.cluster.server.kubelets = self
        self._pods.on_change(self._pod_changed)
        self._node_informer.on_change(self._node_changed)

    async def make_node(self, name: str) -> None:
        """Creates a node and starts its kubelet; does nothing if the node exists.

        Raises OSError or StatusError if the node cannot be created.
        """
        if name not in self.nodes:
            await self._make_node(NodeSpec(name))

    async def _make_node(self, spec: NodeSpec) -> None:
        number = len(self.nodes) + 1
        agent = NodeAgent(
            self.context,
            self._pods,
            self._node_informer,
            spec,
            self._root / spec.name,
            number,
            self._services,
            self._timers,
            self.runtimes,
            self._admitted,
        )
        if self._remove_directory is None:
            agent.remember()
        self.nodes[spec.name] = agent
        await agent.start()

    async def set_running(self, name: str, *, is_running: bool) -> None:
        """Stops or restarts the kubelet of a node, as if its machine were switched off or on.

        A stopped kubelet does nothing. Its Node becomes NotReady at once and gets the taint of an unreachable
        node. In a real cluster, a Node becomes NotReady after about 40 seconds. Raises KeyError for an
        unknown node, and StatusError if a request fails.
        """
        agent = self.nodes[name]
        if agent.is_running == is_running:
            return
        agent.is_running = is_running
        await agent.report_reachable()
        for key in self._parked.pop(name, ()):
            self.context.add(key)

    def summaries(self) -> list[NodeSummary]:
        """Returns a summary of each node."""
        return node_views.summaries_of(self.nodes, self._pods)

    def view(self, name: str) -> NodeView:
        """Returns the description of a node. Raises KeyError for an unknown node."""
        return node_views.view_of(self.nodes[name], self._pods)

    async def stop(self) -> None:
        self.simulation.stop()
        for agent in self.nodes.values():
            agent.stop()
        server = self.context.cluster.server
        if server.kubelets is self:
            server.kubelets = None
        await self.runtimes.close()
        if self._remove_directory is not None:
            self._remove_directory()

    def connections(self, pod: Object) -> ContainerConnections | None:
        """Returns the connections to a pod's containers; None if no kubelet of this server runs the pod."""
        agent = self.nodes.get(pod["spec"].get("nodeName", ""))
        if agent is None:
            return None
        return ContainerConnections(pod, agent.containers.get(pod["metadata"]["uid"]))

    def behaviours(self) -> list[Object]:
        """Returns the behaviours of simulated containers as JSON values, oldest first."""
        return [shown_behaviour(behaviour) for behaviour in self.runtimes.simulated.behaviours]

    def add_behaviours(self, values: list[Object]) -> None:
        """Adds behaviours of simulated containers.

        If a behaviour is invalid, raises BehaviourError and adds none.
        """
        self.runtimes.simulated.behaviours.add(read_behaviours(values))

    def clear_behaviours(self) -> None:
        """Removes all behaviours of simulated containers."""
        self.runtimes.simulated.behaviours.clear()

    def current_run(self, namespace: str, pod: str, container: str) -> Run:
        """Returns the current or last run of a container.

        `container`: the name of the container; "" for the only main container of a pod. Raises LookupError if
        no node runs the pod or the container, or if the container never ran.
        """
        pod_object = self._pods.get(namespace, pod)
        if pod_object is None:
            raise LookupError(f"no pod {namespace}/{pod}")
        agent = self.nodes.get(pod_object["spec"].get("nodeName", ""))
        state = None if agent is None else agent.containers.get(pod_object["metadata"]["uid"])
        if state is None:
            raise LookupError(f"no node of this server runs the pod {namespace}/{pod}")
        main = state.of("main")
        name = container or (main[0].name if len(main) == 1 else "")
        if name not in state.containers:
            known = ", ".join(state.containers)
            raise LookupError(f"pod {namespace}/{pod} has no container {name!r}; there are {known}")
        run = state.containers[name].current
        if run is None:
            raise LookupError(f"container {name} of pod {namespace}/{pod} has not been started")
        return run

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old or {}
        node = pod["spec"].get("nodeName")
        if node not in self.nodes:
            return
        if old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
            self.context.add(DeletedPodKey(node, old["metadata"]["uid"]))
        if new is not None:
            self.context.add(PodKey(node, key_of(new)))

    def _node_changed(self, old: Object | None, new: Object | None) -> None:
        name = (new or old or {})["metadata"]["name"]
        if name in self.nodes and new is not None:
            self.context.add(CapacityKey(name))

    async def reconcile(self, key: Key) -> None:
        if isinstance(key, TimerKey):
            self._timers.fire()
            return
        if isinstance(key, BindingKey):
            await self.simulation.binding.report(key)
            return
        agent = self.nodes[key.node]
        if not agent.is_running:
            self._parked.setdefault(key.node, {})[key] = None
            return
        match key:
            case PodKey(pod=name):
                pod = self._pods.objects.get(name)
                if pod is None:
                    agent.work.forget(key)
                else:
                    agent.work.spawn(key, partial(agent.worker.sync, pod))
            case DeletedPodKey(uid=uid):
                agent.work.spawn(key, partial(agent.worker.unprepare, uid))
            case CheckpointedPodKey(uid=uid):
                if all(pod["metadata"]["uid"] != uid for pod in self._pods.objects.values()):
                    self.context.add(DeletedPodKey(key.node, uid))
            case DeviceHealthKey(pod=name):
                pod = self._pods.objects.get(name)
                if pod is not None:
                    await agent.worker.show_health(pod)
            case CapacityKey():
                await agent.sync_capacity(self._node_informer.get("", key.node))
            case DriverKey(driver=driver):
                agent.driver_changed(driver)
            case DepartedDriverKey(driver=driver):
                await agent.slices.wipe(driver)
            case UnreachableDriverKey(problem=problem):
                await agent.report_unreachable(problem)
            case PublishedKey(driver=driver):
                await agent.publish(driver)
            case SimulatedSlicesKey(driver=driver):
                await self.simulation.publish(key.node, driver)


def _absolute(directory: str | Path) -> Path:
    """Returns the absolute path of a directory, because launchers of containers run in another directory."""
    return Path(directory).absolute()
