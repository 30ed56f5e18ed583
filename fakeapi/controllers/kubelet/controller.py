"""KubeletController: runs the kubelets of the server's own nodes.

Follows k8s.io/kubernetes `pkg/kubelet`, as far as the API and DRA drivers can observe it. A kubelet starts no
containers. A pod is Running when its claims are prepared, until a client deletes it or writes another phase.
"""

import shutil
import weakref
from functools import partial
from pathlib import Path
from typing import Any

from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet.agent import NodeAgent
from fakeapi.controllers.kubelet.socket_paths import make_short_directory
from fakeapi.machinery.json_types import Object


class KubeletController(Controller):
    name = "kubelet"

    async def start(self) -> None:
        context = self.context
        settings = context.cluster.settings
        self.nodes: dict[str, NodeAgent] = {}
        self._remove_directory: weakref.finalize[Any, KubeletController] | None = None
        if settings.kubelet_directory is None:
            root = make_short_directory()
            self._remove_directory = weakref.finalize(self, shutil.rmtree, root, ignore_errors=True)
        else:
            root = Path(settings.kubelet_directory)
        self._pods: Informer = context.informer(context.served("", "pods"))
        for number, name in enumerate(_names(settings.nodes), 1):
            agent = NodeAgent(context, self._pods, name, root / name, number)
            if self._remove_directory is None:
                agent.remember()
            self.nodes[name] = agent
            await agent.start()
        self._pods.on_change(self._pod_changed)
        self._machines: Informer = context.informer(context.served("", "nodes"))
        self._machines.on_change(self._node_changed)

    async def stop(self) -> None:
        for agent in self.nodes.values():
            agent.stop()
        if self._remove_directory is not None:
            self._remove_directory()

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old or {}
        node = pod["spec"].get("nodeName")
        if node not in self.nodes:
            return
        if old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
            self.context.add((node, "gone", old["metadata"]["uid"]))
        if new is not None:
            self.context.add((node, "pod", key_of(new)))

    def _node_changed(self, old: Object | None, new: Object | None) -> None:
        name = (new or old or {})["metadata"]["name"]
        if name in self.nodes and new is not None:
            self.context.add((name, "capacity", ""))

    async def reconcile(self, key: Any) -> None:
        node, kind, which = key
        agent = self.nodes[node]
        if kind == "capacity":
            await agent.sync_capacity(self._machines.get("", node))
            return
        if kind == "gone":
            agent.work.spawn(key, partial(agent.worker.unprepare, which))
        elif kind == "remembered":
            if all(pod["metadata"]["uid"] != which for pod in self._pods.objects.values()):
                self.context.add((node, "gone", which))
        elif kind == "driver":
            agent.driver_changed(which)
        elif kind == "wipe":
            await agent.slices.wipe(which)
        elif kind == "unreachable":
            await agent.report_unreachable(which)
        elif kind == "publish":
            await agent.publish(which)
        elif kind == "health":
            pod = self._pods.objects.get(which)
            if pod is not None:
                await agent.worker.show_health(pod)
        else:
            pod = self._pods.objects.get(which)
            if pod is None:
                agent.work.forget(key)
            else:
                agent.work.spawn(key, partial(agent.worker.sync, pod))


def _names(text: str) -> list[str]:
    return [name for name in (part.strip() for part in text.split(",")) if name]
