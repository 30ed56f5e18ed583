"""Compares how fast pods with claims get a node: on fakeapi, and on kube-apiserver with kube-scheduler.

Both get the same nodes, slices, claim templates and pods, in turn. Each round starts new servers. Kubernetes
also runs etcd, and kube-controller-manager with the controller of ResourceClaims alone. The clients of its
components may send 5,000 requests a second, so that the default limit of 50 does not slow them.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import kubernetes
from benchmarks.beside import server_of
from benchmarks.load import Connection, Server, checked, request
from benchmarks.scheduling import CLIENTS, PODS, Size, pod, prepare, until
from benchmarks.servers import fakeapi
from benchmarks.tables import at_least, compared, heading, row
from tests.fakeapi_clients.kubeconfigs import kubeconfig
from tests.interop.processes import Program

RELEASE = "1.34"
QPS = 5_000
"""The number of requests a second that the clients of kube-scheduler and kube-controller-manager may send."""

SIZES = ((1_000, 50), (3_000, 200))
"""The numbers of pods and nodes to measure."""

ROUNDS = 3
TIMES = 2
RATE = 100
"""The goal for the pods bound each second, if Kubernetes is not measured."""
_PORT = kubernetes.PORT + 10
_OPTIONS = ("--disable-admission-plugins=ServiceAccount",)  # no controller creates ServiceAccounts


def bench_scheduling(builds: Path | None, *, quick: bool) -> None:
    """Prints a table of the pods bound each second.

    `builds`: the folder of Kubernetes' programs. If None, measures only fakeapi.
    """
    columns = ("Kubernetes", "fakeapi", "times", "goal", "") if builds else ("fakeapi", "goal", "")
    heading(f"Scheduling pods with a claim each, {RELEASE}, pods bound", *columns)
    for pods, nodes in SIZES[:1] if quick else SIZES:
        size = Size(pods, nodes)
        ours, theirs = [], []
        for _ in range(1 if quick else ROUNDS):
            with fakeapi("--release", RELEASE, "--controllers", "scheduler,resourceclaim") as (port, _):
                ours.append(asyncio.run(_rate(Server(port), size)))
            if builds:
                with _kubernetes(builds) as server:
                    theirs.append(asyncio.run(_rate(server, size)))
        _print(f"{pods:,} pods, {nodes} nodes", statistics.median(ours), theirs)


def _print(name: str, ours: float, theirs: list[float]) -> None:
    if not theirs:
        row(f"{name}, per s", f"{ours:.0f}", *at_least(ours, RATE, "per s"))
        return
    compared(name, "per s", statistics.median(theirs), ours, TIMES)


async def _rate(server: Server, size: Size) -> float:
    """Returns the pods bound each second, from the first create until all pods have a node."""
    connection = await Connection.open(server)
    await prepare(connection, size)
    await asyncio.sleep(2)  # the components have read all nodes and slices then
    began = time.perf_counter()
    await checked(server, lambda n: request("POST", PODS, json.dumps(pod(n)).encode()), size.pods, CLIENTS)
    await until(connection, "&fieldSelector=spec.nodeName%3D")
    rate = size.pods / (time.perf_counter() - began)
    connection.close()
    return rate


@contextmanager
def _kubernetes(builds: Path) -> Iterator[Server]:
    """Runs etcd, kube-apiserver, kube-scheduler and the controller of ResourceClaims."""
    programs = kubernetes.build_etcd(builds), kubernetes.build_api_server(builds, RELEASE)
    scheduler = kubernetes.build_component("kube-scheduler", RELEASE, builds)
    manager = kubernetes.build_component("kube-controller-manager", RELEASE, builds)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        real = stack.enter_context(kubernetes.running(*programs, _PORT, options=_OPTIONS))
        cluster = {"server": real.url, "insecure-skip-tls-verify": True}
        config = kubeconfig(folder, cluster=cluster, user={"token": real.token})
        own = folder / "scheduler.yaml"
        own.write_text(_scheduler_configuration(config), encoding="utf-8")
        common: list[str | Path] = ["--secure-port=0", "--leader-elect=false"]
        stack.enter_context(
            Program([scheduler, "--config", own, "--secure-port=0"], folder / "scheduler.log")
        )
        limits = [f"--kube-api-qps={QPS}", f"--kube-api-burst={QPS}"]
        controllers = "--controllers=resourceclaim-controller"
        command = [manager, "--kubeconfig", config, *common, *limits, controllers]
        stack.enter_context(Program([*command, "--flex-volume-plugin-dir", folder], folder / "manager.log"))
        yield server_of(real.url, real.token)


def _scheduler_configuration(config: Path) -> str:
    connection = {"kubeconfig": str(config), "qps": QPS, "burst": QPS}
    return json.dumps(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": connection,
            "leaderElection": {"leaderElect": False},
        }
    )
