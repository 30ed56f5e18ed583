"""Fills the cluster of `fakeapi serve --demo`: devices, a claim that cannot be allocated, a preempted pod.

The objects come in two steps. The pod with the high priority comes second, when the nodes are full, so that
it preempts another pod.
"""

import logging
from threading import Thread
from typing import TYPE_CHECKING, Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.manager import NotSettled

if TYPE_CHECKING:
    from fakeapi.testing.server import FakeAPI

log = logging.getLogger("fakeapi")

NODES = "demo-1,demo-2"
DRIVER = "gpu.example.com=2"

FIRST = """
apiVersion: v1
kind: Namespace
metadata: {name: demo}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: demo-low}
value: 10
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: demo-high}
value: 1000
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu, namespace: demo}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: fits, namespace: demo}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: too-large, namespace: demo}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 9}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: inference, namespace: demo}
spec:
  priorityClassName: demo-high
  resourceClaims: [{name: gpu, resourceClaimName: fits}]
  containers: [{name: main, image: inference, resources: {claims: [{name: gpu}], requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: too-large, namespace: demo}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: too-large}]
  containers: [{name: main, image: training, resources: {claims: [{name: gpu}]}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: batch, namespace: demo}
spec:
  replicas: 2
  selector: {matchLabels: {app: batch}}
  template:
    metadata: {labels: {app: batch}}
    spec:
      priorityClassName: demo-low
      containers: [{name: main, image: batch, resources: {requests: {cpu: "5"}}}]
"""

SECOND = """
apiVersion: v1
kind: Pod
metadata: {name: urgent, namespace: demo}
spec:
  priorityClassName: demo-high
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
  containers: [{name: main, image: training, resources: {claims: [{name: gpu}], requests: {cpu: "5"}}}]
"""


def options_of(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of a server with the demo.

    Adds all controllers, a driver and nodes, if the user did not set the option `controllers`, `drivers` or
    `nodes`.
    """
    chosen = {**options, "controllers": options["controllers"] or "all"}
    if not options["drivers"]:
        chosen["drivers"] = (DRIVER,)
    if options["nodes"] == "node":
        chosen["nodes"] = NODES
    return chosen


def play(server: "FakeAPI") -> None:
    """Installs the objects of the demo. Logs a warning if that fails."""
    try:
        server.install(FIRST)
        server.settle()
        server.install(SECOND)
    except (StatusError, NotSettled, RuntimeError, ValueError) as error:
        log.warning("the demo is not complete: %s", error)


def play_later(server: "FakeAPI") -> None:
    """Installs the objects of the demo in another thread, because the current thread runs the server."""
    Thread(target=play, args=(server,), name="demo", daemon=True).start()
