"""Reads the objects to explain from any cluster, with GET requests. Never reads Secrets."""

from collections.abc import Mapping
from dataclasses import dataclass

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import object_path
from fakeapi.clients.shapes import Page, checked
from fakeapi.clients.target import TargetError
from fakeapi.clients.verbs import Reader
from fakeapi.explaining.cluster_objects import GROUP, KINDS, ClusterObjects, event_targets
from fakeapi.explaining.exceeded_quota import names_quota
from fakeapi.explaining.model import Reference
from fakeapi.explaining.stored_objects import EVENTS_MAX, time_of
from fakeapi.kinds import definition_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Serving, served
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.rules import rules_of

AGENT = "fakeapi-explain"
PAGE_OBJECTS = 500
"""Number of objects in one page of a list request."""

OBJECTS_MAX = 200_000
"""Maximum number of objects of one resource; more raise TargetError."""

_NEEDED = frozenset(("pods", "nodes", "resourceclaims"))
"""Resources that every explanation needs. Other resources may be unreadable; a note then names them."""

_ALL_VERSIONS = "api/all=true"


@dataclass(eq=False, slots=True)
class _Reading:
    """Reads the objects of a cluster.

    `versions`: the served version of each resource of resource.k8s.io, by plural.
    """

    api: Reader
    serving: Serving
    versions: Mapping[str, str]
    notes: list[str]

    def resource(self, plural: str) -> Resource | None:
        """Returns the Resource that converts objects; None if the cluster does not serve it."""
        group = KINDS[plural][0]
        version = self.versions.get(plural) if group else "v1"
        for served_version in self.serving.versions:
            if (served_version.group, served_version.version) != (group, version):
                continue
            for kind in served_version.kinds:
                if kind.resource == plural:
                    return Resource(kind, served_version.release, definition_of, _CONTEXT)
        return None

    async def objects(self, plural: str) -> list[Object]:
        """Returns all objects of a resource, in the internal version, sorted by namespace and name.

        Returns [] if the cluster does not serve the resource. Adds a note and returns [] if a resource that
        is not in _NEEDED cannot be read.
        """
        resource = self.resource(plural)
        if resource is None:
            return []
        kind = resource.kind
        path = object_path(kind.api_version, plural)
        try:
            items = await self._items(path)
        except StatusError as error:
            if plural in _NEEDED or error.code == 401:
                raise
            self.notes.append(f"{plural} could not be read: {error}")
            return []
        objects = [resource.to_hub(_complete(item, kind.api_version, kind.kind)) for item in items]
        return sorted(objects, key=_key)

    async def _items(self, path: str) -> list[Object]:
        items: list[Object] = []
        query = {"limit": str(PAGE_OBJECTS)}
        while True:
            page = checked(await self.api.get(path, **query), Page)
            items += [item for item in page.items or () if isinstance(item, dict) and "metadata" in item]
            if not page.token:
                return items
            if len(items) > OBJECTS_MAX:
                raise TargetError(f"{path} has more than {OBJECTS_MAX} objects")
            query["continue"] = page.token


_CONTEXT = StrategyContext(namespace_labels=lambda _: None, now=lambda: "")


async def read_objects(api: Reader, target: Reference, now: float, feature_gates: str = "") -> ClusterObjects:
    """Returns the objects of a cluster that explain the object `target`.

    Sends only GET requests: for /version, discovery, events, and lists of the resources in KINDS.

    - `now`: the time in seconds since the epoch.
    - `feature_gates`: the gates of the cluster that differ from the defaults of its release.

    Raises StatusError if the server refuses a needed request, TargetError if the server does not answer or
    has too many objects, and UnknownGateError or GateError for invalid gates.
    """
    notes: list[str] = []
    release = _release(await api.get("/version"), notes)
    serving = served(release, feature_gates, _ALL_VERSIONS)
    reading = _Reading(api, serving, await _versions(api), notes)
    objects = {plural: await reading.objects(plural) for plural in KINDS}
    events = [event for one in event_targets(objects, target) for event in await _events(api, one, notes)]
    events.sort(key=time_of)
    quotas = await _quotas(api, target.namespace) if names_quota(events) else None
    return ClusterObjects(rules_of(serving.primary), objects, now, events=events, quotas=quotas, notes=notes)


def _release(version: Object, notes: list[str]) -> str:
    """Returns the release whose rules apply. Adds a note if the cluster has another release."""
    digits = "".join(char for char in str(version.get("minor", "")) if char.isdigit())
    name = f"{version.get('major', '1')}.{digits}"
    if name in RELEASES:
        return name
    newest: str = RELEASES[-1]
    notes.append(f"the cluster's release {name} is unknown; explained by the rules of {newest}")
    return newest


async def _versions(api: Reader) -> Mapping[str, str]:
    """Returns the version of each resource of resource.k8s.io. Prefers the group's preferred version."""
    try:
        group = await api.get(f"/apis/{GROUP}")
    except StatusError as error:
        if error.code == 404:
            return {}
        raise
    preferred = (group.get("preferredVersion") or {}).get("version")
    names = [one.get("version") for one in group.get("versions") or ()]
    ordered = sorted((name for name in names if name), key=lambda name: name != preferred)
    versions: dict[str, str] = {}
    for version in ordered:
        listed = await api.get(f"/apis/{GROUP}/{version}")
        for one in listed.get("resources") or ():
            versions.setdefault(str(one.get("name")), version)
    return versions


async def _events(api: Reader, target: Reference, notes: list[str]) -> list[Object]:
    path = object_path("v1", "events", target.namespace or "default")
    selector = f"involvedObject.kind={target.kind},involvedObject.name={target.name}"
    try:
        page = checked(await api.get(path, fieldSelector=selector, limit=str(EVENTS_MAX)), Page)
    except StatusError as error:
        notes.append(f"events could not be read: {error}")
        return []
    events = [item for item in page.items or () if isinstance(item, dict) and "metadata" in item]
    return sorted(events, key=time_of)


async def _quotas(api: Reader, namespace: str) -> Mapping[str, Object] | None:
    """Returns the ResourceQuotas of a namespace by name; None if they cannot be read."""
    try:
        page = checked(await api.get(object_path("v1", "resourcequotas", namespace)), Page)
    except StatusError:
        return None
    items = (item for item in page.items or () if isinstance(item, dict) and "metadata" in item)
    return {item["metadata"]["name"]: item for item in items}


def _complete(item: Object, api_version: str, kind: str) -> Object:
    """Returns an item of a list with apiVersion and kind. Adds an empty spec and status if missing."""
    return {"spec": {}, "status": {}, **item, "apiVersion": api_version, "kind": kind}


def _key(obj: Object) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
