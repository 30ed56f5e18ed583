"""Makes what a trace takes for granted: namespaces, and objects that are touched before they are created.

Through the API alone: created, then given their status, then their managed fields, then, where they were
being deleted, deleted. What cannot be made so is their uid (which is translated) and `metadata.generation`.
"""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.json_types import Object
from fakeapi.traces.client.http import HttpClient
from fakeapi.traces.comparing.responses import show
from fakeapi.traces.model import Headers, Response
from fakeapi.traces.replay.addresses import NAMESPACES, Address
from fakeapi.traces.replay.identity_map import Identities
from fakeapi.traces.replay.initial_state import Seed

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


@dataclass(frozen=True, slots=True)
class Seeded:
    """One thing that was made before, and what told of it; `problem` says why it could not be made."""

    what: str
    how: str
    exact: bool = True
    problem: str = ""

    def __str__(self) -> str:
        text = f"{self.what}: {self.how}" + ("" if self.exact else "; its state before that is inferred")
        return f"{text}; could not be made: {self.problem}" if self.problem else text


class Seeder:
    """Makes seeds on one server. Raises TargetError where it does not answer."""

    def __init__(self, client: HttpClient, identities: Identities, served: Iterable[str]) -> None:
        self._client = client
        self._identities = identities
        self._served = set(served)

    async def make_namespaces(self, names: dict[str, str]) -> list[Seeded]:
        """Those that are not there; `names` says where in the trace each is first seen."""
        if f"/api/v1/{NAMESPACES}" not in self._served:
            return []
        made = []
        for name, place in names.items():
            if (await self._ask("GET", f"/api/v1/{NAMESPACES}/{name}")).status != 404:
                continue
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            answer = await self._ask("POST", f"/api/v1/{NAMESPACES}", body)
            how = f"first used at {place}"
            made.append(Seeded(f"namespaces {name}", how, problem=_problem(answer)))
        return made

    async def make(self, seed: Seed) -> Seeded:
        """One object; an object of that name that is there already is taken as it is."""
        address = seed.address
        wanted: Object = decode(self._identities.forward(encode(seed.body)))
        path = f"{address.collection}/{address.name}"
        answer = await self._ask("POST", address.collection, _new(wanted))
        what = str(address)
        if answer.status == 409:
            answer = await self._ask("GET", path)
            self._learn(seed, answer)
            return Seeded(what, f"{seed.how}; the server had it already", exact=False)
        if answer.status < 300:
            answer = await self._complete(address, path, wanted, answer)
            self._learn(seed, answer)
        return Seeded(what, seed.how, seed.exact, _problem(answer))

    async def _complete(self, address: Address, path: str, wanted: Object, answer: Response) -> Response:
        """What a create leaves out; the answer that tells the last state, or the first refusal."""
        version = f"{address.root}/{address.resource}"
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

    def _learn(self, seed: Seed, answer: Response) -> None:
        metadata = _decoded(answer).get("metadata")
        if isinstance(metadata, dict) and answer.status < 300:
            recorded = {**seed.body["metadata"], "resourceVersion": seed.version}
            self._identities.learn_metadata(recorded, metadata)

    async def _ask(self, method: str, target: str, body: Object | None = None) -> Response:
        data = b"" if body is None else encode(body)
        return await self._client.send(method, target, _HEADERS if data else _HEADERS[1:], data)


def _new(wanted: Object) -> Object:
    """An object as it is created: without what only the server gives."""
    body = {key: deepcopy(value) for key, value in wanted.items() if key != "status"}
    for name in _OF_THE_SERVER:
        body["metadata"].pop(name, None)
    return body


def _current(answer: Response) -> Object:
    return {"metadata": _decoded(answer).get("metadata", {})}


def _decoded(answer: Response) -> dict[str, Any]:
    try:
        found = decode(answer.body)
    except JsonError:
        return {}
    return found if isinstance(found, dict) else {}


def _problem(answer: Response) -> str:
    if answer.status < 300:
        return ""
    message = _decoded(answer).get("message", "")
    return f"{answer.status} {show(message)}"
