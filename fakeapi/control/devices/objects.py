"""Types with the fields of nodes, ResourceSlices, claims and pods that decide the state of a device.

Decoding skips all other fields, so that decoding thousands of objects takes milliseconds.
"""

from typing import Any

import msgspec


class Fields(msgspec.Struct, rename="camel"):
    """Base class of the types of this module. JSON names are in camelCase; decoding skips unknown fields."""


class Owner(Fields):
    kind: str = ""
    name: str = ""


class Metadata(Fields):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] | None = None
    labels: dict[str, str] | None = None
    owner_references: list[Owner] | None = None


class Condition(Fields):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class Taint(Fields):
    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """Returns the taint as kubectl prints taints of nodes: KEY[=VALUE]:EFFECT."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


# namespaces -------------------------------------------------------------------------------------


class NamespaceSpec(Fields):
    finalizers: list[str] | None = None


class NamespaceStatus(Fields):
    conditions: list[Condition] | None = None


class Namespace(Fields):
    metadata: Metadata
    spec: NamespaceSpec = msgspec.field(default_factory=NamespaceSpec)
    status: NamespaceStatus = msgspec.field(default_factory=NamespaceStatus)


# nodes ------------------------------------------------------------------------------------------


class NodeSpec(Fields):
    unschedulable: bool = False
    taints: list[Taint] | None = None


class NodeStatus(Fields):
    conditions: list[Condition] | None = None


class Node(Fields):
    metadata: Metadata
    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)


# ResourceSlices ---------------------------------------------------------------------------------


class Counter(Fields):
    value: str = "0"


class CounterSet(Fields):
    name: str = ""
    counters: dict[str, Counter] | None = None


class ConsumedCounters(Fields):
    counter_set: str = ""
    counters: dict[str, Counter] | None = None


class DeviceFields(Fields):
    """The fields of a device in a ResourceSlice. Up to v1beta1, these fields are below `basic`."""

    attributes: dict[str, dict[str, Any]] | None = None
    capacity: dict[str, Any] | None = None
    consumes_counters: list[ConsumedCounters] | None = None
    taints: list[Taint] | None = None
    node_name: str | None = None
    all_nodes: bool | None = None
    allow_multiple_allocations: bool | None = None


class Device(DeviceFields):
    name: str = ""
    basic: DeviceFields | None = None

    @property
    def fields(self) -> DeviceFields:
        return self.basic or self


class Pool(Fields):
    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class SliceSpec(Fields):
    driver: str = ""
    pool: Pool = msgspec.field(default_factory=Pool)
    node_name: str | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: list[Device] | None = None
    shared_counters: list[CounterSet] | None = None


class Slice(Fields):
    metadata: Metadata
    spec: SliceSpec = msgspec.field(default_factory=SliceSpec)


# DeviceTaintRules -------------------------------------------------------------------------------


class TaintedDevices(Fields):
    """The `deviceSelector` of a DeviceTaintRule.

    `device_class_name` and `selectors` exist only up to 1.34.
    """

    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    device_class_name: str | None = None
    selectors: list[Any] | None = None

    def matches(self, driver: str, pool: str, device: str) -> bool:
        """Whether the selector matches a device by name. A field without a value matches every device.

        Returns False for selectors by class or by CEL expression, because they need an evaluation.
        """
        if self.device_class_name or self.selectors:
            return False
        return self.driver in (None, driver) and self.pool in (None, pool) and self.device in (None, device)


class TaintRuleSpec(Fields):
    device_selector: TaintedDevices | None = None
    taint: Taint = msgspec.field(default_factory=Taint)


class TaintRule(Fields):
    metadata: Metadata
    spec: TaintRuleSpec = msgspec.field(default_factory=TaintRuleSpec)


# claims -----------------------------------------------------------------------------------------


class Request(Fields):
    """A request for devices, or a subrequest. Up to v1beta1, the class is a field of the request itself."""

    device_class_name: str | None = None
    allocation_mode: str | None = None
    count: int | None = None
    selectors: list[Any] | None = None
    exactly: "Request | None" = None
    first_available: "list[Request] | None" = None

    @property
    def classes(self) -> list[str]:
        """The names of the DeviceClasses of the request and of its subrequests."""
        inner = [*([self.exactly] if self.exactly else []), *(self.first_available or [])]
        own = [self.device_class_name] if self.device_class_name else []
        return [*own, *(name for each in inner for name in each.classes)]


class Requests(Fields):
    requests: list[Request] | None = None


class ClaimSpec(Fields):
    devices: Requests = msgspec.field(default_factory=Requests)


class Result(Fields):
    """A device in the allocation of a claim: an entry of `status.allocation.devices.results`."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    consumed_capacity: dict[str, Any] | None = None


class Results(Fields):
    results: list[Result] | None = None


class Allocation(Fields):
    devices: Results = msgspec.field(default_factory=Results)


class Consumer(Fields):
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDevice(Fields):
    driver: str = ""
    pool: str = ""
    device: str = ""
    conditions: list[Condition] | None = None


class ClaimStatus(Fields):
    allocation: Allocation | None = None
    reserved_for: list[Consumer] | None = None
    devices: list[AllocatedDevice] | None = None


class Claim(Fields):
    metadata: Metadata
    spec: ClaimSpec = msgspec.field(default_factory=ClaimSpec)
    status: ClaimStatus = msgspec.field(default_factory=ClaimStatus)

    @property
    def results(self) -> list[Result]:
        """The allocated devices; [] if the claim is not allocated."""
        allocation = self.status.allocation
        return [] if allocation is None else allocation.devices.results or []

    @property
    def pods(self) -> list[str]:
        """The names of the pods for which the claim is reserved."""
        return [each.name for each in self.status.reserved_for or () if each.resource == "pods"]


# pods -------------------------------------------------------------------------------------------


class PodClaim(Fields):
    name: str = ""
    resource_claim_name: str | None = None


class PodSpec(Fields):
    node_name: str | None = None
    resource_claims: list[PodClaim] | None = None


class ResourceHealth(Fields):
    resource_id: str = msgspec.field(name="resourceID", default="")
    health: str = ""


class ResourceStatus(Fields):
    resources: list[ResourceHealth] | None = None


class ContainerStatus(Fields):
    name: str = ""
    restart_count: int = 0
    state: dict[str, Any] | None = None
    last_state: dict[str, Any] | None = None
    allocated_resources_status: list[ResourceStatus] | None = None


class ClaimName(Fields):
    """The claim that was generated for a pod. `name`: the name in the pod's spec.resourceClaims."""

    name: str = ""
    resource_claim_name: str | None = None


class PodStatus(Fields):
    phase: str = ""
    conditions: list[Condition] | None = None
    resource_claim_statuses: list[ClaimName] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None


class Pod(Fields):
    metadata: Metadata
    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)

    @property
    def claims(self) -> list[str]:
        """The names of the pod's claims. Leaves out claims that are not generated yet."""
        generated = {
            each.name: each.resource_claim_name for each in self.status.resource_claim_statuses or ()
        }
        names = (
            each.resource_claim_name or generated.get(each.name) for each in self.spec.resource_claims or ()
        )
        return [name for name in names if name]
