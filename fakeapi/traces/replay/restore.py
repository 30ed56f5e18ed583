"""Creates the namespaces and objects on a replay target that existed before the trace.

Uses only the API. Creates an object, and then sets the object's status and managed fields. Finally deletes
the object if it had a deletionTimestamp. Clients cannot set the uid (which an IdentityMap translates) and
`metadata.generation`.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from fakeapi.clients.http import HttpClient, UnsendableRequest
from fakeapi.clients.messages import Headers, Response
from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.json_types import Object
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.analysis.initial_state import InitialObject, of_served
from fakeapi.traces.analysis.plan import ReplayPlan
from fakeapi.traces.analysis.resource_path import NAMESPACES, ResourcePath
from fakeapi.traces.comparing.differences import show
from fakeapi.traces.comparing.values import CompareOptions, compare_values
from fakeapi.traces.reporting.results import RestoredObject

USER_AGENT = "fakeapi-replay"
_HEADERS: Headers = (
    ("content-type", "application/json"),
    ("accept", "application/json"),
    ("user-agent", USER_AGENT),
)
_OF_THE_SERVER = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "selfLink",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
)


class InitialStateRestorer:
    """Creates the objects on a replay target that existed before the trace.

    Its methods raise TargetError if the target does not respond.
    """

    def __init__(self, client: HttpClient, identities: IdentityMap, served: Iterable[str]) -> None:
        self._client = client
        self._identities = identities
        self._served = frozenset(served)
        self._late: dict[int, list[InitialObject]] = {}

    async def restore(self, plan: ReplayPlan) -> list[RestoredObject]:
        """Creates the namespaces and initial objects of a plan. Returns one result for each object.

        Also returns a result for each partial object, which cannot be created. Leaves out objects that must
        not exist at the start of the replay; `restore_late` creates these objects.
        """
        created = await self.make_namespaces(plan.namespaces)
        for initial in of_served(plan.initial_objects, self._served):
            if initial.before >= 0:
                self._late.setdefault(initial.before, []).append(initial)
            else:
                created.append(await self.make(initial))
        for key, how in plan.partial_objects.items():
            group, resource, namespace, name = key
            label = str(ResourcePath(group, "", resource, namespace, name))
            problem = "the trace shows its metadata alone"
            created.append(RestoredObject(label, how, exact=False, problem=problem))
        return created

    async def restore_late(self, place: int) -> list[RestoredObject]:
        """Creates the initial objects that must exist before an exchange, but not at the start of the replay.

        `place`: the index of the exchange in the trace.
        """
        return [await self.make(initial) for initial in self._late.pop(place, ())]

    async def make_namespaces(self, names: dict[str, str]) -> list[RestoredObject]:
        """Creates the namespaces that do not exist on the replay target.

        `names`: the names of namespaces, each with the "file:line" of its first use.
        """
        if f"/api/v1/{NAMESPACES}" not in self._served:
            return []
        created = []
        for name, place in names.items():
            if (await self._ask("GET", f"/api/v1/{NAMESPACES}/{name}")).status != 404:
                continue
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            answer = await self._ask("POST", f"/api/v1/{NAMESPACES}", body)
            evidence = f"first used at {place}"
            created.append(RestoredObject(f"namespaces {name}", evidence, problem=_problem(answer)))
        return created

    async def make(self, initial: InitialObject) -> RestoredObject:
        """Creates an initial object. Does not change an existing object with the same name."""
        where = initial.path
        obj: Object = decode(self._identities.forward(encode(initial.body)))
        path = f"{where.collection}/{where.name}"
        answer = await self._ask("POST", where.collection, _new(obj))
        label = str(where)
        if answer.status >= 300:
            # A conflict, or an object that the server owns: a second Service cannot have its cluster IP.
            present = await self._ask("GET", path)
            if present.status < 300:
                self._learn(initial, present)
                how = f"{initial.how}; the target had it already"
                if initial.exact and not self._is_equal(initial, present):
                    how += ", with other fields"
                return RestoredObject(label, how, initial.exact)
            return RestoredObject(label, initial.how, initial.exact, _problem(answer))
        answer = await self._complete(where, path, obj, answer)
        self._learn(initial, answer)
        return RestoredObject(label, initial.how, initial.exact, _problem(answer))

    def _is_equal(self, initial: InitialObject, present: Response) -> bool:
        """Whether an object on the target has the recorded fields. Call it after `_learn`.

        Identities and times of the server are not compared. `present`: the response with the object.
        """
        identities = self._identities
        differences = compare_values(
            deepcopy(initial.body),
            _decoded(present),
            lambda: decode(identities.backward(present.body)),
            identities,
            CompareOptions(),
        )
        return not differences

    async def _complete(self, where: ResourcePath, path: str, wanted: Object, answer: Response) -> Response:
        """Sets the status and the managed fields of a created object.

        Then deletes the object if the wanted object has a deletionTimestamp. Returns the last response, or
        the error response if the status cannot be set. Ignores an error response to the managed fields.
        """
        version = f"{where.group_version}/{where.resource}"
        if wanted.get("status") and f"{version}/status" in self._served:
            answer = await self._ask(
                "PUT", f"{path}/status", {**_new(wanted), **_current(answer), "status": wanted["status"]}
            )
            if answer.status >= 300:
                return answer
        managed = wanted["metadata"].get("managedFields")
        if managed:
            body = _decoded(answer)
            body["metadata"] = {**body.get("metadata", {}), "managedFields": managed}
            owned = await self._ask("PUT", path, body)
            answer = owned if owned.status < 300 else answer
        if wanted["metadata"].get("deletionTimestamp"):
            answer = await self._ask("DELETE", path)
        return answer

    def _learn(self, initial: InitialObject, answer: Response) -> None:
        metadata = _decoded(answer).get("metadata")
        if isinstance(metadata, dict) and answer.status < 300:
            recorded = {**initial.body["metadata"], "resourceVersion": initial.version}
            self._identities.learn_metadata(recorded, metadata)

    async def _ask(self, method: str, target: str, body: Object | None = None) -> Response:
        """Sends a request. Returns a response 400 if the request is not valid HTTP, as with invalid names."""
        data = b"" if body is None else encode(body)
        try:
            return await self._client.send(method, target, _HEADERS if data else _HEADERS[1:], data)
        except UnsendableRequest as error:
            return Response(400, (), encode({"message": str(error)}))


def _new(wanted: Object) -> Object:
    """Returns a copy of an object without its status and without the metadata that the server sets."""
    body = {key: deepcopy(value) for key, value in wanted.items() if key != "status"}
    for name in _OF_THE_SERVER:
        body["metadata"].pop(name, None)
    return body


def _current(answer: Response) -> Object:
    return {"metadata": _decoded(answer).get("metadata", {})}


def _decoded(answer: Response) -> dict[str, Any]:
    try:
        value = decode(answer.body)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _problem(answer: Response) -> str:
    if answer.status < 300:
        return ""
    message = _decoded(answer).get("message", "")
    return f"{answer.status} {show(message)}"
