"""Claims objects for workloads: adopts matching orphans, and releases objects that no longer match.

Follows k8s.io/kubernetes `pkg/controller/controller_ref_manager.go`.
"""

from collections.abc import Callable, Iterable, Sequence

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.workloads.owners import controller_of, controller_reference, labels_of, selector_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector


class AdoptionRefused(StatusError):
    """Raised if a workload must not adopt an object, because the workload was deleted or replaced
    meanwhile.
    """


class Claiming:
    """Claims objects such as pods for one workload. Patches their owner references.

    - `owners`: the resource of the workload.
    - `owned`: the resource of the objects.
    - `finalizers`: the finalizers to add to adopted objects, and to remove from released objects.
    - `accepts`: an additional condition on objects, besides the label selector.
    """

    def __init__(
        self,
        api: InProcessClient,
        owners: ServedResource,
        owned: ServedResource,
        owner: Object,
        *,
        selector: Selector | None = None,
        finalizers: Sequence[str] = (),
        accepts: Callable[[Object], bool] = lambda _: True,
    ) -> None:
        self._api = api
        self._owners = owners
        self._owned = owned
        self._owner = owner
        self._selector = selector_of(owner) if selector is None else selector
        self._finalizers = list(finalizers)
        self._accepts = accepts
        self._may_adopt = False

    async def claim(self, objects: Iterable[Object]) -> list[Object]:
        """Returns the objects that the workload controls, including newly adopted objects.

        Ignores objects of other controllers. Raises StatusError if a request fails.
        """
        return [obj for obj in objects if await self._claims(obj)]

    async def _claims(self, obj: Object) -> bool:
        owner, metadata = self._owner["metadata"], obj["metadata"]
        is_going = "deletionTimestamp" in owner
        matches = self._selector.matches(labels_of(obj)) and self._accepts(obj)
        controller = controller_of(obj)
        try:
            if controller is not None:
                if controller["uid"] != owner["uid"]:
                    return False
                if matches or is_going:
                    return matches
                await self._release(obj)
                return False
            if is_going or not matches or "deletionTimestamp" in metadata:
                return False
            if owner.get("namespace", "") != metadata.get("namespace", ""):
                return False
            await self._adopt(obj)
        except StatusError as problem:
            if problem.is_not_found:
                return False
            raise
        return True

    async def _adopt(self, obj: Object) -> None:
        await self._check_owner(obj)
        reference = controller_reference(self._owner)
        metadata: Object = {"ownerReferences": [reference], "uid": obj["metadata"]["uid"]}
        if self._finalizers:
            metadata["finalizers"] = self._finalizers
        await self._api.patch(self._owned.path_of(obj), {"metadata": metadata}, "strategic")

    async def _check_owner(self, obj: Object) -> None:
        """Reads the workload again. Raises AdoptionRefused if the workload is being deleted or was
        replaced.
        """
        if self._may_adopt:
            return
        fresh = (await self._api.get(self._owners.path_of(self._owner)))["metadata"]
        own, metadata = self._owner["metadata"], obj["metadata"]
        place = f"{own.get('namespace', '')}/{own['name']}"
        problem = ""
        if fresh["uid"] != own["uid"]:
            kind = self._owner["kind"]
            problem = f"original {kind} {place} is gone: got uid {fresh['uid']}, wanted {own['uid']}"
        elif "deletionTimestamp" in fresh:
            problem = f"{place} has just been deleted at {fresh['deletionTimestamp']}"
        if problem:
            what = f"{obj['kind']} {metadata['namespace']}/{metadata['name']} ({metadata['uid']})"
            raise AdoptionRefused(409, {}, f"can't adopt {what}: {problem}")
        self._may_adopt = True

    async def _release(self, obj: Object) -> None:
        metadata: Object = {
            "ownerReferences": [{"$patch": "delete", "uid": self._owner["metadata"]["uid"]}],
            "uid": obj["metadata"]["uid"],
        }
        if self._finalizers:
            metadata["$deleteFromPrimitiveList/finalizers"] = self._finalizers
        try:
            await self._api.patch(self._owned.path_of(obj), {"metadata": metadata}, "strategic")
        except StatusError as problem:
            if problem.code not in {404, 422}:  # 422: the object was replaced, or released by another client
                raise
