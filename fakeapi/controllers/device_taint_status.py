"""Builds the condition EvictionInProgress in the status of a DeviceTaintRule, since 1.35."""

import msgspec

from fakeapi.machinery.json_types import Object

CONDITION = "EvictionInProgress"
_SIMULATED = (
    "if the effect was NoExecute. This information will not be updated again. "
    "Recreate the DeviceTaintRule to trigger an update."
)


class Counts(msgspec.Struct, frozen=True):
    """The numbers of devices and pods that a DeviceTaintRule affects.

    - `published` and `allocated`: the selected devices in ResourceSlices, and in claims.
    - `pods` and `namespaces`: the pods to evict, and the namespaces of these pods.
    - `evicted`: the pods that the controller has evicted since its start.
    """

    published: int
    allocated: int
    pods: int
    namespaces: int
    evicted: int

    def condition(self, rule: Object) -> Object:
        """Returns the condition EvictionInProgress, without lastTransitionTime and observedGeneration."""
        effect = rule["spec"]["taint"].get("effect", "")
        status, message = "False", ""
        if effect == "NoExecute" and self.pods:
            status, reason = "True", "PodsPendingEviction"
            needs = "pod needs" if self.pods == 1 else "pods need"
            message = f"{self.pods} {needs} to be evicted in {self._namespaces()}."
        elif effect == "NoExecute":
            reason = "Completed" if self.evicted else "NotStarted"
        elif effect == "None":
            reason = "NoEffect"
            message = (
                f"{_counted(self.published, 'published device')} selected. "
                f"{_counted(self.allocated, 'allocated device')} selected. "
                f"{_counted(self.pods, 'pod')} would be evicted in {self._namespaces()} {_SIMULATED}"
            )
        else:
            reason, message = "OtherEffect", "Eviction only happens for the NoExecute effect."
        if self.evicted:
            done = f"{_counted(self.evicted, 'pod')} evicted since starting the controller."
            message = f"{message} {done}".strip()
        return {"type": CONDITION, "status": status, "reason": reason, "message": message}

    def _namespaces(self) -> str:
        return "1 namespace" if self.namespaces == 1 else f"{self.namespaces} different namespaces"


def condition_of(rule: Object) -> Object | None:
    """Returns the condition EvictionInProgress of a DeviceTaintRule; None without this condition."""
    conditions = (rule.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == CONDITION), None)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
