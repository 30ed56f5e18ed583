"""The scheduler's cached answers give the same outcomes as a computation from all objects."""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi.controllers.allocation import pool_changes, selector_results
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocatedState, PoolID, Slice
from fakeapi.controllers.allocation.pool_changes import PoolChanges
from fakeapi.controllers.allocation.rules import allocation_rules
from fakeapi.controllers.allocation.selector_results import SelectorResults
from fakeapi.controllers.scheduler import node_answers
from fakeapi.controllers.scheduler.allocated import allocated_state
from fakeapi.controllers.scheduler.allocated_devices import AllocatedDevices
from fakeapi.controllers.scheduler.cycle import Outcome, attempt
from fakeapi.controllers.scheduler.device_matcher import device_matcher
from fakeapi.controllers.scheduler.dynamic_resources import DynamicResources
from fakeapi.controllers.scheduler.node_answers import KnownAnswers, limited_key
from fakeapi.controllers.scheduler.node_state import NodeState, NodeStates, with_pods
from fakeapi.controllers.scheduler.pod_claim_view import ClaimView
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of

Object = dict[str, Any]
GATES = {
    "DRAPrioritizedList": True,
    "DRAConsumableCapacity": True,
    "DRAPartitionableDevices": True,
    "DRADeviceTaints": True,
    "DRANodeAllocatableResources": True,
}
RULES = rules_of(load_release("1.37"))
ALLOCATION = allocation_rules(37, GATES)
MATCHER = device_matcher(RULES)
NODES = [f"n{number}" for number in range(6)]


class Cluster(ClaimView):
    """Objects in memory, and the scheduler's state computed from them: nodes, devices in use, slices."""

    def __init__(self) -> None:
        self.all: dict[str, dict[str, Object]] = {
            kind: {} for kind in ("resourceclaims", "deviceclasses", "resourceslices")
        }
        self.nothing: list[Object] = []
        self.nodes: dict[str, Object] = {}
        self.pods: dict[str, Object] = {}
        self.states = NodeStates()
        self.in_use = AllocatedDevices(shares=True, admin_counts=False)
        self.known_slices: list[Slice] | None = None
        self.known_classes: Mapping[str, Object] | None = None

    def objects(self, kind: str) -> list[Object]:
        if kind not in self.all:
            return self.nothing
        return [obj for _, obj in sorted(self.all.get(kind, {}).items())]

    def claim(self, namespace: str, name: str) -> Object | None:
        return self.all["resourceclaims"].get(f"{namespace}/{name}")

    def classes(self, kind: str = "deviceclasses") -> Mapping[str, Object]:
        if self.known_classes is None:
            self.known_classes = super().classes(kind)
        return self.known_classes

    def slices(self) -> Sequence[Slice]:
        if self.known_slices is None:
            objects = self.objects("resourceslices")
            self.known_slices = [Slice(obj["metadata"]["name"], obj["spec"]) for obj in objects]
        return self.known_slices

    def allocated(self, *, shares: bool, admin_counts: bool) -> tuple[AllocatedState, PoolChanges | None]:
        return self.in_use.state, self.in_use.changes

    def put_slice(self, name: str, spec: Object | None) -> None:
        self.known_slices = None
        self.all["resourceslices"].pop(name, None)
        if spec is not None:
            self.all["resourceslices"][name] = {"metadata": {"name": name}, "spec": spec}

    def put_class(self, name: str, expression: str) -> None:
        self.known_classes = None
        spec = {"selectors": [{"cel": {"expression": expression}}]}
        metadata = {"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"}
        self.all["deviceclasses"][name] = {"metadata": metadata, "spec": spec}

    def put_claim(self, name: str, claim: Object | None) -> None:
        self.all["resourceclaims"].pop(f"ns/{name}", None)
        if claim is not None:
            self.all["resourceclaims"][f"ns/{name}"] = claim
        self.in_use.change(f"ns/{name}", claim)

    def put_node(self, name: str, node: Object | None) -> None:
        old = self.nodes.pop(name, None)
        if node is not None:
            self.nodes[name] = node
        if old is not None or node is not None:
            self.states.node_changed(old, node)

    def put_pod(self, name: str, pod: Object | None) -> None:
        old = self.pods.pop(name, None)
        if pod is not None:
            self.pods[name] = pod
        if old is not None or pod is not None:
            self.states.pod_changed(old, pod)


class Plain(Cluster):
    """The objects of another cluster without cached state.

    Every attempt computes everything from the objects.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self.all = cluster.all

    def allocated(self, *, shares: bool, admin_counts: bool) -> tuple[AllocatedState, PoolChanges | None]:
        claims = self.objects("resourceclaims")
        return allocated_state(claims, shares=shares, admin_counts=admin_counts), None


class Counting(DynamicResources):
    """The plugin DynamicResources. `checked`: the number of nodes that it has checked."""

    checked = 0

    async def filter(self, state: Any, pod: Object, node: NodeState, effort: Effort) -> Any:
        self.checked += 1
        return await super().filter(state, pod, node, effort)


def node(name: str, chance: random.Random) -> Object:
    taints = [{"key": "a", "effect": chance.choice(["PreferNoSchedule", "NoSchedule"])}]
    spec = {"unschedulable": True} if chance.random() < 0.1 else {}
    allocatable = {"cpu": chance.choice(["4", "500m", "2"]), "memory": "1Gi", "pods": "9"}
    return {
        "metadata": {"name": name, "labels": {"zone": chance.choice("ab")}},
        "spec": {**spec, "taints": taints if chance.random() < 0.3 else []},
        "status": {"allocatable": allocatable},
    }


def resource_slice(name: str, chance: random.Random) -> Object:
    devices = [
        {
            "name": f"d{number}",
            "attributes": {"model": {"string": chance.choice("xy")}},
            "capacity": {"memory": {"value": "4"}},
            **({"allowMultipleAllocations": True} if chance.random() < 0.2 else {}),
            **({"taints": [{"key": "t", "effect": "NoSchedule"}]} if chance.random() < 0.1 else {}),
            **(
                {"nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "100m"}}}}
                if chance.random() < 0.1
                else {}
            ),
        }
        for number in range(3)
    ]
    where = {"allNodes": True} if chance.random() < 0.1 else {"nodeName": name}
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1 if chance.random() < 0.9 else 2}
    return {"driver": "gpu.example.com", "pool": pool, "devices": devices, **where}


def requests(chance: random.Random) -> list[Object]:
    exact = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    wanted = [{"cel": {"expression": 'device.attributes["gpu.example.com"].model == "x"'}}]
    return chance.choice(
        [
            [{"name": "r", "exactly": exact}],
            [{"name": "r", "exactly": {**exact, "selectors": wanted}}],
            [{"name": "r", "exactly": {**exact, "count": 2}}],
            [{"name": "r", "exactly": {**exact, "capacity": {"requests": {"memory": "1"}}}}],
            [{"name": "r", "exactly": exact}, {"name": "s", "exactly": {**exact, "selectors": wanted}}],
            [
                {
                    "name": "r",
                    "firstAvailable": [
                        {**exact, "name": "one", "selectors": wanted, "count": 2},
                        {**exact, "name": "two"},
                    ],
                }
            ],
        ]
    )


def pod(name: str, chance: random.Random) -> Object:
    container: Object = {"name": "c", "resources": {"requests": {"cpu": chance.choice(["100m", "300m"])}}}
    if chance.random() < 0.1:
        container["ports"] = [{"containerPort": 80, "hostPort": 80}]
    spec: Object = {"containers": [container]}
    if chance.random() < 0.2:
        spec["nodeSelector"] = {"zone": "a"}
    if chance.random() < 0.1:
        preferred = {"weight": 5, "preference": {"matchExpressions": [ZONE]}}
        affinity = {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}
        spec["affinity"] = {"nodeAffinity": affinity}
    if chance.random() < 0.7:
        spec["resourceClaims"] = [{"name": "g", "resourceClaimName": name}]
        container["resources"]["claims"] = [{"name": "g"}]
    return {"metadata": {"namespace": "ns", "name": name, "uid": f"uid-{name}"}, "spec": spec, "status": {}}


ZONE = {"key": "zone", "operator": "In", "values": ["b"]}


def claim(name: str, chance: random.Random) -> Object:
    return {
        "metadata": {"namespace": "ns", "name": name, "uid": f"claim-{name}"},
        "spec": {"devices": {"requests": requests(chance)}},
        "status": {},
    }


def shares() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"share-{number}"


def change(cluster: Cluster, chance: random.Random) -> None:
    """Makes one random change in the cluster: to a node, a pod, a claim, a slice or a class."""
    name = chance.choice(NODES)
    match chance.randrange(12):
        case 0:
            cluster.put_node(name, None if chance.random() < 0.3 else node(name, chance))
        case 1:
            cluster.put_slice(name, None if chance.random() < 0.3 else resource_slice(name, chance))
        case 2:
            cluster.put_class("gpu", chance.choice(["true", 'device.driver == "gpu.example.com"']))
        case 3 | 4 | 6 | 7 if cluster.pods:
            gone = chance.choice(list(cluster.pods))
            cluster.put_pod(gone, None)
            cluster.put_claim(gone, None)
        case 8 | 9:
            other = f"x{chance.randrange(4)}"
            result = {"driver": "gpu.example.com", "pool": name, "device": f"d{chance.randrange(3)}"}
            foreign: Object = {"status": {"allocation": {"devices": {"results": [result]}}}}
            cluster.put_claim(other, None if chance.random() < 0.5 else foreign)
        case 5 if cluster.pods:
            changed = chance.choice(list(cluster.pods))
            cluster.put_pod(changed, {**cluster.pods[changed], "status": {"phase": "Running"}})


def outcome_of(outcome: Outcome) -> Object:
    claims = outcome.claims
    return {
        "node": outcome.node,
        "feasible": outcome.feasible,
        "problem": outcome.problem,
        "refusals": {} if outcome.node else outcome.refusals,
        "message": "" if outcome.node else outcome.message(None),
        "allocations": claims.allocations.get(outcome.node),
        "statuses": claims.node_claims.get(outcome.node) or None,
    }


async def both_attempts(cluster: Cluster, wanted: Object, known: KnownAnswers, plugin: Any) -> list[Outcome]:
    plain, ids = Plain(cluster), shares()
    other = DynamicResources(plain, ALLOCATION, MATCHER, lambda: next(ids), lambda: 0.0)
    outcomes = []
    for which, answers in ((plugin, known), (other, None)):
        outcomes.append(
            await attempt(
                wanted,
                cluster.states.by_name(),
                which,
                RULES.quirks,
                lambda names: names[0],
                Effort(HeavySteps()),
                known=answers,
            )
        )
    return outcomes


@pytest.mark.parametrize("seed", range(12))
def test_attempts_with_known_answers_have_the_outcomes_of_attempts_on_all_nodes(seed: int) -> None:
    chance = random.Random(seed)
    cluster, known = Cluster(), KnownAnswers()
    ids = shares()

    def share() -> str:
        return next(ids)

    plugin = Counting(cluster, ALLOCATION, MATCHER, share, lambda: 0.0)
    cluster.put_class("gpu", "true")
    for name in NODES:
        cluster.put_node(name, node(name, chance))
        cluster.put_slice(name, resource_slice(name, chance))
    kinds = [chance.getrandbits(32) for _ in range(4)]
    for number in range(60):
        for _ in range(chance.randrange(3)):
            change(cluster, chance)
        name, kind = f"p{number}", random.Random(chance.choice(kinds))
        wanted = pod(name, kind)
        if "resourceClaims" in wanted["spec"]:
            cluster.put_claim(name, claim(name, kind))
        ids = shares()
        mine, plain = asyncio.run(both_attempts(cluster, wanted, known, plugin))
        assert without_shares(outcome_of(mine)) == without_shares(outcome_of(plain)), number
        if mine.node:
            place(cluster, wanted, mine)
    assert plugin.checked < 60 * len(NODES) * 0.75  # the other answers were cached


def without_shares(outcome: Object) -> Object:
    """Returns an outcome without share IDs, because each attempt generates new share IDs."""
    for result in outcome["allocations"] or ():
        for device in result["devices"]["results"]:
            if "shareID" in device:
                device["shareID"] = "share"
    return outcome


def place(cluster: Cluster, wanted: Object, outcome: Outcome) -> None:
    name = wanted["metadata"]["name"]
    cluster.put_pod(name, {**wanted, "spec": {**wanted["spec"], "nodeName": outcome.node}})
    results = outcome.claims.allocations.get(outcome.node)
    if results:
        stored = cluster.all["resourceclaims"][f"ns/{name}"]
        cluster.put_claim(name, {**stored, "status": {"allocation": results[0]}})


@pytest.mark.parametrize("seed", range(5))
def test_the_state_of_a_node_is_the_sum_of_its_pods(seed: int) -> None:
    chance = random.Random(seed)
    cluster, order = Cluster(), dict[str, None]()
    for name in NODES:
        cluster.put_node(name, node(name, chance))
    for _ in range(200):
        name = f"p{chance.randrange(12)}"
        known = cluster.pods.get(name)
        new = pod(name, chance) if known is None or chance.random() < 0.3 else dict(known)
        new["spec"] = {**new["spec"], "nodeName": chance.choice([*NODES, ""])}
        new["status"] = {"phase": chance.choice(["Pending", "Running", "Succeeded"])}
        is_gone = chance.random() < 0.2
        cluster.put_pod(name, None if is_gone else new)
        order.pop(name, None)
        if name in cluster.pods:
            order[name] = None
        if chance.random() < 0.5:
            continue
        states = cluster.states.by_name()
        assert list(states) == sorted(NODES)
        for node_name, state in states.items():
            assert state == with_pods(
                NodeState(cluster.nodes[node_name]), _on_node(cluster, order, node_name)
            )


def _on_node(cluster: Cluster, order: Mapping[str, None], node_name: str) -> list[Object]:
    pods = [cluster.pods[name] for name in order]
    return [
        each
        for each in pods
        if each["spec"]["nodeName"] == node_name and each["status"]["phase"] != "Succeeded"
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_devices_in_use_are_those_of_all_claims(seed: int) -> None:
    chance = random.Random(seed)
    in_use = AllocatedDevices(shares=True, admin_counts=False)
    claims: dict[str, Object] = {}
    for _ in range(200):
        key = f"ns/c{chance.randrange(8)}"
        claims.pop(key, None)
        if chance.random() < 0.8:
            claims[key] = {"status": {"allocation": {"devices": {"results": _results(chance)}}}}
        before = in_use.changes.position
        in_use.change(key, claims.get(key))
        plain = [claims[key] for key in sorted(claims)]
        assert in_use.state == allocated_state(plain, shares=True, admin_counts=False)
        changed = in_use.changes.since(before)
        assert changed is not None
        assert changed <= {PoolID("d", "p"), PoolID("d", "q")}


def _results(chance: random.Random) -> list[Object]:
    return [
        {
            "driver": "d",
            "pool": chance.choice("pq"),
            "device": f"d{chance.randrange(3)}",
            **({"adminAccess": True} if chance.random() < 0.1 else {}),
            **(
                {"shareID": "s", "consumedCapacity": {"memory": chance.choice(["1", "1Ki", "0"])}}
                if chance.random() < 0.5
                else {}
            ),
        }
        for _ in range(chance.randrange(3))
    ]


def test_a_log_of_pools_forgets_old_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_changes, "CHANGES_MAX", 2)
    changes = PoolChanges()
    changes.add([PoolID("d", "a"), PoolID("d", "b"), PoolID("d", "c")])
    assert changes.since(1) == {PoolID("d", "b"), PoolID("d", "c")}
    assert changes.since(0) is None


def test_answers_for_the_oldest_kind_of_pod_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_answers, "ANSWERS_MAX", 5)
    known = KnownAnswers()
    states = {name: NodeState({"metadata": {"name": name}}) for name in ("a", "b")}
    for key in ("one", "two", "three"):
        known.keep(key, known.take(key, states, None))
    assert len(known) == 4


def test_kinds_of_pods_are_bounded_on_a_cluster_without_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_answers, "KINDS_MAX", 2)
    known, kinds = KnownAnswers(), {}
    for key in ("one", "two", "three"):
        kinds[key] = known.take(key, {}, None)
        known.keep(key, kinds[key])
    assert known.take("one", {}, None) is not kinds["one"]
    assert known.take("three", {}, None) is kinds["three"]


def test_large_requirements_have_no_key() -> None:
    assert limited_key("x" * node_answers.KEY_BYTES_MAX) is None


def test_devices_with_equal_content_share_the_results_of_selectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selector_results, "RESULTS_MAX", 2)
    results = SelectorResults()
    one = {"name": "a", "attributes": {"x": {"int": 1}}}
    results.put(results.key("e", "d", one), result=True)
    assert results.get(results.key("e", "d", {**one, "name": "b"})) is True
    for other in (
        {**one, "attributes": {}},
        {**one, "capacity": {}},
        {**one, "allowMultipleAllocations": True},
    ):
        assert results.get(results.key("e", "d", other)) is None
    assert results.get(results.key("f", "d", one)) is results.get(results.key("e", "e", one)) is None
    assert results.key("e" * selector_results.KEY_BYTES_MAX, "d", one) is None
    results.put(results.key("f", "d", one), result=False)
    results.put(results.key("g", "d", one), result=False)
    assert len(results) == 1
