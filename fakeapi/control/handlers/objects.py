"""Lists the stored kinds, the objects of a kind, and the versions of one object."""

from collections.abc import Iterable

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.errors import refused
from fakeapi.control.handlers.events import type_of
from fakeapi.control.route import Call, Route
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.stored.keys import first_keys
from fakeapi_storage import Entry, Event, Storage

PAGE_MAX = 500
"""Maximum number of objects in one response. `more` in the response is the number of further objects."""

SEARCHED_MAX = 50_000
"""Maximum number of objects that one search examines, in the order of their keys.

`more` in the response also counts the objects that the search did not examine.
"""

VERSIONS_MAX = 100
"""Maximum number of versions of an object in one response; older versions are omitted."""


class KindQuery(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The query for kinds. `served`: whether to include kinds without objects."""

    served: bool = False


class KindView(msgspec.Struct, rename="camel"):
    """A kind in a served version that can represent its objects. `objects`: the number of objects."""

    group: str
    version: str
    resource: str
    kind: str
    namespaced: bool
    objects: int


class ObjectQuery(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The query for objects of a resource.

    - `version`: the API version of the resource; "" for a version that has objects.
    - `search`: a text in NAMESPACE/NAME of the objects; "" for all objects.
    - `after`: the `place` of the last object on the previous page; "" for the first page.
    - `limit`: the maximum number of objects to return.
    """

    resource: str
    group: str = ""
    version: str = ""
    search: str = ""
    after: str = ""
    limit: int = PAGE_MAX


class ObjectView(msgspec.Struct, rename="camel"):
    """An object in a list. Pass `place` of the last object as `after` to get the next page."""

    namespace: str
    name: str
    resource_version: str
    place: str


class ObjectList(msgspec.Struct, rename="camel"):
    objects: list[ObjectView]
    more: int


class HistoryQuery(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    resource: str
    name: str
    group: str = ""
    version: str = ""
    namespace: str = ""


class VersionView(msgspec.Struct, rename="camel"):
    """A version of an object.

    - `change`: ADDED, MODIFIED or DELETED; STORED if the history no longer has the change.
    - `object`: the object after the change; for DELETED, the object before its deletion.
    """

    change: str
    resource_version: str
    object: msgspec.Raw


class History(msgspec.Struct, rename="camel"):
    """The available versions of one object, oldest first.

    `forgotten`: whether the object may have had earlier versions.
    """

    versions: list[VersionView]
    forgotten: bool


async def kinds(call: Call) -> list[KindView]:
    cluster = call.server.cluster
    stored = stored_kinds(cluster)
    if not call.query.served:
        return stored
    known = {(kind.group, kind.resource) for kind in stored}
    for group in cluster.catalogue.groups():
        for version in cluster.catalogue.versions(group):
            for resource in cluster.catalogue.of_version(group, version):
                kind = resource.kind
                if "list" in kind.verbs and (group, kind.resource) not in known:
                    known.add((group, kind.resource))
                    stored.append(KindView(group, version, kind.resource, kind.kind, kind.namespaced, 0))
    return stored


def stored_kinds(cluster: Cluster) -> list[KindView]:
    """Returns the kinds that have objects."""
    return [_kind(cluster, resource) for resource in _stored(cluster)]


async def objects(call: Call) -> ObjectList:
    query: ObjectQuery = call.query
    resource = resource_of(call.server.cluster, query.group, query.version, query.resource)
    if not 1 <= query.limit <= PAGE_MAX:
        raise refused(400, f"limit: {query.limit} is not from 1 to {PAGE_MAX}")
    after = f"{resource.prefix}{query.after}" if query.after else None
    limit = SEARCHED_MAX if query.search else query.limit
    page = call.server.cluster.storage.list(resource.prefix, start_after=after, limit=limit)
    entries = [entry for entry in page.entries if query.search in entry.key.removeprefix(resource.prefix)]
    first_entries = entries[: query.limit]
    return ObjectList(
        [_view(resource, entry) for entry in first_entries],
        len(entries) - len(first_entries) + page.remaining,
    )


async def history(call: Call) -> History:
    query: HistoryQuery = call.query
    cluster = call.server.cluster
    resource = resource_of(cluster, query.group, query.version, query.resource)
    key = resource.key(query.namespace, query.name)
    changes = await events_since(cluster.storage, key, cluster.storage.oldest)
    events = [event for event in changes if event.entry.key == key]
    stored = events[0].previous if events else cluster.storage.get(key)
    entries = [("STORED", stored)] if stored is not None else []
    entries += [(type_of(event), event.entry) for event in events]
    if not entries:
        raise refused(
            404, f"{query.resource} {query.name!r} does not exist, and the history has no version of it"
        )
    last_entries = entries[-VERSIONS_MAX:]
    async with call.room(sum(len(entry.value) for _, entry in last_entries)):
        await resource.prepare([entry for _, entry in last_entries])
        versions = [
            VersionView(
                change, str(entry.revision), msgspec.Raw(resource.json_of(entry.value, entry.revision))
            )
            for change, entry in last_entries
        ]
    return History(versions, forgotten=last_entries[0][0] != "ADDED")


async def events_since(storage: Storage, prefix: str, revision: int) -> list[Event]:
    """Returns the changes after a revision of all keys with a prefix, oldest first.

    Raises Compacted if the history no longer has all these changes.
    """
    watcher = storage.watch(prefix, revision)
    try:
        return [] if watcher.progress >= storage.revision else await watcher.next_batch()
    finally:
        watcher.close()


def _stored(cluster: Cluster) -> Iterable[Resource]:
    """Yields each resource that has objects, in the first served API version that can read these objects."""
    for key in first_keys(cluster.storage):
        versions = _versions(cluster, key.group, key.resource)
        resource = next((version for version in versions if version.prefix == key.prefix), None)
        if resource is not None:
            yield resource


def _versions(cluster: Cluster, group: str, name: str) -> Iterable[Resource]:
    """Returns the resource `name` in each served API version of its group, the preferred version first."""
    catalogue = cluster.catalogue
    resources = (catalogue.find(group, version, name) for version in catalogue.versions(group))
    return [resource for resource in resources if resource is not None]


def _kind(cluster: Cluster, resource: Resource) -> KindView:
    page = cluster.storage.list(resource.prefix, limit=1)
    kind = resource.kind
    return KindView(
        kind.group,
        kind.version,
        kind.resource,
        kind.kind,
        kind.namespaced,
        len(page.entries) + page.remaining,
    )


def resource_of(cluster: Cluster, group: str, version: str, name: str) -> Resource:
    """Returns the resource with this group, version and name. Raises ApiError 404 if it is not served.

    With the `version` "", returns the first version that has objects. If no version has objects, returns the
    preferred version.
    """
    versions = [
        resource for resource in _versions(cluster, group, name) if version in ("", resource.kind.version)
    ]
    if not versions:
        raise refused(404, f"{name}.{group} is not served" if group else f"{name} is not served")
    having = (resource for resource in versions if cluster.storage.list(resource.prefix, limit=1).entries)
    return next(having, versions[0])


def _view(resource: Resource, entry: Entry) -> ObjectView:
    place = entry.key.removeprefix(resource.prefix)
    namespace, _, name = place.rpartition("/")
    return ObjectView(namespace, name, str(entry.revision), place)


ROUTES = (
    Route(
        "GET",
        "/kinds",
        kinds,
        "The kinds that have objects, or all served kinds, and how many objects each has.",
        answer=list[KindView],
        query=KindQuery,
    ),
    Route("GET", "/objects", objects, "The objects of a kind.", answer=ObjectList, query=ObjectQuery),
    Route("GET", "/history", history, "The versions of one object.", answer=History, query=HistoryQuery),
)
