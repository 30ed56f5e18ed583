"""Revisions: the ControllerRevisions of DaemonSets and StatefulSets, which store pod templates.

Follows k8s.io/kubernetes `pkg/controller/history` and `pkg/controller/daemon/update.go`.
"""

from collections.abc import Iterable
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.owners import (
    OwnedObjects,
    controller_reference,
    is_controlled_by,
    labels_of,
)
from fakeapi.machinery.codec import in_key_order
from fakeapi.machinery.json_types import Object

HASH = "controller-revision-hash"


def template_patch(owner: Object) -> Object:
    """Returns the data of a revision: a patch that restores the pod template of a workload.

    All keys are sorted, as Go encodes a map, because clients compare the bytes with their own patch.
    """
    patch: Object = in_key_order({"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}})
    return patch


def by_revision(revisions: Iterable[Object]) -> list[Object]:
    """Returns ControllerRevisions sorted by revision, the smallest first.

    Sorts equal revisions by age and name.
    """
    return sorted(revisions, key=_order)


def _order(revision: Object) -> tuple[int, str, str]:
    metadata = revision["metadata"]
    return revision.get("revision", 0), metadata["creationTimestamp"], metadata["name"]


class Revisions:
    """Reads and writes the ControllerRevisions of the workloads of one kind.

    - `owners`: the resource of the workloads.
    - `owned`: the index of ControllerRevisions.
    """

    def __init__(self, api: InProcessClient, owners: ServedResource, owned: OwnedObjects) -> None:
        self._api = api
        self._owners = owners
        self._owned = owned
        self._resource = owned.informer.resource

    async def of(self, owner: Object) -> list[Object]:
        """Returns the revisions that a workload controls, the smallest first.

        Adopts matching revisions without a controller.
        """
        candidates = [*self._owned.of(owner), *self._owned.orphans(owner["metadata"]["namespace"])]
        claiming = Claiming(self._api, self._owners, self._resource, owner)
        return by_revision(await claiming.claim(candidates))

    async def create(
        self, owner: Object, data: Any, number: int, name_hash: str, label: str = HASH
    ) -> Object | None:
        """Creates a revision; returns the stored object.

        - `data`: the data of the revision.
        - `number`: the number of the revision.
        - `name_hash`: the hash at the end of the revision's name.
        - `label`: the name of the label for the hash.

        Returns the existing object if the workload already has an equal revision with this name. Returns None
        if another object has this name. Raises StatusError if a request fails for another reason.
        """
        metadata = owner["metadata"]
        new: Object = {
            "name": f"{metadata['name'][:223]}-{name_hash}",
            "namespace": metadata["namespace"],
            "labels": {
                **(owner["spec"]["template"].get("metadata") or {}).get("labels", {}),
                label: name_hash,
            },
            "ownerReferences": [controller_reference(owner)],
        }
        if metadata.get("annotations"):
            new["annotations"] = metadata["annotations"]
        resource = self._resource
        body = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": new,
            "data": data,
            "revision": number,
        }
        try:
            return await self._api.create(resource.path(metadata["namespace"]), body)
        except StatusError as problem:
            if not problem.is_already_exists:
                raise
        known = await self._api.get(resource.path(metadata["namespace"], new["name"]))
        return known if known.get("data") == data and is_controlled_by(known, owner) else None

    async def renumber(self, revision: Object, number: int) -> Object:
        """Sets the number of a revision; returns the stored object."""
        return await self._api.update(self._resource.path_of(revision), {**revision, "revision": number})

    async def delete(self, revision: Object) -> None:
        """Deletes a revision. Does nothing if the revision no longer exists."""
        try:
            await self._api.delete(self._resource.path_of(revision))
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    async def truncate(self, old: Iterable[Object], limit: int, live: set[str]) -> None:
        """Deletes the oldest revisions, to keep at most `limit` revisions.

        - `old`: the revisions that are not current, the smallest first.
        - `limit`: the revisionHistoryLimit of the workload.
        - `live`: the hashes of the revisions that pods use. These revisions are kept.
        """
        revisions = list(old)
        surplus = len(revisions) - limit
        for revision in revisions:
            if surplus <= 0:
                return
            if labels_of(revision).get(HASH) not in live:
                await self.delete(revision)
                surplus -= 1
