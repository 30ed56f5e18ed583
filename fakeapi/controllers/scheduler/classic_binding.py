"""ClassicBinder: writes allocations and reservations of v1alpha2 claims, like kube-scheduler up to 1.30."""

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.pod_claims import reference_to_pod
from fakeapi.controllers.scheduler.claim_binding import Binder, BindError
from fakeapi.controllers.served import served_as
from fakeapi.machinery.json_types import Object


class ClassicBinder(Binder):
    """Writes the allocation of a v1alpha2 claim, and reserves the claim for one pod, in one patch of the
    status.

    Other pods can reserve the claim at the same time without a conflict.
    """

    async def _reserve(self, pod: Object, claim: Object, result: Object | None) -> Object:
        if result is not None:
            try:
                await self._with_finalizer(claim)
            except StatusError as problem:
                raise BindError(f"add finalizer: {problem.message}") from None
        status = {**(result or {}), "reservedFor": [reference_to_pod(pod)]}
        patch = {"metadata": {"uid": claim["metadata"]["uid"]}, "status": status}
        place = served_as(self._view.resource("resourceclaims"))
        try:
            return await self._api.patch(place.path_of(claim, "status"), patch, "strategic")
        except StatusError as problem:
            raise BindError(problem.message) from None
