"""FlowSchemaController: writes the condition Dangling of FlowSchemas.

In Kubernetes, kube-apiserver does this, with at most six writes a minute for each FlowSchema. Follows
k8s.io/apiserver `pkg/util/flowcontrol/apf_controller.go`.
"""

from typing import Any

from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer
from fakeapi.kinds.flowcontrol.dangling import CONSUMER, DANGLING, dangling, level_of
from fakeapi.kinds.flowcontrol.strategy import GROUP
from fakeapi.machinery.json_types import Object


class FlowSchemaController(Controller):
    name = "flowschema"

    async def start(self) -> None:
        schemas = self.context.resource(GROUP, "flowschemas")
        levels = self.context.resource(GROUP, "prioritylevelconfigurations")
        assert schemas is not None, "a FlowSchema exists"
        assert levels is not None, "served with FlowSchemas"
        self._api = self.context.api("kube-apiserver")
        self._levels: Informer = self.context.informer(levels)
        self._schemas: Informer = self.context.informer(schemas)
        self._levels.on_change(self._level_changed)
        self._schemas.on_change(self._schema_changed)

    def _schema_changed(self, old: Object | None, new: Object | None) -> None:
        if new is not None:
            self.context.add(new["metadata"]["name"])

    def _level_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the FlowSchemas of a PriorityLevelConfiguration that was created or deleted."""
        level = old if new is None else new
        if level is None or (old is not None and new is not None):
            return
        for name, schema in self._schemas.objects.items():
            if level_of(schema) == level["metadata"]["name"]:
                self.context.add(name)

    async def reconcile(self, key: Any) -> None:
        schema = self._schemas.objects.get(key)
        if schema is None:
            return
        condition = dangling(schema, self.context.now(), exists=level_of(schema) in self._levels.objects)
        if any(_is_same(each, condition) for each in (schema.get("status") or {}).get("conditions") or ()):
            return
        resource = self._schemas.resource
        body = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": key},
            "status": {"conditions": [condition]},
        }
        path = f"{resource.path_of(schema)}/status"
        await self._api.patch(path, body, "apply", fieldManager=CONSUMER, force="true")


def _is_same(stored: Object, condition: Object) -> bool:
    """Whether a stored condition equals the condition Dangling, except for the time."""
    return stored.get("type") == DANGLING and all(
        stored.get(name) == condition[name] for name in ("status", "reason", "message")
    )
