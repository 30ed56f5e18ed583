"""Sets the condition Dangling of FlowSchemas: whether the PriorityLevelConfiguration of each is missing.

Follows k8s.io/apiserver `pkg/util/flowcontrol/apf_controller.go`. kube-apiserver writes the condition of a
FlowSchema at most six times a minute. Here the number is not limited.
"""

from fakeapi.kinds.flowcontrol.strategy import GROUP
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import AfterHooks, Write
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.applying import apply

DANGLING = "Dangling"
CONSUMER = "api-priority-and-fairness-config-consumer-v1"
"""The field manager of the condition."""

_SCHEMAS, _LEVELS = "flowschemas", "prioritylevelconfigurations"
_VERSIONS = ("v1", "v1beta3")
"""The API versions in which the server writes the status; the first that the release serves."""


class FlowSchemaHooks(AfterHooks):
    """Sets the condition after each write of a FlowSchema, also after a client removed the condition."""

    async def after(self, server: Server, write: Write) -> None:
        if write.new is not None:
            await _update(server, write.new)


class PriorityLevelHooks(AfterHooks):
    """Sets the condition of FlowSchemas after their PriorityLevelConfiguration is created or deleted."""

    async def after(self, server: Server, write: Write) -> None:
        if write.old is not None and write.new is not None:
            return
        for schema in list(server.objects.list(GROUP, _SCHEMAS)):
            if _level_of(schema) == write.target.name:
                await _update(server, schema)


def dangling(schema: Object, now: str, *, exists: bool) -> Object:
    """Returns the condition Dangling of a FlowSchema.

    - `now`: the current time in RFC 3339.
    - `exists`: whether the PriorityLevelConfiguration of the FlowSchema exists.
    """
    end = "and it exists" if exists else "but there is no such object"
    level = quote(_level_of(schema))
    return {
        "type": DANGLING,
        "status": "False" if exists else "True",
        "lastTransitionTime": now,
        "reason": "Found" if exists else "NotFound",
        "message": f"This FlowSchema references the PriorityLevelConfiguration object named {level} {end}",
    }


def _level_of(schema: Object) -> str:
    name: str = schema["spec"]["priorityLevelConfiguration"]["name"]
    return name


async def _update(server: Server, schema: Object) -> None:
    """Applies the condition of a FlowSchema if the stored condition differs in more than its time.

    Does nothing if the FlowSchema is deleted meanwhile. Raises ApiError if the write fails.
    """
    exists = server.objects.get(GROUP, _LEVELS, "", _level_of(schema)) is not None
    condition = dangling(schema, server.store.now(), exists=exists)
    stored = schema.get("status", {}).get("conditions") or ()
    if any({**each, "lastTransitionTime": condition["lastTransitionTime"]} == condition for each in stored):
        return
    name, resource = schema["metadata"]["name"], _schemas(server)
    body = {
        "apiVersion": resource.kind.api_version,
        "kind": resource.kind.kind,
        "metadata": {"name": name},
        "status": {"conditions": [condition]},
    }
    target = ObjectReference(name=name, subresource="status")
    options = WriteOptions(manager=CONSUMER, force=True, patches=True)
    try:
        await apply(WriteRequest(server, resource, target, options), codec.encode(body))
    except ApiError as error:
        if error.code != 404:
            raise


def _schemas(server: Server) -> Resource:
    resources = (server.find(GROUP, version, _SCHEMAS) for version in _VERSIONS)
    return next(resource for resource in resources if resource is not None)
