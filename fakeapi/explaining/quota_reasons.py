"""Explains that a ResourceQuota refuses the claim of a pod: its numbers, and the claims that use it."""

from collections.abc import Iterator

from fakeapi.admission.plugins.resource_quota.device_claims import OF_CLASS, devices_of
from fakeapi.controllers.pod_claims import owning_pod
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.exceeded_quota import (
    ExceededAmount,
    ExceededQuota,
    amount_now,
    exceeded_quota,
    is_exceeded,
)
from fakeapi.explaining.harms import deletion, pods_of
from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason, Reference, listed
from fakeapi.explaining.quota_retries import quota_allows_now
from fakeapi.explaining.selector_text import SUMMARY_LENGTH
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

EXCEEDED = "QuotaExceeded"
"""The code of the reason that a quota refuses a claim now."""

DELETIONS_OFFERED = 4
"""Maximum number of claims whose deletion is offered."""


def quota_reason(cluster: ClusterObjects, namespace: str, message: str) -> Reason | None:
    """Returns the reason that a ResourceQuota refuses a claim; None for another error.

    Uses the limit and the usage that the quota has now, not those of the error.

    `message`: the error of the API server, such as "… is forbidden: exceeded quota: …".
    """
    exceeded = exceeded_quota(message)
    if exceeded is None:
        return None
    quota = Reference("ResourceQuota", exceeded.name, namespace)
    now = _amounts_now(cluster, exceeded)
    amounts = [amount for amount in now if is_exceeded(amount)]
    if not amounts:
        return quota_allows_now(cluster, quota, now)
    reason: Reason | None = None
    for resource, requested, taken, limit, wanted in amounts:
        options = [
            f"{quota} allows {limit} {resource}, and {taken} are used",
            f"{quota} allows {limit} devices, and {taken} are used",
            f"{quota} refuses the claim",
        ]
        text = next((one for one in options if len(one) <= SUMMARY_LENGTH), options[-1])
        path = f"spec.hard[{resource}]"
        if reason is None:
            reason = Reason(EXCEEDED, text, object=quota, path=path)
        reason.details.append(f"{resource}: {limit} allowed, {taken} used, {requested} requested")
        raised = f"raise {path} of {quota} to {wanted} (now {limit})"
        reason.changes.append(Change(raised, "edit", [quota], path, value=wanted))
        if resource.endswith(OF_CLASS):
            _add_users(cluster, reason, namespace, resource, quantity.subtract(wanted, limit))
    return reason


def _amounts_now(cluster: ClusterObjects, exceeded: ExceededQuota) -> list[ExceededAmount]:
    """Returns the exceeded amounts with the quota's present limit and usage; [] if the quota is gone.

    Returns the amounts of the error if the quotas could not be read.
    """
    if cluster.quotas is None:
        return exceeded.amounts
    quota = cluster.quotas.get(exceeded.name)
    if quota is None:
        return []
    status = quota.get("status") or {}
    hard, used = status.get("hard") or quota["spec"].get("hard") or {}, status.get("used") or {}
    return [amount_now(amount, hard, used) for amount in exceeded.amounts]


def _add_users(cluster: ClusterObjects, reason: Reason, namespace: str, resource: str, missing: str) -> None:
    """Adds the claims that use a quota to a reason, with the change that deletes one of them.

    `missing`: the number of devices by which the new claim exceeds the quota.
    """
    users = [*_users(cluster, namespace, resource.removesuffix(OF_CLASS))]
    names = [f"{reference('ResourceClaim', claim)} ({count})" for claim, count in users]
    if names:
        reason.details.append(f"used by {listed(names, NAMES_SHOWN)}")
    reason.blame += [reference("ResourceClaim", claim) for claim, _ in users[:NAMES_SHOWN]]
    enough = [claim for claim, count in users if quantity.compare(str(count), missing) >= 0]
    for claim in enough[:DELETIONS_OFFERED]:
        owner, _ = owning_pod(claim)
        target = Reference("Pod", owner, namespace) if owner else reference("ResourceClaim", claim)
        reason.changes.append(deletion([target], pods_of(cluster, [target])))


def _users(cluster: ClusterObjects, namespace: str, class_name: str) -> Iterator[tuple[Object, int]]:
    """Yields the claims of a namespace for devices of a class, with the number that quotas charge."""
    for claim in cluster.of("resourceclaims"):
        count = devices_of(claim).get(class_name, 0)
        if count and claim["metadata"]["namespace"] == namespace:
            yield claim, count
