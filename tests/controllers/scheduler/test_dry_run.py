from typing import Any

from fakeapi.controllers.scheduler.dry_run import DryRun
from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.controllers.scheduler.victims import Victim

Object = dict[str, Any]


def pod(name: str) -> Object:
    return {"metadata": {"name": name, "uid": name}, "spec": {}, "status": {}}


def names(state: NodeState) -> list[str]:
    return [each["metadata"]["name"] for each in state.pods]


def test_a_dry_run_changes_only_the_nodes_of_its_victims() -> None:
    pods = {"a": [pod("one"), pod("two")], "b": [pod("three")], "c": [pod("four")]}
    states = {
        node: with_pods(NodeState({"metadata": {"name": node}}), on_node) for node, on_node in pods.items()
    }
    group = Victim((pods["a"][0], pods["b"][0]), frozenset(("a", "b", "deleted")), 0, is_of_group=True)
    single = Victim((pods["a"][1],), frozenset(("a",)), 0)
    dry_run = DryRun(states, [group, single])
    assert {node: names(state) for node, state in dry_run.states.items()} == {"a": [], "b": [], "c": ["four"]}
    assert dry_run.states["c"] is states["c"]
    dry_run.reprieve(group)
    assert [names(state) for state in dry_run.states.values()] == [["one"], ["three"], ["four"]]
    dry_run.delete(group)
    dry_run.reprieve(single)
    assert [names(state) for state in dry_run.states.values()] == [["two"], [], ["four"]]
    assert [names(state) for state in states.values()] == [["one", "two"], ["three"], ["four"]]
