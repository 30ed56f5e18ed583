"""Measures how a server schedules pods with claims, and how long a GET of another client takes meanwhile.

    python benchmarks/scheduling.py [--pods 1000] [--nodes 50] [--devices 20] [--whole] [--tree FOLDER]
                                    [--steps FILE] [--profile FILE]

Each pod has one claim from a template. `--whole` runs all controllers with a simulated driver: pods become
Running and are then deleted. Without `--whole`, the server only creates the claims and binds the pods.
`--tree` runs another checkout of fakeapi. `--steps` and `--profile` write the results of `loop_steps.py`.

The CPU time is the time of the server's main thread, so other work on the machine hardly changes it. "server"
is the CPU time that the server used from a GET until the client ran again after the response. So it also
contains the server's work while the machine did not run the client.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.load import Connection, Timing, checked, request
from benchmarks.servers import fakeapi

HERE = Path(__file__).parent
GROUP = "/apis/resource.k8s.io/v1"
PODS = "/api/v1/namespaces/sched/pods"
CLIENTS = 4
GET_SECONDS = 0.01
"""Seconds from a response until the next GET of the client `Gets`."""
TIMEOUT_SECONDS = 280.0


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of pods, nodes and devices of each node.

    `whole`: whether the server runs all controllers, which create the nodes and slices.
    """

    pods: int
    nodes: int
    devices: int = 20
    whole: bool = False


def server(arguments: argparse.Namespace) -> AbstractContextManager[tuple[int, int]]:
    """Runs the server to measure while the block lasts; yields its port and process id."""
    nodes = f"n-{{1..{arguments.nodes}}}"
    options = ["--release", "1.34"]
    if arguments.whole:
        options += [
            "--controllers",
            "all",
            "--nodes",
            nodes,
            "--devices",
            f"gpu.example.com={arguments.devices}",
        ]
    else:
        options += ["--controllers", "scheduler,resourceclaim"]
    if not (arguments.steps or arguments.profile):
        return fakeapi(*options, tree=arguments.tree)
    program = [str(HERE / "loop_steps.py")]
    program += ["--steps-file", arguments.steps] if arguments.steps else []
    program += ["--profile-file", arguments.profile] if arguments.profile else []
    return fakeapi(*options, tree=arguments.tree, program=program)


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time that the main thread of a process has used."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def call(connection: Connection, method: str, path: str, body: Any = None, kind: str = "") -> Any:
    """Sends a request and returns the decoded response. Exits with a message for an error."""
    content = b"" if body is None else json.dumps(body).encode()
    answer = await connection.send(request(method, path, content, *([kind] if kind else [])))
    if answer.status >= 300:
        raise SystemExit(f"{method} {path}: {answer.status} {answer.body[:300]!r}")
    return json.loads(answer.body) if answer.body else {}


async def prepare(connection: Connection, size: Size) -> None:
    """Creates the namespace and the claim template.

    Without `whole`, also creates the device class, and the nodes with their slices.
    """
    await call(connection, "POST", "/api/v1/namespaces", {"metadata": {"name": "sched"}})
    if not size.whole:
        expression = 'device.driver == "gpu.example.com"'
        spec: Any = {"selectors": [{"cel": {"expression": expression}}]}
        await call(
            connection,
            "POST",
            GROUP + "/deviceclasses",
            {"metadata": {"name": "gpu.example.com"}, "spec": spec},
        )
    wanted: Any = {"deviceClassName": "gpu.example.com"}
    if not size.whole:
        expression = 'device.attributes["gpu.example.com"].model == "a100"'
        wanted["selectors"] = [{"cel": {"expression": expression}}]
    claim = {"spec": {"devices": {"requests": [{"name": "r", "exactly": wanted}]}}}
    templates = GROUP + "/namespaces/sched/resourceclaimtemplates"
    await call(connection, "POST", templates, {"metadata": {"name": "t"}, "spec": claim})
    if not size.whole:
        for number in range(size.nodes):
            await add_node(connection, f"n{number}", size.devices)


async def add_node(connection: Connection, name: str, devices: int) -> None:
    """Creates a ready node with a slice of devices."""
    merge = "application/merge-patch+json"
    labels = {"kubernetes.io/hostname": name}
    await call(connection, "POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
    await call(connection, "PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, merge)
    capacity = {"cpu": "64", "memory": "256Gi", "pods": "250"}
    moment = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "reason": "r", "message": "m"}
    ready |= {"lastHeartbeatTime": moment, "lastTransitionTime": moment}
    status = {"capacity": capacity, "allocatable": capacity, "conditions": [ready]}
    await call(connection, "PATCH", f"/api/v1/nodes/{name}/status", {"status": status}, merge)
    listed = [
        {"name": f"d{i}", "attributes": {"model": {"string": "a100"}, "index": {"int": i}}}
        for i in range(devices)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": listed}
    await call(
        connection, "POST", GROUP + "/resourceslices", {"metadata": {"name": f"s-{name}"}, "spec": spec}
    )


def pod(number: int) -> Any:
    """Returns a pod with one claim from the template."""
    resources = {"requests": {"cpu": "10m"}, "claims": [{"name": "g"}]}
    spec = {
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i", "resources": resources}],
        "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
    }
    return {"metadata": {"name": f"p{number}"}, "spec": spec}


async def until(connection: Connection, query: str) -> None:
    """Waits until a list of pods is empty. Exits with a message after TIMEOUT_SECONDS seconds."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end:
        if not (await call(connection, "GET", f"{PODS}?limit=500{query}"))["items"]:
            return
        await asyncio.sleep(0.25)
    raise SystemExit(f"pods are left after {TIMEOUT_SECONDS} s: {query}")


class Gets:
    """A client that measures GETs. It pauses for GET_SECONDS after each response."""

    def __init__(self, port: int, pid: int) -> None:
        self._port, self._pid = port, pid
        self.waits, self.server = Timing(), Timing()

    async def run(self) -> None:
        connection = await Connection.open(self._port)
        message = request("GET", "/api/v1/namespaces/sched", b"")
        while True:
            used, began = cpu_seconds(self._pid), time.perf_counter()
            await connection.send(message)
            self.waits.each.append(time.perf_counter() - began)
            self.server.each.append(cpu_seconds(self._pid) - used)
            await asyncio.sleep(GET_SECONDS)

    def text(self) -> str:
        return ", ".join(
            f"{name}: "
            + "/".join(f"{1e3 * timing.percentile(part):.1f}" for part in (0.5, 0.99, 0.999, 1.0))
            + " ms"
            for name, timing in (("wall p50/p99/p99.9/max", self.waits), ("server", self.server))
        )


async def measured(name: str, port: int, pid: int, pods: int, work: Any) -> None:
    """Runs a part of the measurement beside the client `Gets`, and prints the times of both."""
    gets = Gets(port, pid)
    task = asyncio.ensure_future(gets.run())
    used, began = cpu_seconds(pid), time.perf_counter()
    await work
    used, seconds = cpu_seconds(pid) - used, time.perf_counter() - began
    task.cancel()
    print(
        f"{name}: {1e3 * used / pods:.2f} ms CPU a pod, {pods / seconds:.1f} pods/s"
        f" ({pods / used:.1f} by CPU); {len(gets.waits.each)} GETs, {gets.text()}",
        flush=True,
    )


async def main(arguments: argparse.Namespace) -> None:
    with server(arguments) as (port, pid):
        connection = await Connection.open(port)
        await prepare(connection, Size(arguments.pods, arguments.nodes, arguments.devices, arguments.whole))
        await asyncio.sleep(arguments.rest)
        if arguments.steps or arguments.profile:
            os.kill(pid, signal.SIGUSR1)
            await asyncio.sleep(0.3)
        print(f"{arguments.pods} pods, {arguments.nodes} nodes, {arguments.devices} devices a node")

        def create(number: int) -> bytes:
            return request("POST", PODS, json.dumps(pod(number)).encode())

        def delete(number: int) -> bytes:
            return request("DELETE", f"{PODS}/p{number}")

        async def to_running() -> None:
            await checked(port, create, arguments.pods, CLIENTS)
            if arguments.whole:
                await until(connection, "&fieldSelector=status.phase!%3DRunning")
            else:
                await until(connection, "&fieldSelector=spec.nodeName%3D")

        async def to_gone() -> None:
            await checked(port, delete, arguments.pods, CLIENTS)
            await until(connection, "")

        began, used = time.perf_counter(), cpu_seconds(pid)
        await measured("running" if arguments.whole else "bound", port, pid, arguments.pods, to_running())
        if arguments.whole:
            await measured("deleted", port, pid, arguments.pods, to_gone())
            seconds, used = time.perf_counter() - began, cpu_seconds(pid) - used
            each = 1e3 * used / arguments.pods
            print(f"whole way: {arguments.pods / seconds:.1f} pods/s, {each:.2f} ms CPU a pod")
        if arguments.steps or arguments.profile:
            os.kill(pid, signal.SIGUSR1)
            await asyncio.sleep(0.5)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--tree", type=lambda text: Path(text).resolve(), default=HERE.parent)
    parser.add_argument("--steps", default="")
    parser.add_argument("--profile", default="")
    parser.add_argument("--rest", type=float, default=2.0, help="seconds between the nodes and the first pod")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
