"""KnownAnswers: caches for each node whether equal pods fit, and with which devices.

The scheduler checks a node again only after the node, its pods or its devices have changed. So the cost of
scheduling one of many equal pods hardly depends on the number of nodes.
"""

from collections.abc import Hashable, Mapping
from itertools import compress
from operator import is_not

import msgspec

from fakeapi.controllers.allocation.allocator import Inventory
from fakeapi.controllers.scheduler.node_allocatable import FIELD
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.scoring import Parts, totals
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object

ANSWERS_MAX = 40_000
"""Maximum number of cached answers, one for each node and each kind of pod.

At the limit, the cache drops the kind of pod that was scheduled least recently.
"""
KINDS_MAX = 1000
"""Maximum number of kinds of pods with cached answers. On a small cluster, this limit is reached first.

At the limit, the cache drops the kind of pod that was scheduled least recently.
"""
KEY_BYTES_MAX = 16 * 1024
"""Maximum size in bytes of the requirements of a pod or claim. Larger pods and claims are not cached."""
REFUSED = -1
"""Placeholder score for a node that does not fit the pod."""
NO_PARTS = Parts(0, 0, 0, 0)
_CONTAINER = ("name", "ports", "resources", "restartPolicy")
_SPEC = ("nodeName", "nodeSelector", "affinity", "tolerations", "overhead", "resources")


class Answer(msgspec.Struct, frozen=True):
    """Whether a pod fits on a node.

    - `refusal`: the reason why the pod does not fit; None if the pod fits.
    - `parts`: the parts of the node's score.
    - `allocation`: the allocation results of the pod's claims; None without claims to allocate.
    - `tries`: the number of tried devices that counted against the limit of the search.
    - `is_lasting`: whether equal pods get the same answer until the node or its devices change.
    """

    refusal: Unschedulable | None
    parts: Parts = NO_PARTS
    allocation: list[Object] | None = None
    tries: int = 0
    is_lasting: bool = True


def requirements_of(pod: Object) -> bytes | None:
    """Returns the pod fields that decide about filters and scores on a single node, as JSON.

    Returns None if the JSON is larger than KEY_BYTES_MAX. Omits names of claims and volumes, because they can
    differ between the pods of one workload.
    """
    spec = pod["spec"]
    containers = [
        [[container.get(name) for name in _CONTAINER] for container in spec.get(member) or ()]
        for member in ("containers", "initContainers")
    ]
    claims = [pod_claim["name"] for pod_claim in spec.get("resourceClaims") or ()]
    fields = [[spec.get(name) for name in _SPEC], containers, claims, pod["status"].get(FIELD)]
    return limited_key(fields)


def limited_key(value: object) -> bytes | None:
    """Returns a value as JSON; None if it has more than KEY_BYTES_MAX bytes."""
    encoded = msgspec.json.encode(value)
    return encoded if len(encoded) <= KEY_BYTES_MAX else None


class NodeAnswers:
    """The cached answers of all nodes for one kind of pod.

    - `names`: the names of the nodes in order. The index of a node is its position in this list.
    - `answers`: the answers by index. The answers in `stale` are missing or outdated.
    """

    def __init__(self, states: Mapping[str, NodeState], inventory: Inventory | None) -> None:
        """Starts without answers. `inventory`: None for pods without claims to allocate."""
        self.names = list(states)
        self.answers: list[Answer | None] = [None] * len(self.names)
        self.stale = set(range(len(self.names)))
        self._states = list(states.values())
        self._inventory = inventory
        self._position = 0 if inventory is None or inventory.changes is None else inventory.changes.position
        self._indexes = {name: index for index, name in enumerate(self.names)}
        self._scores = [REFUSED] * len(self.names)
        self._unequal: set[int] = set()
        """The feasible nodes whose score depends on the other nodes."""
        self.tries = 0
        """The sum of the tries of all answers."""

    def refresh(self, states: Mapping[str, NodeState], inventory: Inventory | None) -> bool:
        """Marks the answers of nodes that have changed since the last attempt as stale.

        Returns False if all answers are outdated: nodes were added or removed, or slices or classes changed.
        """
        if self.names != list(states):
            return False
        current = list(states.values())
        self.stale.update(compress(range(len(current)), map(is_not, self._states, current)))
        self._states = current
        known, self._inventory = self._inventory, inventory
        if inventory is None or known is None:
            return inventory is known
        changes = inventory.changes
        if changes is None or changes is not known.changes:
            return False
        if inventory.slices is not known.slices or inventory.classes is not known.classes:
            return False
        pools = changes.since(self._position)
        self._position = changes.position
        if pools is None:
            return False
        for pool in pools:
            nodes = inventory.slices.nodes_of(pool)
            if nodes is None:
                self.stale.update(range(len(current)))
                break
            self.stale.update(self._indexes[name] for name in nodes if name in self._indexes)
        return True

    def forget_stale(self) -> list[str]:
        """Removes the stale answers. Returns the names of their nodes, in order."""
        indexes = sorted(self.stale)
        for index in indexes:
            answer = self.answers[index]
            self.tries -= 0 if answer is None else answer.tries
            self.answers[index] = None
        return [self.names[index] for index in indexes]

    def put(self, name: str, answer: Answer) -> None:
        """Stores the answer of a node.

        An answer with `is_lasting` false becomes stale in the next attempt.
        """
        index = self._indexes[name]
        self.answers[index] = answer
        self.tries += answer.tries
        self._unequal.discard(index)
        if answer.refusal is not None:
            self._scores[index] = REFUSED
        else:
            [self._scores[index]] = totals([answer.parts])
            if answer.parts[:3] != NO_PARTS[:3]:
                self._unequal.add(index)
        if answer.is_lasting:
            self.stale.discard(index)

    def scores(self) -> list[int]:
        """Returns the scores of the nodes by index.

        The score is REFUSED if the pod does not fit on the node.
        """
        if not self._unequal:
            return self._scores
        fitting = [(index, one) for index, one in enumerate(self.answers) if one and one.refusal is None]
        scores = [REFUSED] * len(self.names)
        for (index, _), score in zip(fitting, totals([one.parts for _, one in fitting]), strict=True):
            scores[index] = score
        return scores

    def answer(self, name: str) -> Answer | None:
        return self.answers[self._indexes[name]]

    def refusals(self) -> dict[str, Unschedulable]:
        """Returns the reasons why the pod does not fit, by node, in the order of names."""
        answers = zip(self.names, self.answers, strict=True)
        return {name: one.refusal for name, one in answers if one and one.refusal is not None}


class KnownAnswers:
    """Caches which nodes fit each kind of pod.

    Contains at most ANSWERS_MAX answers, for at most KINDS_MAX kinds of pods.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, NodeAnswers] = {}

    def take(
        self, key: Hashable, states: Mapping[str, NodeState], inventory: Inventory | None
    ) -> NodeAnswers:
        """Removes the answers for a kind of pod and returns them, with outdated answers marked as stale.

        - `key`: identifies the kind of pod.
        - `states`: the nodes of the cluster by name, in the order of names.
        - `inventory`: the devices of the cluster; None for pods without claims to allocate.
        """
        known = self._known.pop(key, None)
        if known is None or not known.refresh(states, inventory):
            known = NodeAnswers(states, inventory)
        return known

    def keep(self, key: Hashable, answers: NodeAnswers) -> None:
        """Keeps answers until the next attempt for a pod of this kind."""
        self._known[key] = answers
        count = len(self)
        while count > ANSWERS_MAX or len(self._known) > KINDS_MAX:
            oldest = next(iter(self._known))
            count -= len(self._known.pop(oldest).names)

    def __len__(self) -> int:
        """Returns the number of answers."""
        return sum(len(known.names) for known in self._known.values())
