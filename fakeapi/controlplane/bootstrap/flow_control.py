"""The default FlowSchemas and PriorityLevelConfigurations of API Priority and Fairness.

From k8s.io/apiserver `pkg/apis/flowcontrol/bootstrap`. The data tables of each release contain the objects.
FlowSchemas also have the condition Dangling: `fakeapi.kinds.flowcontrol.dangling`.
"""

from collections.abc import Iterator

from fakeapi.kinds.flowcontrol.dangling import CONSUMER, dangling
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

MANAGER = "api-priority-and-fairness-config-producer-v1"
_FIELDS = ("lastTransitionTime", "message", "reason", "status", "type")
_CONDITION: Object = {".": {}, **{f"f:{name}": {} for name in _FIELDS}}
_STATUS_MANAGED = {
    "manager": CONSUMER,
    "operation": "Apply",
    "fieldsV1": {"f:status": {"f:conditions": {'k:{"type":"Dangling"}': _CONDITION}}},
    "subresource": "status",
}


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields the default FlowSchemas or PriorityLevelConfigurations, the mandatory objects first."""
    for name, body in resource.release.all_kinds.tables.bootstrap(resource.kind.resource).items():
        if resource.kind.resource == "flowschemas":
            status: Object = {"conditions": [dangling(body, now, exists=True)]}
            yield BootstrapObject(name, body, status=status, manager=MANAGER, status_managed=_STATUS_MANAGED)
        else:
            yield BootstrapObject(name, body, manager=MANAGER)
