"""The default FlowSchemas and PriorityLevelConfigurations of API Priority and Fairness.

From k8s.io/apiserver `pkg/apis/flowcontrol/bootstrap`. The data tables of each release contain the objects.
FlowSchemas also have the condition Dangling, which upstream's `pkg/util/flowcontrol` sets.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

MANAGER = "api-priority-and-fairness-config-producer-v1"
_FIELDS = ("lastTransitionTime", "message", "reason", "status", "type")
_CONDITION: Object = {".": {}, **{f"f:{name}": {} for name in _FIELDS}}
_STATUS_MANAGED = {
    "manager": "api-priority-and-fairness-config-consumer-v1",
    "operation": "Apply",
    "fieldsV1": {"f:status": {"f:conditions": {'k:{"type":"Dangling"}': _CONDITION}}},
    "subresource": "status",
}


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields the default FlowSchemas or PriorityLevelConfigurations, the mandatory objects first."""
    for name, body in resource.release.all_kinds.tables.bootstrap(resource.kind.resource).items():
        if resource.kind.resource == "flowschemas":
            status = _status(body, now)
            yield BootstrapObject(name, body, status=status, manager=MANAGER, status_managed=_STATUS_MANAGED)
        else:
            yield BootstrapObject(name, body, manager=MANAGER)


def _status(body: dict[str, Any], now: str) -> Object:
    """Returns the status of a FlowSchema whose PriorityLevelConfiguration exists.

    - `body`: the FlowSchema.
    - `now`: the current time in RFC 3339.
    """
    level = quote(body["spec"]["priorityLevelConfiguration"]["name"])
    message = f"This FlowSchema references the PriorityLevelConfiguration object named {level} and it exists"
    condition = {
        "type": "Dangling",
        "status": "False",
        "lastTransitionTime": now,
        "reason": "Found",
        "message": message,
    }
    return {"conditions": [condition]}
