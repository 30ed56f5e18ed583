"""Sets conditions in the statuses of objects.

Follows k8s.io/apimachinery `pkg/api/meta` (SetStatusCondition).
"""

from collections.abc import Iterable

from fakeapi.machinery.json_types import Object


def with_condition(conditions: Iterable[Object], new: Object) -> list[Object]:
    """Returns the conditions with `new` added at the end, or at the place of the condition of the same type.

    `new`: a condition whose lastTransitionTime is the current time. If the status of the condition does not
    change, the condition keeps its old lastTransitionTime.
    """
    changed = list(conditions)
    place = next((at for at, each in enumerate(changed) if each.get("type") == new["type"]), len(changed))
    old = changed[place] if place < len(changed) else {}
    if old.get("status") == new["status"]:
        new = {**new, "lastTransitionTime": old.get("lastTransitionTime")}
    changed[place : place + 1] = [new]
    return changed
