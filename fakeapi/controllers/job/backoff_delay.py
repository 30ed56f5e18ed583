"""Delays before a Job replaces failed pods.

Follows k8s.io/kubernetes `pkg/controller/job/backoff_utils.go`.
"""

from typing import NamedTuple

from fakeapi.controllers.workloads.pods import condition, seconds_of
from fakeapi.machinery.json_types import Object

DELAY_SECONDS = 10.0
"""Delay in seconds before a Job replaces its first failed pod. The delay doubles with each failure."""
DELAY_SECONDS_MAX = 600.0


class Backoff(NamedTuple):
    """The number of failures of a Job since its last success, and the time of the last failure."""

    failures: int = 0
    last: float = 0.0

    def after(self, succeeded: list[Object], failed: list[Object]) -> "Backoff":
        """Returns the Backoff after further pods have ended. `succeeded`, `failed`: these pods."""
        if not succeeded and not failed:
            return self
        times = sorted(map(finished_at, failed))
        if not succeeded:
            return Backoff(self.failures + len(failed), times[-1])
        success = max(map(finished_at, succeeded))
        later = [time for time in times if time > success]
        return Backoff(len(later), later[-1]) if later else Backoff()

    def remaining(self, now: float) -> float:
        """Returns the seconds until a failed pod may be replaced; 0.0 if it may be replaced now."""
        if not self.failures:
            return 0.0
        delay = min(DELAY_SECONDS * 2.0 ** min(self.failures - 1, 60), DELAY_SECONDS_MAX)
        return max(delay - (now - self.last), 0.0)


def finished_at(pod: Object) -> float:
    """Returns the end of a pod in seconds since the epoch.

    Uses the first available time of: the end of the last container, the condition Ready, the deletion, the
    creation.
    """
    status, metadata = pod.get("status") or {}, pod["metadata"]
    sidecars = {
        each["name"]
        for each in pod["spec"].get("initContainers") or ()
        if each.get("restartPolicy") == "Always"
    }
    containers = list(status.get("containerStatuses") or ())
    containers += [each for each in status.get("initContainerStatuses") or () if each["name"] in sidecars]
    ends = [((each.get("state") or {}).get("terminated") or {}).get("finishedAt") for each in containers]
    if ends and all(ends):
        return max(map(seconds_of, ends))
    ready = condition(pod, "Ready")
    if ready is not None and ready["status"] == "False" and ready.get("lastTransitionTime"):
        return seconds_of(ready["lastTransitionTime"])
    if "deletionTimestamp" in metadata:
        grace: float = metadata.get("deletionGracePeriodSeconds") or 0
        return seconds_of(metadata["deletionTimestamp"]) - grace
    return seconds_of(metadata["creationTimestamp"])
