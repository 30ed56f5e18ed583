"""BindingWaits: keeps the scheduled pods that wait for the binding conditions of their devices."""

from collections.abc import Callable

import msgspec

from fakeapi.controllers.scheduler.binding_conditions import are_ready
from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.node_allocatable import FIELD
from fakeapi.controllers.scheduler.node_state import NodeStates
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView
from fakeapi.machinery.json_types import Object


class Wait(msgspec.Struct, frozen=True):
    """A waiting pod, the outcome of its scheduling attempt, and the names of its claims."""

    pod: Object
    outcome: Outcome
    claims: tuple[str, ...]


class BindingWaits:
    """The pods that wait for binding conditions, by key (NAMESPACE/NAME).

    The resource requests of a waiting pod already count on its node.
    """

    def __init__(
        self,
        view: DeviceView,
        states: NodeStates,
        now: Callable[[], float],
        *,
        names_claim_first: bool,
    ) -> None:
        self._view = view
        self._states = states
        self._now = now
        self._names_claim_first = names_claim_first
        self._waits: dict[str, Wait] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._waits

    def add(self, key: str, wait: Wait) -> None:
        self._waits[key] = wait
        self._states.pod_changed(None, _placed(wait))

    def take(self, key: str) -> Wait | None:
        """Removes the Wait of a pod and returns it; None if the pod does not wait."""
        wait = self._waits.pop(key, None)
        if wait is not None:
            self._states.pod_changed(_placed(wait), None)
        return wait

    def is_over(self, key: str) -> bool:
        """Whether the binding conditions of a pod's claims are all True.

        Raises BindingFailure if the binding conditions failed or timed out.
        """
        wait = self._waits[key]
        namespace = wait.pod["metadata"]["namespace"]
        claims = [self._view.claim(namespace, name) for name in wait.claims]
        return are_ready(
            [claim for claim in claims if claim is not None],
            self._now(),
            names_claim_first=self._names_claim_first,
        )

    def users_of(self, claim: Object) -> list[str]:
        """Returns the keys of the pods that wait for the binding conditions of a claim."""
        metadata = claim["metadata"]
        return [
            key
            for key, wait in self._waits.items()
            if wait.pod["metadata"]["namespace"] == metadata["namespace"] and metadata["name"] in wait.claims
        ]


def _placed(wait: Wait) -> Object:
    node = wait.outcome.node
    status = wait.pod["status"]
    claimed = wait.outcome.claims.node_claims.get(node)
    if claimed:
        status = {**status, FIELD: claimed}
    return {**wait.pod, "spec": {**wait.pod["spec"], "nodeName": node}, "status": status}
