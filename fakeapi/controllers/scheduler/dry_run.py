"""DryRun: the nodes of the cluster during a dry run of preemption, without the victims.

Follows k8s.io/kubernetes `pkg/scheduler/framework/preemption`.
"""

from collections.abc import Iterable, Mapping

from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.controllers.scheduler.victims import Victim


class DryRun:
    """The states of nodes without the pods of some victims.

    `states`: the states of all nodes by name. `reprieve` and `delete` change only the nodes of their victim.
    """

    def __init__(self, states: Mapping[str, NodeState], victims: Iterable[Victim]) -> None:
        """Starts with all of `victims` deleted. `states`: the current states of the nodes."""
        self.states = dict(states)
        self._current = states
        self._deleted: set[str] = set()
        nodes: set[str] = set()
        for victim in victims:
            self._deleted |= victim.uids
            nodes |= victim.nodes
        self._update(nodes)

    def reprieve(self, victim: Victim) -> None:
        """Puts the pods of a victim back on their nodes."""
        self._deleted -= victim.uids
        self._update(victim.nodes)

    def delete(self, victim: Victim) -> None:
        """Removes the pods of a victim from their nodes."""
        self._deleted |= victim.uids
        self._update(victim.nodes)

    def _update(self, nodes: Iterable[str]) -> None:
        for name in nodes:
            state = self._current.get(name)
            if state is not None:
                left = [pod for pod in state.pods if pod["metadata"]["uid"] not in self._deleted]
                self.states[name] = with_pods(state, left)
