"""DeviceView: the claims, classes and slices of the cluster in one API version, for the scheduler."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fakeapi.controllers.allocation.model import AllocatedState, Slice
from fakeapi.controllers.allocation.pool_changes import PoolChanges
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod, claim_source, is_for_pod
from fakeapi.controllers.scheduler.allocated import allocated_state
from fakeapi.controllers.scheduler.allocated_devices import AllocatedDevices
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource

GROUP = "resource.k8s.io"
KINDS = (
    "resourceclaims",
    "deviceclasses",
    "resourceslices",
    "devicetaintrules",
    "resourceclasses",
    "resourceclaimparameters",
    "resourceclassparameters",
)


class NotReady(Exception):
    """Raised if a claim prevents the scheduling of its pod. The message names the claim.

    The claim is missing, is being deleted, or was generated for another pod.
    """


class ClaimView(ABC):
    """Gives access to the resource.k8s.io objects of a cluster, and finds the ResourceClaims of a pod.

    Objects are in the layout of resource.k8s.io/v1; before 1.31, in the layout of v1alpha2. `order_in_1_27`:
    whether a generated claim is named after its pod, as in 1.27.
    """

    order_in_1_27: bool = False

    @abstractmethod
    def objects(self, kind: str) -> list[Object]:
        """Returns all objects of the resource `kind`, such as "resourceslices", sorted by key.

        Callers must not change the objects.
        """

    @abstractmethod
    def claim(self, namespace: str, name: str) -> Object | None:
        """Returns a claim in the layout of this view; None if the claim does not exist."""

    @abstractmethod
    def slices(self) -> Sequence[Slice]:
        """Returns all ResourceSlices. Returns the same sequence until a ResourceSlice changes."""

    def classes(self, kind: str = "deviceclasses") -> Mapping[str, Object]:
        """Returns the classes by name. Callers must not change the mapping."""
        return {obj["metadata"]["name"]: obj for obj in self.objects(kind)}

    def allocated(self, *, shares: bool, admin_counts: bool) -> tuple[AllocatedState, PoolChanges | None]:
        """Returns the devices in use, and the log of changed pools; None if the view keeps no log.

        The state is valid until the next call. `shares`: whether several claims can share a device.
        `admin_counts`: whether devices with admin access count as in use.
        """
        claims = self.objects("resourceclaims")
        return allocated_state(claims, shares=shares, admin_counts=admin_counts), None

    def names_of_claims(self, pod: Object) -> dict[str, str]:
        """Maps the names of claims in a pod's spec to the uids of the existing ResourceClaims.

        Raises ClaimNameUnknown if the claim of a template has not been created yet.
        """
        uids = {}
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            name = claim_of_pod(pod, pod_claim, by_pod=self.order_in_1_27)
            claim = None if name is None else self.claim(pod["metadata"]["namespace"], name)
            if claim is not None:
                uids[pod_claim["name"]] = claim["metadata"]["uid"]
        return uids

    def claims_of(self, pod: Object) -> list[Object]:
        """Returns the claims of a pod in the layout of this view, in the order of the pod's spec.

        Raises NotReady if a claim is missing, is being deleted, or was generated for another pod.
        """
        claims = []
        namespace = pod["metadata"]["namespace"]
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            try:
                name = claim_of_pod(pod, pod_claim, by_pod=self.order_in_1_27)
            except ClaimNameUnknown:
                whose = f'pod "{namespace}/{pod["metadata"]["name"]}"'
                raise NotReady(f"{whose}: ResourceClaim not created yet") from None
            if name is None:
                continue
            claim = self.claim(namespace, name)
            if claim is None:
                raise NotReady(f"resourceclaim {quote(name)} not found")
            if "deletionTimestamp" in claim["metadata"]:
                raise NotReady(f"resourceclaim {quote(name)} is being deleted")
            if claim_source(pod_claim).get("resourceClaimTemplateName") and not is_for_pod(pod, claim):
                own = f"{namespace}/{name} (uid {claim['metadata']['uid']})"
                raise NotReady(f"resourceclaim {own} is not owned by the pod")
            claims.append(claim)
        return claims


class DeviceView(ClaimView):
    """Caches the objects of resource.k8s.io, and converts each object once per change.

    Objects are in the layout of resource.k8s.io/v1; before 1.31, in the layout of v1alpha2.
    """

    def __init__(self, context: ControllerContext) -> None:
        """Creates the caches. A resource that the release does not serve has an empty cache."""
        self._resources: dict[str, Resource] = {}
        self._informers: dict[str, Informer] = {}
        self._lists: dict[str, list[Object]] = {}
        self._slices: Sequence[Slice] | None = None
        self._made_slices: dict[int, tuple[Object, Slice]] = {}
        self._classes: dict[str, Mapping[str, Object]] = {}
        self._assumed: dict[str, Object] = {}
        self._changed_claims: set[str] = set()
        self._allocated: dict[tuple[bool, bool], AllocatedDevices] = {}
        self._converted: dict[str, dict[str, tuple[str, Object]]] = {kind: {} for kind in KINDS}
        for kind in KINDS:
            resource = find_resource(context.cluster.catalogue, GROUP, kind)
            if resource is not None:
                self._resources[kind] = resource
                informer = self._informers[kind] = context.informer(served_as(resource))
                informer.on_change(partial(self._forget, kind))
        self.order_in_1_27 = not context.has_field("", "pods", "status", "resourceClaimStatuses")

    def _forget(self, kind: str, old: Object | None, new: Object | None) -> None:
        """Drops the cached list of the resource `kind` after one of its objects changed."""
        self._lists.pop(kind, None)
        self._classes.pop(kind, None)
        if kind == "resourceslices":
            self._slices = None
        elif kind == "resourceclaims" and self._allocated:
            self._changed_claims.add(key_of(new or old or {}))

    def on_change(self, handler: Callable[[Object | None, Object | None], None], *kinds: str) -> None:
        """Registers `handler` for every change of the resources in `kinds`.

        Without `kinds`, registers `handler` for the changes of all resources.
        """
        for kind, informer in self._informers.items():
            if not kinds or kind in kinds:
                informer.on_change(handler)

    def resource(self, kind: str) -> Resource:
        return self._resources[kind]

    @property
    def is_classic(self) -> bool:
        """Whether claims are in the layout of v1alpha2. This layout has ResourceClasses and no devices.

        False on a server that serves all versions: it also serves DeviceClasses, so claims have the newest
        layout.
        """
        return "resourceclasses" in self._resources and "deviceclasses" not in self._resources

    @property
    def serves_claims(self) -> bool:
        return "resourceclaims" in self._resources

    def assume(self, claim: Object) -> None:
        """Makes the view return this version of a claim until `forget_assumed` is called.

        `claim`: a claim in the layout of this view. The claim does not need to be stored.
        """
        self._assumed[claim["metadata"]["uid"]] = claim

    def forget_assumed(self) -> None:
        """Drops all claims from `assume`. The view then returns all claims as they are stored."""
        self._assumed.clear()

    def objects(self, kind: str) -> list[Object]:
        stored = self._stored(kind)
        if not self._assumed or kind != "resourceclaims":
            return stored
        uids = {claim["metadata"]["uid"] for claim in stored}
        claims = [self._assumed.get(claim["metadata"]["uid"], claim) for claim in stored]
        return claims + [claim for uid, claim in self._assumed.items() if uid not in uids]

    def _stored(self, kind: str) -> list[Object]:
        informer = self._informers.get(kind)
        if informer is None:
            return self._lists.setdefault(kind, [])
        fresh = self._lists.get(kind)
        if fresh is not None:
            return fresh
        known, resource = self._converted[kind], self._resources[kind]
        for key in known.keys() - informer.objects.keys():
            del known[key]
        converted = []
        for key, obj in sorted(informer.objects.items()):
            version = obj["metadata"]["resourceVersion"]
            entry = known.get(key)
            if entry is None or entry[0] != version:
                entry = known[key] = version, resource.to_hub(obj)
            converted.append(entry[1])
        self._lists[kind] = converted
        return converted

    def claim(self, namespace: str, name: str) -> Object | None:
        informer = self._informers.get("resourceclaims")
        obj = None if informer is None else informer.get(namespace, name)
        if obj is None:
            return None
        assumed = self._assumed.get(obj["metadata"]["uid"])
        return self._resources["resourceclaims"].to_hub(obj) if assumed is None else assumed

    def classes(self, kind: str = "deviceclasses") -> Mapping[str, Object]:
        known = self._classes.get(kind)
        if known is None:
            known = self._classes[kind] = super().classes(kind)
        return known

    def allocated(self, *, shares: bool, admin_counts: bool) -> tuple[AllocatedState, PoolChanges | None]:
        if self._assumed:
            return super().allocated(shares=shares, admin_counts=admin_counts)
        known = self._allocated.get((shares, admin_counts))
        changed, self._changed_claims = self._changed_claims, set()
        if known is None:
            known = AllocatedDevices(shares=shares, admin_counts=admin_counts)
            self._allocated = {(shares, admin_counts): known}
            changed = set(self._informers["resourceclaims"].objects)
        resource, claims = self._resources["resourceclaims"], self._informers["resourceclaims"].objects
        for key in changed:
            claim = claims.get(key)
            known.change(key, None if claim is None else resource.to_hub(claim))
        return known.state, known.changes

    def slices(self) -> Sequence[Slice]:
        if self._slices is None:
            known, self._made_slices = self._made_slices, {}
            for obj in self.objects("resourceslices"):
                entry = known.get(id(obj))
                made = Slice(obj["metadata"]["name"], obj["spec"]) if entry is None else entry[1]
                self._made_slices[id(obj)] = obj, made
            self._slices = [made for _, made in self._made_slices.values()]
        return self._slices
