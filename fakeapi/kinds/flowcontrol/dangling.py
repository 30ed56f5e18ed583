"""The condition Dangling of FlowSchemas: whether the PriorityLevelConfiguration of each is missing.

Follows k8s.io/apiserver `pkg/util/flowcontrol/apf_controller.go`.
"""

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

DANGLING = "Dangling"
CONSUMER = "api-priority-and-fairness-config-consumer-v1"
"""The field manager of the condition."""


def dangling(schema: Object, now: str, *, exists: bool) -> Object:
    """Returns the condition Dangling of a FlowSchema.

    - `now`: the current time in RFC 3339.
    - `exists`: whether the PriorityLevelConfiguration of the FlowSchema exists.
    """
    end = "and it exists" if exists else "but there is no such object"
    level = quote(level_of(schema))
    return {
        "type": DANGLING,
        "status": "False" if exists else "True",
        "lastTransitionTime": now,
        "reason": "Found" if exists else "NotFound",
        "message": f"This FlowSchema references the PriorityLevelConfiguration object named {level} {end}",
    }


def level_of(schema: Object) -> str:
    """Returns the name of the PriorityLevelConfiguration of a FlowSchema."""
    name: str = schema["spec"]["priorityLevelConfiguration"]["name"]
    return name
