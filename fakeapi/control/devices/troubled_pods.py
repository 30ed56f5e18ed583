"""Finds the pods that crash, and the pods that are being deleted and wait for finalizers."""

from collections.abc import Iterable
from typing import NamedTuple

from fakeapi.control.devices.claim_states import PodView, is_pending, pod_view, waits_for
from fakeapi.control.devices.objects import Pod
from fakeapi.controllers.workloads.crashes import Crash, crash_of


class TroubledPods(NamedTuple):
    """Pods that are not pending and need attention. No pod is in both lists.

    - `crashing`: pods with a container that crashes. The message describes the crash.
    - `deleting`: pods that are being deleted and wait for finalizers. The message names the finalizers.
    """

    crashing: list[PodView]
    deleting: list[PodView]


def troubled_pods(pods: Iterable[Pod], now: float) -> TroubledPods:
    """Returns the pods that need attention, in the given order.

    `now`: the time in seconds since the epoch.
    """
    crashing, deleting = [], []
    for pod in pods:
        if is_pending(pod):
            continue
        if pod.metadata.deletion_timestamp:
            if pod.metadata.finalizers:
                deleting.append(_with(pod, "Finalizers", waits_for(pod.metadata.finalizers)))
        elif crash := crash_of_pod(pod, now):
            crashing.append(_with(pod, crash.reason, crash.text))
    return TroubledPods(crashing, deleting)


def crash_of_pod(pod: Pod, now: float) -> Crash | None:
    """Returns the crash of the first container of a pod that crashes; None without such a container."""
    has_failed = pod.status.phase == "Failed"
    for status in (*(pod.status.init_container_statuses or ()), *(pod.status.container_statuses or ())):
        crash = crash_of(
            status.name,
            status.state or {},
            status.last_state or {},
            status.restart_count,
            has_failed=has_failed,
            now=now,
        )
        if crash is not None:
            return crash
    return None


def _with(pod: Pod, reason: str, message: str) -> PodView:
    view = pod_view(pod)
    view.reason, view.message = reason, message
    return view
