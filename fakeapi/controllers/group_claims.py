"""GroupClaims: creates the ResourceClaims of PodGroups. All pods of a PodGroup share its claims.

Follows `syncPodGroup` of k8s.io/kubernetes `pkg/controller/resourceclaim`, since 1.36.
"""

from collections.abc import Callable

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.claim_generator import ClaimGenerator, TemplateMissing
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.pod_claims import SCHEDULING, find_group, group_of, owning_group
from fakeapi.machinery.json_types import Object

GATE = "DRAWorkloadResourceClaims"
GROUP_KEY = "podgroup"
"""In the work queue, the first element of the key of a PodGroup."""
FIELD_MANAGER = "ResourceClaimController"
RETRY_SECONDS = 1.0
"""Delay in seconds before the controller retries a PodGroup with a missing ResourceClaimTemplate."""


class GroupClaims:
    """The PodGroups of a cluster with their claims. If the feature gate is off, no PodGroup is known.

    `queue_members`: called with namespace and name of a PodGroup, to queue its pods.
    """

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        events: EventRecorder,
        generator: ClaimGenerator,
        queue_members: Callable[[str, str], None],
    ) -> None:
        self._context = context
        self._api = api
        self._events = events
        self._generator = generator
        self._queue_members = queue_members
        resource = context.resource(SCHEDULING, "podgroups")
        self._groups: Informer | None = None
        if resource is not None and context.rules.gates.get(GATE, False):
            self._groups = context.informer(resource)
            self._groups.on_change(self._changed)

    def of(self, pod: Object) -> Object | None:
        """Returns the PodGroup of a pod; None for a pod without a PodGroup, and if the PodGroup does not
        exist.
        """
        return find_group(pod, self._groups)

    def must_wait(self, pod: Object) -> bool:
        """Whether a pod belongs to a PodGroup that does not exist yet.

        The pod may share claims of this PodGroup.
        """
        return self._groups is not None and bool(group_of(pod)) and self.of(pod) is None

    def _changed(self, old: Object | None, new: Object | None) -> None:
        group = new or old or {}
        namespace, name = group["metadata"]["namespace"], group["metadata"]["name"]
        if not group["spec"].get("resourceClaims"):
            if old is None:
                self._queue_members(namespace, name)
            return
        if new is None:
            for claim in (group.get("status") or {}).get("resourceClaimStatuses") or ():
                self._context.add(("claim", namespace, claim.get("resourceClaimName", "")))
            for claim in group["spec"]["resourceClaims"]:
                if claim.get("resourceClaimName"):
                    self._context.add(("claim", namespace, claim["resourceClaimName"]))
            return
        self._context.add((GROUP_KEY, namespace, name))
        self._queue_members(namespace, name)

    def queue_users_of_template(self, namespace: str, name: str) -> None:
        """Queues the PodGroups that use a ResourceClaimTemplate."""
        for group in () if self._groups is None else self._groups.objects.values():
            claims = group["spec"].get("resourceClaims") or ()
            if group["metadata"]["namespace"] == namespace and any(
                claim.get("resourceClaimTemplateName") == name for claim in claims
            ):
                self._context.add((GROUP_KEY, namespace, group["metadata"]["name"]))

    def queue_owner_of(self, claim: Object) -> None:
        """Queues the PodGroup that controls a claim."""
        name, _ = owning_group(claim)
        if name and self._groups is not None:
            self._context.add((GROUP_KEY, claim["metadata"]["namespace"], name))

    async def is_valid(self, namespace: str, consumer: Object) -> bool:
        """Whether the PodGroup in an entry of `status.reservedFor` exists with the same uid.

        Always true if the feature gate is off. Raises StatusError if the request for the PodGroup fails.
        """
        if self._groups is None:
            return True
        group = self._groups.get(namespace, consumer["name"])
        if group is None:
            try:
                group = await self._api.get(self._groups.resource.path(namespace, consumer["name"]))
            except StatusError as problem:
                if problem.is_not_found:
                    return False
                raise
        return bool(group["metadata"]["uid"] == consumer["uid"])

    async def sync(self, namespace: str, name: str) -> None:
        """Creates the missing claims of a PodGroup, and writes their names into its status.

        If a template does not exist, retries after RETRY_SECONDS. Raises StatusError if a request fails.
        """
        group = None if self._groups is None else self._groups.get(namespace, name)
        if group is None or "deletionTimestamp" in group["metadata"]:
            return
        names: dict[str, str] = {}
        for claim in group["spec"].get("resourceClaims") or ():
            template = claim.get("resourceClaimTemplateName")
            if not template:
                continue
            try:
                names[claim["name"]] = await self._generator.claim_for(group, claim["name"], template)
            except (StatusError, TemplateMissing) as problem:
                text = problem.message if isinstance(problem, StatusError) else str(problem)
                message = f"PodGroupResourceClaim {claim['name']}: {text}"
                await self._events.record(group, "Warning", "FailedResourceClaimCreation", message)
                if isinstance(problem, StatusError):
                    raise
                self._context.add_after((GROUP_KEY, namespace, name), RETRY_SECONDS)
                return
        if names and names != _known_names(group):
            await self._set_statuses(group, names)

    async def _set_statuses(self, group: Object, names: dict[str, str]) -> None:
        assert self._groups is not None, "the PodGroup is cached"
        resource, metadata = self._groups.resource, group["metadata"]
        statuses = [{"name": name, "resourceClaimName": claim} for name, claim in names.items()]
        body = {
            "kind": resource.kind,
            "apiVersion": resource.api_version,
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "status": {"resourceClaimStatuses": statuses},
        }
        path = resource.path_of(group, "status")
        await self._api.patch(path, body, "apply", fieldManager=FIELD_MANAGER, force="true")


def _known_names(group: Object) -> dict[str, str]:
    """Returns the claim names in the status of a PodGroup, by the names of the claims in its spec."""
    statuses = (group.get("status") or {}).get("resourceClaimStatuses") or ()
    return {status["name"]: status.get("resourceClaimName", "") for status in statuses}
