"""GarbageCollector: deletes objects whose owners do not exist.

Also completes foreground and orphan deletions. Follows k8s.io/kubernetes `pkg/controller/garbagecollector`.
Kubernetes keeps its own graph of objects; fakeapi reads the informers of all resources that have objects.
"""

from collections import defaultdict
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
IGNORED = frozenset((("", "events"), ("events.k8s.io", "events")))
"""Resources that the collector ignores, as in Kubernetes. Objects of these resources are not owners and have
no owners.
"""


class GarbageCollector(Controller):
    name = "garbagecollector"

    async def start(self) -> None:
        self._api = self.context.api("kube-controller-manager", "generic-garbage-collector")
        self._objects: dict[str, tuple[ServedResource, Object]] = {}
        self._dependents: defaultdict[str, dict[str, None]] = defaultdict(dict)
        resources = self.context.cluster.inventory.follow()
        for resource in resources.present:
            self._follow(resource)

        async def follow_added() -> None:
            async for resource in resources.added():
                self._follow(resource)

        self.context.run(follow_added())

    def _follow(self, resource: Resource) -> None:
        """Starts an informer for a resource whose objects can have owners.

        Ignores resources that clients cannot list, watch and delete.
        """
        if (resource.kind.group, resource.kind.resource) in IGNORED:
            return
        if not {"list", "watch", "delete"} <= set(resource.kind.verbs):
            return
        place = served_as(resource)
        informer: Informer = self.context.informer(place)
        informer.on_change(lambda old, new: self._note(place, old, new))

    def _note(self, place: ServedResource, old: Object | None, new: Object | None) -> None:
        uid = (new or old or {})["metadata"]["uid"]
        if old is not None and old["metadata"]["uid"] != uid:
            self._note(place, old, None)
            old = None
        before = _owner_uids(old)
        after = _owner_uids(new)
        for owner in before - after:
            self._dependents[owner].pop(uid, None)
            if not self._dependents[owner]:
                del self._dependents[owner]
            self._add_if_deleting(owner)
        for owner in before & after:
            if _blocks(old or {}, owner) and not _blocks(new or {}, owner):
                self._add_if_deleting(owner)
        for owner in after - before:
            self._dependents[owner].setdefault(uid)
        if new is None:
            self._objects.pop(uid, None)
            for dependent in self._dependents.get(uid, ()):
                self.context.add(dependent)
            for owner in after:
                self._add_if_deleting(owner)
            return
        self._objects[uid] = place, new
        if after or _finalizers(new) & {ORPHAN, FOREGROUND}:
            self.context.add(uid)
        if _is_deleting_dependents(new):
            for dependent in self._dependents.get(uid, ()):
                self.context.add(dependent)

    def _add_if_deleting(self, owner: str) -> None:
        known = self._objects.get(owner)
        if known is not None and "deletionTimestamp" in known[1]["metadata"]:
            self.context.add(owner)

    async def reconcile(self, key: Any) -> None:
        known = self._objects.get(key)
        if known is None:
            return
        place, obj = known
        try:
            await self._collect(place, obj)
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    async def _collect(self, place: ServedResource, obj: Object) -> None:
        if "deletionTimestamp" in obj["metadata"]:
            if ORPHAN in _finalizers(obj):
                await self._orphan_dependents(place, obj)
            elif FOREGROUND in _finalizers(obj):
                await self._delete_dependents(place, obj)
            return
        references = obj["metadata"].get("ownerReferences") or []
        if not references:
            return
        solid, dangling, waiting = [], [], []
        for reference in references:
            owner = await self._owner(reference, place, obj)
            if owner is None:
                dangling.append(reference)
            elif _is_deleting_dependents(owner):
                waiting.append(reference)
            else:
                solid.append(reference)
        if solid:
            if dangling or waiting:
                await self._remove_owners(
                    place, obj, [reference["uid"] for reference in (*dangling, *waiting)]
                )
            return
        await self._delete(place, obj, waits=bool(waiting))

    async def _delete(self, place: ServedResource, obj: Object, *, waits: bool) -> None:
        """Deletes an object whose owners are all missing or in foreground deletion.

        - `place`: the resource of the object.
        - `waits`: whether one of these owners is in foreground deletion.
        """
        metadata = obj["metadata"]
        if waits and self._dependents.get(metadata["uid"]):
            for dependent in self._dependents[metadata["uid"]]:
                if _is_deleting_dependents(self._objects[dependent][1]):
                    await self._unblock(place, obj)
                    break
            policy = "Foreground"
        elif ORPHAN in _finalizers(obj):
            policy = "Orphan"
        else:
            policy = "Foreground" if FOREGROUND in _finalizers(obj) else "Background"
        await self._api.delete(
            place.path_of(obj), uid=metadata["uid"], version=metadata["resourceVersion"], propagation=policy
        )

    async def _owner(self, reference: Object, place: ServedResource, obj: Object) -> Object | None:
        """Returns the owner of a reference; None if the owner does not exist or is in another namespace.

        `place`: the resource of `obj`. The reference is in `obj`. Returns an empty object if the owner's
        resource is not served, or if a cluster-scoped object refers to a namespaced owner. The caller treats
        the empty object as an existing owner. Raises StatusError if the request fails.
        """
        known = self._objects.get(reference["uid"])
        namespace = obj["metadata"].get("namespace", "")
        if known is not None:
            owner_place, owner = known
            same = not owner_place.namespaced or owner["metadata"]["namespace"] == namespace
            return owner if same else None
        group, _, version = reference["apiVersion"].rpartition("/")
        owner_resource = self._place_of(group, version, reference["kind"])
        if owner_resource is None:
            return {"metadata": {}}
        if owner_resource.namespaced and not place.namespaced:
            return {"metadata": {}}
        try:
            owner = await self._api.get(owner_resource.path(namespace, reference["name"]))
        except StatusError as problem:
            if problem.is_not_found:
                return None
            raise
        return owner if owner["metadata"]["uid"] == reference["uid"] else None

    def _place_of(self, group: str, version: str, kind: str) -> ServedResource | None:
        catalogue = self.context.cluster.catalogue
        for candidate in catalogue.of_version(group, version):
            if candidate.kind.kind == kind:
                resource = find_resource(catalogue, group, candidate.kind.resource, version)
                return None if resource is None else served_as(resource)
        return None

    async def _delete_dependents(self, place: ServedResource, obj: Object) -> None:
        """Continues the foreground deletion of an owner, the object `obj` of the resource `place`.

        If no dependent blocks the owner now, removes the owner's finalizer.
        """
        uid = obj["metadata"]["uid"]
        blocking = [
            dependent
            for dependent in self._dependents.get(uid, ())
            if _blocks(self._objects[dependent][1], uid)
        ]
        if not blocking:
            await self._remove_finalizer(place, obj, FOREGROUND)
            return
        for dependent in blocking:
            if "deletionTimestamp" not in self._objects[dependent][1]["metadata"]:
                self.context.add(dependent)

    async def _orphan_dependents(self, place: ServedResource, obj: Object) -> None:
        """Continues the orphan deletion of an owner, the object `obj` of the resource `place`.

        Removes the owner from the owner references of all dependents, then removes the owner's finalizer.
        """
        uid = obj["metadata"]["uid"]
        for dependent in list(self._dependents.get(uid, ())):
            dependent_place, dependent_obj = self._objects[dependent]
            try:
                await self._remove_owners(dependent_place, dependent_obj, [uid])
            except StatusError as problem:
                if not problem.is_not_found:
                    raise
        await self._remove_finalizer(place, obj, ORPHAN)

    async def _remove_finalizer(self, place: ServedResource, obj: Object, finalizer: str) -> None:
        metadata = obj["metadata"]
        left = [name for name in metadata.get("finalizers") or () if name != finalizer]
        patch = {"metadata": {"resourceVersion": metadata["resourceVersion"], "finalizers": left}}
        await self._api.patch(place.path_of(obj), patch)

    async def _remove_owners(self, place: ServedResource, obj: Object, owners: list[str]) -> None:
        deletions = [{"$patch": "delete", "uid": owner} for owner in owners]
        left = [
            reference for reference in obj["metadata"]["ownerReferences"] if reference["uid"] not in owners
        ]
        await _patch_references(self._api, place, obj, deletions, left)

    async def _unblock(self, place: ServedResource, obj: Object) -> None:
        references = obj["metadata"].get("ownerReferences") or []
        changed = [{**reference, "blockOwnerDeletion": False} for reference in references]
        await _patch_references(self._api, place, obj, changed, changed)


async def _patch_references(
    api: InProcessClient, place: ServedResource, obj: Object, strategic: list[Object], merged: list[Object]
) -> None:
    """Changes owner references with a strategic merge patch, or with a merge patch for custom resources.

    `strategic` and `merged`: the ownerReferences for the strategic merge patch and for the merge patch.
    """
    path, metadata = place.path_of(obj), obj["metadata"]
    try:
        patch = {"metadata": {"uid": metadata["uid"], "ownerReferences": strategic}}
        await api.patch(path, patch, "strategic")
    except StatusError as problem:
        if problem.code != 415:
            raise
        version = metadata["resourceVersion"]
        patch = {"metadata": {"uid": metadata["uid"], "resourceVersion": version, "ownerReferences": merged}}
        await api.patch(path, patch)


def _owner_uids(obj: Object | None) -> set[str]:
    references = obj["metadata"].get("ownerReferences") or () if obj is not None else ()
    return {reference["uid"] for reference in references}


def _finalizers(obj: Object) -> set[str]:
    return set(obj["metadata"].get("finalizers") or ())


def _is_deleting_dependents(obj: Object) -> bool:
    return "deletionTimestamp" in obj["metadata"] and FOREGROUND in _finalizers(obj)


def _blocks(dependent: Object, owner: str) -> bool:
    references = dependent["metadata"].get("ownerReferences") or ()
    return any(reference["uid"] == owner and reference.get("blockOwnerDeletion") for reference in references)
