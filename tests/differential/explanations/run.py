"""Plays the recorded clusters on kube-apiserver and kube-scheduler, and compares what explain says of them.

    python -m tests.differential.explanations.run [--release 1.37] [--gates all] [--every 3] [--case ID ...]
                                                  [--builds FOLDER] [--port PORT]

Go builds etcd, kube-apiserver and kube-scheduler once. The tool creates each cluster of fixtures/allocator,
and its pods one by one. After each decision of the scheduler, it runs `fakeapi explain pod --kubeconfig`
against kube-apiserver. It compares the feasible nodes, and the number of nodes for each reason. It plays a
cluster that differs again, up to PLAYS times, because the scheduler may decide before its informers have all
objects.

The exit status is 1 if a difference has no name in `known.py`, and 2 without Go.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner

from benchmarks import kubernetes
from fakeapi.cli.explain import explain
from fakeapi.explaining.explanation import Explanation
from tests.controllers.scheduler.cases import recorded_cases
from tests.differential.exchanges.known import named
from tests.differential.explanations.comparing import OF_REFUSED_NODES, Decision, differences
from tests.differential.explanations.known import KNOWN
from tests.differential.explanations.playing import (
    AGAIN_SECONDS,
    DECISION_SECONDS,
    Cluster,
    Kubernetes,
    Refused,
    is_holder,
    nodes_with_unclear_pools,
)
from tests.differential.explanations.scheduler import Scheduler
from tests.differential.rbac.servers import Server
from tests.fakeapi_clients.kubeconfigs import kubeconfig

PORT = 6743
PLAYS = 3
"""Maximum number of times that a cluster is played."""

RECORDED = {"1.31": ("1.31",), "1.34": ("1.33", "1.36"), "1.37": ("1.36",)}
"""The releases whose recorded clusters are played, by release of Kubernetes."""

CLAIMS = "DynamicResourceAllocation=true"
GATES = {
    "1.34": (
        "DRAConsumableCapacity",
        "DRADeviceBindingConditions",
        "DRADeviceTaints",
        "DRAExtendedResource",
        "DRAPartitionableDevices",
    ),
    "1.37": ("DRADeviceTaintRules", "DRAListTypeAttributes", "DRANodeAllocatableResources"),
}
"""The feature gates of `--gates all`, by release."""

OPTIONS = (
    "--runtime-config=api/all=true",
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    "--enable-priority-and-fairness=false",
)
UNCLEAR = "its slices disagree on resourceSliceCount"
LOGS_FEASIBLE_NODES = ("--v=2", "--vmodule=schedule_one=10")


def gates_of(release: str, gates: str) -> str:
    """Returns the value of `--feature-gates`. `gates`: "default" or "all"."""
    on = GATES.get(release, ()) if gates == "all" else ()
    return ",".join([CLAIMS, *(f"{name}=true" for name in on)])


@contextmanager
def running(release: str, gates: str, builds: Path, port: int) -> Iterator[tuple[Kubernetes, Path]]:
    """Starts the servers of a release; yields them with a kubeconfig. `gates`: value of --feature-gates."""
    programs = kubernetes.build_etcd(builds), kubernetes.build_api_server(builds, release)
    scheduler = kubernetes.build_component("kube-scheduler", release, builds)
    option = f"--feature-gates={gates}"
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        real = stack.enter_context(kubernetes.running(*programs, port, options=(*OPTIONS, option)))
        cluster = {"server": real.url, "insecure-skip-tls-verify": True}
        config = kubeconfig(place, cluster=cluster, user={"token": real.token})
        command: list[str | Path] = [scheduler, "--kubeconfig", config, option]
        command += ["--secure-port=0", "--leader-elect=false"]
        log = place / "scheduler.log"
        started = Scheduler([*command, *LOGS_FEASIBLE_NODES], log)
        stack.callback(started.stop)
        server = Server(real.url, real.token, impersonates=False)
        stack.callback(server.close)
        yield Kubernetes(server, real.token, started), config


def explained(config: Path, key: str, gates: str) -> Explanation:
    """Runs `fakeapi explain pod KEY` against the cluster of the kubeconfig `config`."""
    arguments = ["pod", key, "--kubeconfig", str(config), "--feature-gates", gates, "--output", "json"]
    result = CliRunner().invoke(explain, arguments, catch_exceptions=False)
    if result.exit_code:
        raise RuntimeError(f"fakeapi explain {' '.join(arguments)}: {result.output}")
    return msgspec.json.decode(result.stdout, type=Explanation)


@dataclass
class Run:
    """Plays clusters, and counts what was compared."""

    kubernetes: Kubernetes
    config: Path
    gates: str
    counts: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    unnamed: int = 0

    def play(self, case: dict[str, Any], theme: str) -> None:
        """Plays a cluster up to PLAYS times, until no pod differs. Prints the last differences."""
        differed: set[str] = set()
        try:
            for _ in range(PLAYS):
                counts, found = self._played(case)
                differed |= found.keys()
                if not found:
                    break
        except Refused as refused:
            self.counts["clusters that the release refuses"] += 1
            say(f"{case['id']}: refused: {refused}")
            return
        self.counts["clusters"] += 1
        self.counts["pods that differed at first, and not at last"] += len(differed - found.keys())
        self.counts += counts
        for pod, lines in found.items():
            names = named(lines, KNOWN)
            self.names.update(names)
            self.unnamed += not names
            say(f"\n{case['id']} ({theme}), pod {pod}{f': {names[0]}' if names else ''}")
            for line in lines:
                say(f"  {line}")

    def _played(self, case: dict[str, Any]) -> tuple[Counter[str], dict[str, list[str]]]:
        """Plays a cluster once; returns what was counted, and the differences by pod."""
        self.kubernetes.scheduler.ensure()
        cluster = Cluster(self.kubernetes, case)
        counts: Counter[str] = Counter()
        found: dict[str, list[str]] = {}
        try:
            cluster.create()
            for pod in case["pods"]:
                if is_holder(pod):
                    continue
                decision, lines = self._pod(cluster, pod)
                counts["pods"] += 1
                counts["nodes"] += len(cluster.nodes)
                counts[f"pods: {_kind_of(decision)}"] += 1
                if lines:
                    found[pod["metadata"]["name"]] = lines
                else:
                    counts["pods that agree"] += 1
                    counts["nodes that agree"] += len(cluster.nodes)
        finally:
            cluster.delete()
        return counts, found

    def _pod(self, cluster: Cluster, pod: dict[str, Any]) -> tuple[Decision, list[str]]:
        scheduler = self.kubernetes.scheduler
        scheduler.ensure()
        mark = scheduler.log.stat().st_size
        created = cluster.create_pod(pod)
        name, version = created["metadata"]["name"], created["metadata"]["resourceVersion"]
        decision, lines = Decision(), ["the scheduler made no decision"]
        if created["spec"].get("nodeName"):
            return decision, []
        for next_pod in self.kubernetes.decisions(cluster.pods, name, version):
            seconds = DECISION_SECONDS
            while lines and (decided := next_pod(seconds)) is not None:
                decision = self.kubernetes.decision(decided, mark)
                if decision.node:
                    cluster.run_pod(name)
                why = explained(self.config, f"{cluster.namespace}/{name}", self.gates)
                lines = differences(decision, why, cluster.nodes)
                seconds = AGAIN_SECONDS
        unclear = nodes_with_unclear_pools(cluster.case["resourceSlices"])
        lines = [
            f"{line} ({UNCLEAR})" if any(f"node {name} " in line for name in unclear) else line
            for line in lines
        ]
        if lines and (panic := scheduler.panic_since(mark)):
            lines = [f"kube-scheduler panics: {panic}"]
        return decision, lines


def _kind_of(decision: Decision) -> str:
    if decision.node:
        return "placed"
    return "refused" if decision.message.startswith(OF_REFUSED_NODES) else "error"


def cases(release: str, gates: str, every: int, names: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
    """Returns the recorded clusters to play on a release, with their themes."""
    known = [
        (recorded.case, recorded.case["theme"])
        for recorded in recorded_cases()
        if recorded.case["release"] in RECORDED[release] and recorded.case["gates"] == gates
    ]
    return [each for each in known if each[0]["id"] in names] if names else known[::every]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", default="1.37", choices=[*RECORDED])
    parser.add_argument("--gates", default="default", choices=["default", "all"])
    parser.add_argument("--every", type=int, default=1, help="play every n-th cluster (default: all)")
    parser.add_argument("--case", nargs="*", default=[], help="only the clusters with these ids")
    kubernetes.add_options(parser, PORT)
    options = parser.parse_args()
    if shutil.which("go") is None:
        say("skipped: go is not on the PATH")
        return 2
    gates = gates_of(options.release, options.gates)
    began = time.monotonic()
    with running(options.release, gates, options.builds, options.port) as (real, config):
        run = Run(real, config, gates)
        for case, theme in cases(options.release, options.gates, options.every, options.case):
            run.play(case, theme)
    say(f"release {options.release}, gates {gates}, {time.monotonic() - began:.0f} s")
    for name, number in sorted(run.counts.items()):
        say(f"{name}: {number}")
    say(f"known differences: {dict(run.names) or 'none'}")
    say(f"pods with an unnamed difference: {run.unnamed}")
    return int(run.unnamed > 0)


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the output of a command


if __name__ == "__main__":
    sys.exit(main())
