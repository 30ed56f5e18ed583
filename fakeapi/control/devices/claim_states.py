"""Derives the state of each claim and finds the pending pods, for the live page and `fakeapi top`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from fakeapi.control.devices.objects import Claim, Condition, Pod

RUNNING = ("Running", "Succeeded")
"""The phases of pods whose claims are prepared. A kubelet prepares claims before it starts containers."""


class ClaimState(StrEnum):
    """The state of a claim, from its creation to its deletion."""

    PENDING = "pending"
    ALLOCATED = "allocated"
    RESERVED = "reserved"
    PREPARED = "prepared"
    DELETING = "deleting"


class ClaimView(msgspec.Struct, rename="camel"):
    """A claim with its state.

    - `pods`: the names of the pods for which the claim is reserved. Without a reservation for a pod, the
      names of the pods that use the claim.
    - `devices`: the allocated devices as DRIVER/POOL/DEVICE.
    - `node`: the node of the pod that uses the claim; "" if no pod has a node.
    - `reason`: for a pending claim, the message of a failed condition of a pod that uses the claim. For a
      claim that is being deleted, its finalizers. "" if unknown.
    - `classes`: the names of the DeviceClasses of the claim's requests.
    - `cause`: for a claim that waits, the `cause` of its group in GET /waiting; "" for other claims.
    """

    namespace: str
    name: str
    resource_version: str
    state: ClaimState
    created: str
    pods: list[str]
    devices: list[str]
    node: str
    reason: str
    classes: list[str]
    cause: str = ""


class PodView(msgspec.Struct, rename="camel"):
    """A pod that does not run yet, or needs attention for another reason.

    - `claims`: the names of the pod's claims that exist.
    - `node`: the node of the pod; "" if the pod is not scheduled.
    - `reason` and `message`: of a pending pod, from the first condition with the status False and a message.
    """

    namespace: str
    name: str
    resource_version: str
    created: str
    claims: list[str]
    node: str
    reason: str
    message: str


Place = tuple[str, str]
"""A namespace and a name."""


def place_of(obj: Claim | Pod) -> Place:
    return obj.metadata.namespace, obj.metadata.name


def pods_by_claim(pods: Iterable[Pod]) -> dict[Place, list[Pod]]:
    """Groups pods by the claims that they use. The keys are the namespace and name of a claim."""
    users: dict[Place, list[Pod]] = defaultdict(list)
    for pod in pods:
        for claim in pod.claims:
            users[pod.metadata.namespace, claim].append(pod)
    return users


def claim_views(claims: Iterable[Claim], users: Mapping[Place, list[Pod]]) -> list[ClaimView]:
    """Returns each claim with its state. `users`: the pods of each claim, from `pods_by_claim`."""
    return [_claim_view(claim, users.get(place_of(claim), [])) for claim in claims]


def state_of(claim: Claim, users: Iterable[Pod]) -> ClaimState:
    """Returns the state of a claim. `users`: the pods that use the claim.

    A reserved claim is prepared if a pod in `reservedFor` runs or has succeeded, or if a driver has written
    the claim's `status.devices`.
    """
    if claim.metadata.deletion_timestamp:
        return ClaimState.DELETING
    if claim.status.allocation is None:
        return ClaimState.PENDING
    if not claim.status.reserved_for:
        return ClaimState.ALLOCATED
    pods = set(claim.pods)
    runs = any(pod.status.phase in RUNNING and pod.metadata.name in pods for pod in users)
    return ClaimState.PREPARED if runs or claim.status.devices else ClaimState.RESERVED


def waits_alone(claim: Claim, *, is_used: bool) -> bool:
    """Whether a claim waits for a reason of its own, so that no pending pod shows the reason.

    `is_used`: whether a pod uses the claim.
    """
    if claim.metadata.deletion_timestamp:
        return True
    return claim.status.allocation is None and not is_used and not claim.pods


def pending_pods(pods: Iterable[Pod]) -> list[PodView]:
    """Returns the pods with the phase Pending, in the given order."""
    return [pod_view(pod) for pod in pods if is_pending(pod)]


def count_pending(pods: Iterable[Pod]) -> int:
    """Returns the number of pods with the phase Pending."""
    return sum(is_pending(pod) for pod in pods)


def is_pending(pod: Pod) -> bool:
    """Whether the phase of a pod is Pending."""
    return pod.status.phase in ("", "Pending")


def _claim_view(claim: Claim, users: list[Pod]) -> ClaimView:
    state = state_of(claim, users)
    pods = claim.pods or [pod.metadata.name for pod in users]
    return ClaimView(
        claim.metadata.namespace,
        claim.metadata.name,
        claim.metadata.resource_version,
        state,
        claim.metadata.creation_timestamp or "",
        pods,
        [f"{result.driver}/{result.pool}/{result.device}" for result in claim.results],
        next((pod.spec.node_name for pod in users if pod.spec.node_name), ""),
        _reason(claim, state, users),
        sorted({name for each in claim.spec.devices.requests or () for name in each.classes}),
    )


def _reason(claim: Claim, state: ClaimState, users: list[Pod]) -> str:
    if state is ClaimState.PENDING:
        return next(filter(None, (_failed_condition(pod).message for pod in users)), "")
    return waits_for(claim.metadata.finalizers or []) if state is ClaimState.DELETING else ""


def waits_for(finalizers: list[str]) -> str:
    """Returns a text about the finalizers of an object that is being deleted; "" without finalizers."""
    noun = "finalizer" if len(finalizers) == 1 else "finalizers"
    return f"waits for {noun} {', '.join(finalizers)}" if finalizers else ""


def pod_view(pod: Pod) -> PodView:
    """Returns a pod with the reason and the message of its first failed condition."""
    failed = _failed_condition(pod)
    return PodView(
        pod.metadata.namespace,
        pod.metadata.name,
        pod.metadata.resource_version,
        pod.metadata.creation_timestamp or "",
        pod.claims,
        pod.spec.node_name or "",
        failed.reason,
        failed.message,
    )


def _failed_condition(pod: Pod) -> Condition:
    """Returns the first condition of a pod with the status False and a message.

    Returns an empty condition if the pod has no such condition.
    """
    failed = (each for each in pod.status.conditions or () if each.status == "False" and each.message)
    return next(failed, Condition())
