"""Groups the pods and claims that wait, by what they probably wait for."""

from collections.abc import Iterable
from hashlib import blake2b

import msgspec

from fakeapi.control.devices.claim_states import (
    ClaimState,
    ClaimView,
    Place,
    PodView,
    claim_views,
    pending_pods,
    place_of,
    pods_by_claim,
    waits_alone,
)
from fakeapi.control.devices.natural_order import Key, natural_key
from fakeapi.control.devices.objects import Claim, Pod, Request
from fakeapi.control.devices.troubled_pods import TroubledPods
from fakeapi.control.devices.workloads import WorkloadView
from fakeapi.machinery.lazy_pattern import lazy_pattern

_NUMBER = lazy_pattern(r"(?<![^\s(])\d+(?:/\d+)?(?=\s)")
_RESTARTS = lazy_pattern(r", [\d#]+ restarts?\b")
_VARIES = lazy_pattern(r'"[^"]*"|\d+')
_ORDER = ("pod", "crashing", "workload", "claim", "deletingPod", "deleting")


class WaitingGroup(msgspec.Struct, rename="camel"):
    """Pods, claims or workloads that probably wait for the same reason.

    They ask for the same devices, and they have the same message, except for numbers and for their own
    names.

    - `cause`: identifies the group. It stays the same while the message and the requests stay the same.
    - `kind`: `pod` for pending pods, `crashing` for pods that crash, `workload` for workloads that lack pods,
      `claim` for claims that no pod uses, `deletingPod` for pods that are being deleted and wait for
      finalizers, or `deleting` for claims that are being deleted.
    - `number`: the number of pods, claims or workloads in the group.
    - `classes`: the names of the DeviceClasses in their requests.
    - `without_kubelet`: the number of its pods on nodes without a kubelet of this server.
    - `pods`, `claims` and `workloads`: some of them, in the natural order of their names.
    """

    cause: str
    kind: str
    number: int = 0
    classes: list[str] = []
    pods: list[PodView] = []
    claims: list[ClaimView] = []
    workloads: list[WorkloadView] = []
    without_kubelet: int = 0

    def keep_first(self, limit: int) -> None:
        """Sorts the pods, claims and workloads by name, and keeps the first `limit` of each."""
        self.pods = sorted(self.pods, key=_by_name)[:limit]
        self.claims = sorted(self.claims, key=_by_name)[:limit]
        self.workloads = sorted(self.workloads, key=_by_name)[:limit]


class Waiting:
    """The pods and claims of a cluster that wait.

    - `views`: all claims, also those that do not wait.
    - `pods`: the pending pods.
    - `claims`: the claims that no pod uses and that have no devices, and the claims that are being deleted.
    """

    def __init__(self, claims: Iterable[Claim], pods: Iterable[Pod]) -> None:
        claims, pods = [*claims], [*pods]
        users = pods_by_claim(pods)
        self.views = claim_views(claims, users)
        self.pods = pending_pods(pods)
        self.claims = [
            view
            for claim, view in zip(claims, self.views, strict=True)
            if waits_alone(claim, is_used=bool(view.pods))
        ]
        self._claims = {place_of(claim): claim for claim in claims}
        self._states = {(view.namespace, view.name): view.state for view in self.views}
        self._pods = {(view.namespace, view.name): view for view in self.pods}
        self._users = {claim: [place_of(pod) for pod in using] for claim, using in users.items()}

    def cause_of_pod(self, pod: PodView) -> str:
        """Returns the `cause` of the group of a pending pod."""
        places = [(pod.namespace, name) for name in pod.claims]
        claims = [[self._states.get(place, ""), self._requests(place)] for place in places]
        return _id("pod", bool(pod.node), pod.reason, _without_names(pod), claims)

    def cause_of_claim(self, claim: ClaimView) -> str:
        """Returns the `cause` of a claim. Claims whose pods wait for the same reason have the same cause.

        Returns "" for a claim that does not wait.
        """
        place = claim.namespace, claim.name
        if claim.state is ClaimState.DELETING:
            return _id("deleting", claim.reason)
        if claim.state is not ClaimState.PENDING:
            return ""
        pods = (self._pods[user] for user in self._users.get(place, ()) if user in self._pods)
        pod = next(pods, None)
        return _id("claim", self._requests(place), pod and self.cause_of_pod(pod))

    def _requests(self, place: Place) -> list[Request] | None:
        claim = self._claims.get(place)
        return None if claim is None else claim.spec.devices.requests

    def classes_of(self, pod: PodView) -> list[str]:
        """Returns the names of the DeviceClasses in the requests of a pod's claims."""
        claims = [self._claims.get((pod.namespace, name)) for name in pod.claims]
        requests = [
            each for claim in claims if claim is not None for each in claim.spec.devices.requests or ()
        ]
        return sorted({name for request in requests for name in request.classes})


def groups_of(waiting: Waiting, pods: Iterable[PodView], claims: Iterable[ClaimView]) -> list[WaitingGroup]:
    """Groups pending pods and claims by their cause.

    - `pods` and `claims`: some of the pods and claims of `waiting`.
    """
    groups: dict[str, WaitingGroup] = {}
    for pod in pods:
        cause = waiting.cause_of_pod(pod)
        if cause not in groups:
            groups[cause] = WaitingGroup(cause, "pod", classes=waiting.classes_of(pod))
        groups[cause].pods.append(pod)
    for claim in claims:
        kind = "deleting" if claim.state is ClaimState.DELETING else "claim"
        cause = waiting.cause_of_claim(claim)
        group = groups.setdefault(cause, WaitingGroup(cause, kind, classes=claim.classes))
        group.claims.append(claim)
    return [*groups.values()]


def groups_of_troubled(pods: TroubledPods, workloads: Iterable[WorkloadView]) -> list[WaitingGroup]:
    """Groups pods that are not pending, and workloads, by their messages."""
    groups: dict[str, WaitingGroup] = {}
    for kind, views in (("crashing", pods.crashing), ("deletingPod", pods.deleting)):
        for pod in views:
            cause = _id(kind, _RESTARTS.sub("", _without_names(pod)))
            groups.setdefault(cause, WaitingGroup(cause, kind)).pods.append(pod)
    for workload in workloads:
        cause = _id("workload", workload.kind, workload.namespace, _VARIES.sub("", workload.message))
        groups.setdefault(cause, WaitingGroup(cause, "workload")).workloads.append(workload)
    return [*groups.values()]


def in_order(groups: Iterable[WaitingGroup]) -> list[WaitingGroup]:
    """Counts the members of each group, and sorts the groups.

    Groups of pending pods come first, then pods that crash, workloads, claims that no pod uses, and pods and
    claims that are being deleted. The largest groups of each kind come first.
    """
    ordered = [*groups]
    for group in ordered:
        group.number = len(group.pods) + len(group.claims) + len(group.workloads)
    return sorted(ordered, key=lambda group: (_ORDER.index(group.kind), -group.number))


def _by_name(view: PodView | ClaimView | WorkloadView) -> tuple[str, Key]:
    return view.namespace, natural_key(view.name)


def _without_names(pod: PodView) -> str:
    """Returns a pod's message without numbers, and without the quoted names of the pod and its claims."""
    message = _NUMBER.sub("#", pod.message)
    for name in (pod.name, *pod.claims) if '"' in message else ():
        for quoted in (f'"{name}"', f'"{pod.namespace}/{name}"'):
            message = message.replace(quoted, '""')
    return message


def _id(*parts: object) -> str:
    return blake2b(msgspec.json.encode(parts), digest_size=8).hexdigest()
