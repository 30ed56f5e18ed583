"""ClusterObjects: the objects of the explained cluster at one moment, with the rules of its release."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

from fakeapi.controllers.allocation.model import AllocatedState, DeviceID, PoolID, Slice
from fakeapi.controllers.allocation.pool_changes import PoolChanges
from fakeapi.controllers.allocation.rules import AllocationRules, allocation_rules
from fakeapi.controllers.allocation.selectors import DeviceMatcher
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod
from fakeapi.controllers.scheduler.allocated_devices import AllocatedDevices
from fakeapi.controllers.scheduler.device_matcher import device_matcher
from fakeapi.controllers.scheduler.node_state import NodeState, NodeStates
from fakeapi.controllers.scheduler.pod_claim_view import ClaimView
from fakeapi.explaining.memo import remembering
from fakeapi.explaining.model import Reference
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.turns import Turns
from fakeapi.releases.rules import ReleaseRules

GROUP = "resource.k8s.io"

KINDS: Mapping[str, tuple[str, str]] = {
    "pods": ("", "Pod"),
    "nodes": ("", "Node"),
    "namespaces": ("", "Namespace"),
    "persistentvolumeclaims": ("", "PersistentVolumeClaim"),
    "resourceclaims": (GROUP, "ResourceClaim"),
    "resourceclaimtemplates": (GROUP, "ResourceClaimTemplate"),
    "deviceclasses": (GROUP, "DeviceClass"),
    "resourceslices": (GROUP, "ResourceSlice"),
    "devicetaintrules": (GROUP, "DeviceTaintRule"),
}
"""The resources that an explanation reads, with their API group and kind."""

NAMESPACED = frozenset(("pods", "persistentvolumeclaims", "resourceclaims", "resourceclaimtemplates"))
"""The resources in KINDS whose objects have a namespace."""


CONSUMERS_READ = 3
"""Number of pods of an explained claim whose events are read; events of further pods are ignored."""


Result = TypeVar("Result")

Steps = Generator[None, None, Result]
"""A computation that yields after each small step, and returns its result."""


@dataclass(frozen=True, slots=True)
class RefusedWrite:
    """A write that the server refused.

    - `verb`: the verb, such as "create".
    - `resource`: the resource, such as "pods".
    - `code`: the HTTP status code.
    - `status`: the Status in the response.
    - `body`: the object in the request; {} if the journal did not keep the body.
    """

    verb: str
    resource: str
    namespace: str
    name: str
    code: int
    user: str
    status: Object
    body: Object


@dataclass(frozen=True)
class ClusterObjects:
    """The objects of the explained cluster at one moment, with the rules of its release.

    - `objects`: the objects by resource, sorted by namespace and name, in the internal version.
    - `events`: the events about the explained object, and about the pods that use a claim, oldest first.
    - `now`: the time in seconds since the epoch.
    - `controllers`: the names of the server's own controllers; None for a real cluster.
    - `drivers`: by node, the DRA drivers that are registered with the kubelet. Contains only nodes whose
      kubelet is part of the server.
    - `misbehaving`: the simulated drivers of the server that are set to fail, delay or hang calls to prepare.
    - `refused`: the last refused writes of the explained object, oldest first.
    - `policies`: the ValidatingAdmissionPolicies by name, if a write was refused.
    - `quotas`: the ResourceQuotas in the namespace of the explained object by name, if an event names one;
      None if they were not read.
    - `retries`: the seconds until a controller of the server tries the explained object again, by the name
      of the controller.
    - `notes`: lines about resources and facts that could not be read.
    - `contents`: the objects of other resources in an explained namespace; only for a running server.
    """

    rules: ReleaseRules
    objects: Mapping[str, list[Object]]
    now: float
    events: Sequence[Object] = ()
    controllers: frozenset[str] | None = None
    drivers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    misbehaving: frozenset[str] = frozenset()
    refused: Sequence[RefusedWrite] = ()
    policies: Mapping[str, Object] = field(default_factory=dict)
    quotas: Mapping[str, Object] | None = None
    retries: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()
    contents: Sequence[Object] = ()

    def about(self, **facts: Any) -> "ClusterObjects":
        """Returns the same objects for another explanation. Shares the values computed from the objects.

        `facts`: new values of fields, except `rules` and `objects`.
        """
        other = replace(self, **facts)
        own = {each.name for each in fields(self)}
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name not in own})
        return other

    @cached_property
    def matcher(self) -> DeviceMatcher:
        """Evaluates CEL selectors for devices, and remembers the results."""
        return remembering(device_matcher(self.rules))

    @cached_property
    def allocation(self) -> AllocationRules:
        return allocation_rules(self.rules.release.minor, self.rules.gates)

    @property
    def view(self) -> "ClaimObjectsView":
        """A new view of the claims. This object does not keep the view, because the view refers to this
        object.
        """
        return ClaimObjectsView(self)

    @cached_property
    def allocator_slices(self) -> list[Slice]:
        """The ResourceSlices in the form of the allocator."""
        return _finished(_allocator_slices(self))

    @property
    def has_v1alpha2_claims(self) -> bool:
        """Whether claims have the layout of resource.k8s.io/v1alpha2: up to Kubernetes 1.30."""
        return self.rules.release.minor < 31

    def lacks_controller(self, name: str) -> bool:
        """Whether a controller does not run on this server. False for a real cluster."""
        return self.controllers is not None and name not in self.controllers

    def of(self, resource: str) -> list[Object]:
        """Returns the objects of a resource, such as "pods"."""
        return self.objects.get(resource, [])

    def names_in(self, resource: str, namespace: str) -> list[str]:
        """Returns the names of the objects of a resource in a namespace."""
        metadata = (obj["metadata"] for obj in self.of(resource))
        return [one["name"] for one in metadata if one.get("namespace", "") == namespace]

    def namespaces_with(self, resource: str, name: str) -> list[str]:
        """Returns the namespaces that have an object of a resource with this name."""
        metadata = (obj["metadata"] for obj in self.of(resource))
        return [one.get("namespace", "") for one in metadata if one["name"] == name]

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        """Returns an object of a resource; None if it does not exist."""
        return self.by_key.get((resource, namespace, name))

    @cached_property
    def by_key(self) -> Mapping[tuple[str, str, str], Object]:
        """The objects by resource, namespace and name."""
        return _finished(_by_key(self))

    @cached_property
    def slices_by_pool(self) -> Mapping[PoolID, list[Object]]:
        """The ResourceSlices of each pool, including slices of old generations."""
        return _finished(_slices_by_pool(self))

    @cached_property
    def namespaces(self) -> Mapping[str, Object]:
        """The namespaces by name."""
        return {one["metadata"]["name"]: one for one in self.of("namespaces")}

    @cached_property
    def node_states(self) -> dict[str, NodeState]:
        """The nodes with their pods, by node name."""
        return _finished(_node_states(self))

    async def compute_keys(self) -> None:
        """Computes `by_key`. Lets other tasks of the event loop run meanwhile."""
        await self._compute("by_key", Turns())

    async def compute_indexes(self) -> None:
        """Computes the indexes of an explanation of a pod.

        Lets other tasks of the event loop run meanwhile.
        """
        turns = Turns()
        for attribute in _INDEXES:
            await self._compute(attribute, turns)

    async def drop_indexes(self) -> None:
        """Drops the computed indexes; they are computed again when they are next used.

        Lets other tasks of the event loop run meanwhile, because freeing a large index takes some
        milliseconds.
        """
        turns = Turns()
        for attribute in (*_INDEXES, "matcher"):
            self.__dict__.pop(attribute, None)
            await turns.give_turn_if_over()

    async def _compute(self, attribute: str, turns: Turns) -> None:
        """Computes a property in _INDEXES, unless it is already computed."""
        if attribute in self.__dict__:
            return
        steps = _INDEXES[attribute](self)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                self.__dict__[attribute] = end.value
                return
            await turns.give_turn_if_over()

    def names_of_claims(self, pod: Object) -> list[str]:
        """Returns the names of a pod's claims.

        Leaves out claims of templates until the claim's name is known, and claims that the pod does not need.
        """
        names = []
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            try:
                name = claim_of_pod(pod, pod_claim, by_pod=self.view.order_in_1_27)
            except ClaimNameUnknown:
                continue
            names += [name] if name else []
        return names

    def claims_of(self, pod: Object) -> list[Object]:
        """Returns the existing claims of a pod."""
        namespace = pod["metadata"]["namespace"]
        claims = (self.get("resourceclaims", namespace, name) for name in self.names_of_claims(pod))
        return [claim for claim in claims if claim is not None]

    @cached_property
    def in_use(self) -> AllocatedDevices:
        """The devices that claims have allocated."""
        return _finished(_in_use(self))

    def in_use_without(self, gone: Iterable[tuple[str, str]]) -> AllocatedState:
        """Returns the devices in use without the allocations of some claims: (namespace, name)."""
        found = (self.get("resourceclaims", *place) for place in gone)
        claims = {key_of(claim): claim for claim in found if claim is not None}
        for key in claims:
            self.in_use.change(key, None)
        state = self.in_use.state
        without = AllocatedState(set(state.devices), dict(state.shared))
        for key, claim in claims.items():
            self.in_use.change(key, claim)
        return without

    @cached_property
    def users(self) -> Mapping[DeviceID, list[Object]]:
        """The claims to which a device is allocated, by device.

        Leaves out allocations with admin access, unless they make devices unavailable in this release.
        """
        return _finished(_users(self))


def _finished(steps: Steps[Result]) -> Result:
    """Runs all steps of a computation, and returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def _by_key(cluster: ClusterObjects) -> Steps[Mapping[tuple[str, str, str], Object]]:
    by_key: dict[tuple[str, str, str], Object] = {}
    for resource, objects in cluster.objects.items():
        for obj in objects:
            by_key[resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"]] = obj
            yield
    return by_key


def _allocator_slices(cluster: ClusterObjects) -> Steps[list[Slice]]:
    slices = []
    for obj in cluster.of("resourceslices"):
        slices.append(Slice(obj["metadata"]["name"], obj["spec"]))
        yield
    return slices


def _slices_by_pool(cluster: ClusterObjects) -> Steps[Mapping[PoolID, list[Object]]]:
    pools: dict[PoolID, list[Object]] = {}
    for one in cluster.of("resourceslices"):
        pools.setdefault(PoolID(one["spec"]["driver"], one["spec"]["pool"]["name"]), []).append(one)
        yield
    return pools


def _node_states(cluster: ClusterObjects) -> Steps[dict[str, NodeState]]:
    states, by_name = NodeStates(), {}
    for pod in cluster.of("pods"):
        states.pod_changed(None, pod)
        yield
    for node in cluster.of("nodes"):
        by_name[node["metadata"]["name"]] = states.on_node(node)
        yield
    return by_name


def _in_use(cluster: ClusterObjects) -> Steps[AllocatedDevices]:
    rules = cluster.allocation
    devices = AllocatedDevices(
        shares=rules.consumable_capacity, admin_counts=rules.quirks.admin_access_takes_devices
    )
    for claim in cluster.of("resourceclaims"):
        devices.change(key_of(claim), claim)
        yield
    return devices


def _users(cluster: ClusterObjects) -> Steps[Mapping[DeviceID, list[Object]]]:
    admin_counts = cluster.allocation.quirks.admin_access_takes_devices
    users: dict[DeviceID, list[Object]] = {}
    for claim in cluster.of("resourceclaims"):
        for result in results_of(claim):
            if not result.get("adminAccess") or admin_counts:
                users.setdefault(device_of(result), []).append(claim)
        yield
    return users


_INDEXES: Mapping[str, Callable[[ClusterObjects], Steps[Any]]] = {
    "by_key": _by_key,
    "users": _users,
    "in_use": _in_use,
    "slices_by_pool": _slices_by_pool,
    "allocator_slices": _allocator_slices,
    "node_states": _node_states,
}
"""The properties of ClusterObjects that depend on many objects, with their computations."""


def results_of(claim: Object) -> list[Object]:
    """Returns the allocated devices of a claim: the entries of status.allocation.devices.results."""
    allocation = claim["status"].get("allocation") or {}
    results: list[Object] = (allocation.get("devices") or {}).get("results") or []
    return results


def class_path(claim: Object, class_name: str) -> str:
    """Returns the path of the first request or subrequest that names a DeviceClass; "" without such a
    request.
    """
    for number, request in enumerate((claim["spec"].get("devices") or {}).get("requests") or ()):
        place = f"spec.devices.requests[{number}]"
        if (request.get("exactly") or {}).get("deviceClassName") == class_name:
            return f"{place}.exactly.deviceClassName"
        for index, choice in enumerate(request.get("firstAvailable") or ()):
            if choice.get("deviceClassName") == class_name:
                return f"{place}.firstAvailable[{index}].deviceClassName"
    return ""


def device_of(result: Object) -> DeviceID:
    """Returns the device of an entry of status.allocation.devices.results."""
    return DeviceID(result["driver"], result["pool"], result["device"])


def reference(kind: str, obj: Object) -> Reference:
    """Returns a Reference to an object. `kind`: the kind of the object."""
    return Reference(kind, obj["metadata"]["name"], obj["metadata"].get("namespace", ""))


def consumers_of(claim: Object) -> list[Reference]:
    """Returns the pods that `status.reservedFor` of a claim names."""
    namespace = claim["metadata"]["namespace"]
    return [
        Reference("Pod", user["name"], namespace)
        for user in claim["status"].get("reservedFor") or ()
        if user.get("resource") == "pods"
    ]


def is_about(event: Object, target: Reference) -> bool:
    """Whether a Kubernetes event is about an object of the same kind and name as `target`.

    Does not compare the namespaces.
    """
    involved = event.get("involvedObject") or {}
    return bool(involved.get("kind") == target.kind and involved.get("name") == target.name)


def event_targets(objects: Mapping[str, list[Object]], target: Reference) -> list[Reference]:
    """Returns the objects whose events explain `target`: the object, and the first pods that use a claim."""
    if target.kind != "ResourceClaim":
        return [target]
    key = target.namespace, target.name
    claims = [
        one
        for one in objects.get("resourceclaims") or ()
        if (one["metadata"].get("namespace", ""), one["metadata"]["name"]) == key
    ]
    return [target, *(user for claim in claims for user in consumers_of(claim)[:CONSUMERS_READ])]


class ClaimObjectsView(ClaimView):
    """The claims, classes and slices of an explanation, as the plugin DynamicResources reads them."""

    def __init__(self, cluster: ClusterObjects) -> None:
        self._cluster = cluster
        self.order_in_1_27 = cluster.rules.release.minor == 27

    def objects(self, kind: str) -> list[Object]:
        return self._cluster.of(kind)

    def claim(self, namespace: str, name: str) -> Object | None:
        return self._cluster.get("resourceclaims", namespace, name)

    def slices(self) -> Sequence[Slice]:
        return self._cluster.allocator_slices

    def allocated(self, *, shares: bool, admin_counts: bool) -> tuple[AllocatedState, PoolChanges | None]:
        rules = self._cluster.allocation
        if (shares, admin_counts) == (rules.consumable_capacity, rules.quirks.admin_access_takes_devices):
            return self._cluster.in_use.state, None
        return super().allocated(shares=shares, admin_counts=admin_counts)
