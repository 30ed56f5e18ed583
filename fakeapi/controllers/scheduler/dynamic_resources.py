"""DynamicResources: the scheduler plugin that allocates and reserves the claims of a pod.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` for structured parameters.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import is_not

from fakeapi.controllers.allocation.allocator import Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocationError, NodeError, Slice
from fakeapi.controllers.allocation.nodes import matches_selector
from fakeapi.controllers.allocation.pools import Slices, usable_slices
from fakeapi.controllers.allocation.requests import choices_of
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.selector_results import SelectorResults
from fakeapi.controllers.allocation.selectors import DeviceMatcher
from fakeapi.controllers.scheduler import extended_resources
from fakeapi.controllers.scheduler.binding_conditions import is_hopeless
from fakeapi.controllers.scheduler.claim_plugin import ClaimPlugin, Deallocation, PodClaims
from fakeapi.controllers.scheduler.classic_drivers import ClassicDrivers, Negotiation, Pending
from fakeapi.controllers.scheduler.device_taint_rules import with_taints
from fakeapi.controllers.scheduler.extended_resources import IN_MEMORY
from fakeapi.controllers.scheduler.node_allocatable import ClaimUse, LookupFailed, NodeAllocatable
from fakeapi.controllers.scheduler.node_answers import limited_key
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.pod_claim_view import ClaimView, NotReady
from fakeapi.controllers.scheduler.status import CannotSchedule, PluginError, Unschedulable
from fakeapi.machinery.json_types import Object

NAME = "DynamicResources"
_NOTHING: list[Object] = []
CHOICES_MAX = 8
"""Maximum number of subrequests in a request (FirstAvailableDeviceRequestMaxSize).

This number is also the score for the first subrequest. Each later subrequest scores one less.
"""


class DynamicResources(ClaimPlugin[PodClaims]):
    """The scheduler plugin DynamicResources for claims with structured parameters."""

    def __init__(
        self,
        view: ClaimView,
        rules: AllocationRules,
        matcher: DeviceMatcher,
        new_share_id: Callable[[], str],
        now: Callable[[], float],
        drivers: ClassicDrivers | None = None,
    ) -> None:
        """Sets up the plugin for one release.

        - `new_share_id`: generates UIDs for shared devices and new claims.
        - `now`: returns the time in seconds since the epoch.
        - `drivers`: the negotiation with DRA control plane controllers. None, except in 1.31 with a feature
          gate.
        """
        self._view = view
        self._rules = rules
        self._matcher = matcher
        self._new_share_id = new_share_id
        self._now = now
        self._drivers = drivers
        self._selected = SelectorResults()
        self._known_slices: tuple[tuple[object, object, object], Slices] | None = None
        self._known_accounting: tuple[Sequence[Slice], NodeAllocatable] | None = None

    async def pre_filter(self, pod: Object, effort: Effort, turn: int = 0) -> PodClaims:
        try:
            state = PodClaims(self._view.claims_of(pod))
        except NotReady as problem:
            raise CannotSchedule(str(problem)) from None
        classes = self._view.classes()
        if self._rules.extended_resources:
            self._add_extended(pod, state, classes)
        if self._drivers is not None and state.claims:
            state.talk = self._drivers.begin(pod)
        for index, claim in enumerate(state.claims):
            self._check_controller(claim)
            if claim["status"].get("allocation") is not None:
                continue
            if claim is not state.extended:
                self._check_classes(claim, classes)
            if claim["spec"].get("controller") and state.talk is not None:
                self._add_pending(state.talk, pod["spec"]["resourceClaims"][index]["name"], claim, classes)
            else:
                state.unallocated.append(claim)
        if state.talk is not None:
            state.talk.structured = len(state.unallocated)
        if state.unallocated:
            state.inventory = await self._inventory(classes, effort, turn)
        return state

    def _check_controller(self, claim: Object) -> None:
        if claim["spec"].get("controller") and self._drivers is None:
            raise CannotSchedule("resourceclaim depends on disabled DRAControlPlaneController feature")
        if claim["status"].get("deallocationRequested"):
            raise CannotSchedule("resourceclaim must be reallocated")

    def _add_pending(
        self, talk: Negotiation, pod_claim: str, claim: Object, classes: Mapping[str, Object]
    ) -> None:
        """Adds a claim to `talk`, the negotiation with DRA control plane controllers.

        - `pod_claim`: the name of the claim in the pod's spec.
        - `classes`: the DeviceClasses by name.
        """
        names = [spec["deviceClassName"] for spec in _exact_requests(claim)]
        selectors = [
            classes[name]["spec"]["suitableNodes"]
            for name in names
            if "suitableNodes" in classes[name]["spec"]
        ]
        excluded = "excluded by device class node filter"
        talk.pending.append(Pending(selectors, excluded, talk.says_of(pod_claim)))

    def _add_extended(self, pod: Object, state: PodClaims, classes: Mapping[str, Object]) -> None:
        names = extended_resources.class_names(classes.values())
        state.by_class = extended_resources.mapped_requests(pod, names)
        if state.by_class:
            claims = self._view.objects("resourceclaims")
            state.extended = extended_resources.claim_for(pod, claims, self._new_share_id())
            state.classes = names
            state.claims.append(state.extended)

    def _check_classes(self, claim: Object, classes: Mapping[str, Object]) -> None:
        for request in (claim["spec"].get("devices") or {}).get("requests") or ():
            if not request.get("exactly") and not request.get("firstAvailable"):
                metadata = claim["metadata"]
                whose = (
                    f"resource claim {metadata['namespace']}/{metadata['name']}, request {request['name']}"
                )
                raise CannotSchedule(f"{whose}: unknown request type")
            for name, parent, spec in choices_of(request):
                full = f"{parent}/{name}" if parent else name
                if spec["deviceClassName"] not in classes:
                    raise CannotSchedule(
                        f"request {full}: device class {spec['deviceClassName']} does not exist"
                    )

    async def _inventory(self, classes: Mapping[str, Object], effort: Effort, turn: int) -> Inventory:
        state, changes = self._view.allocated(
            shares=self._rules.consumable_capacity,
            admin_counts=self._rules.quirks.admin_access_takes_devices,
        )
        return Inventory(await self._slices(classes, effort), classes, state, turn, changes)

    async def _slices(self, classes: Mapping[str, Object], effort: Effort) -> Slices:
        """Returns the ResourceSlices with the taints of DeviceTaintRules.

        Returns the same object until a slice, class or rule changes.
        """
        every = self._view.slices()
        taint_rules = self._view.objects("devicetaintrules") if self._rules.device_taints else _NOTHING
        basis = (every, classes, taint_rules)
        if self._known_slices is None or any(map(is_not, self._known_slices[0], basis)):
            slices = await with_taints(every, taint_rules, classes, self._matcher, effort)
            self._known_slices = basis, Slices(usable_slices(slices, self._rules))
        return self._known_slices[1]

    async def filter(
        self, state: PodClaims, pod: Object, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        if state.extended is not None:
            problem = self._want_extended(state, state.extended, pod, node)
            if problem is not None or (not state.wanted[node.name].requests and len(state.claims) == 1):
                return problem
        unavailable = [
            claim
            for claim in state.claims
            if not _is_available(claim["status"].get("allocation"), node.node) or self._is_hopeless(claim)
        ]
        if state.talk is not None:
            problem = state.talk.filter(node.node)
            if problem is not None:
                return problem
        accounting = self._accounting(state)
        if accounting is not None:
            problem = accounting.sharing_problem(pod, _available(state.claims, node.node), node)
            if problem is not None:
                return problem
        if state.inventory is not None:
            problem = await self._allocate(state, state.inventory, node, effort)
            if problem is not None:
                return problem
        if accounting is not None and (state.inventory is not None or accounting.has_overhead):
            problem = self._account(accounting, state, pod, node)
            if problem is not None:
                return problem
        if unavailable:
            known = {claim["metadata"]["uid"] for claim in state.unavailable}
            state.unavailable += [claim for claim in unavailable if claim["metadata"]["uid"] not in known]
            return Unschedulable(("resourceclaim not available on the node",))
        return None

    def _is_hopeless(self, claim: Object) -> bool:
        """Whether the binding conditions of a claim's allocated devices failed or timed out."""
        return self._rules.binding_conditions and is_hopeless(claim, self._now())

    def _want_extended(
        self, state: PodClaims, claim: Object, pod: Object, node: NodeState
    ) -> Unschedulable | None:
        """Computes the device requests of the claim for extended resources on a node.

        Stores the requests in `state`. Returns the reason why the node is excluded; None if the node is
        feasible.
        """
        if (claim["spec"].get("devices") or {}).get("requests"):
            return Unschedulable(("cannot schedule extended resource claim",))
        names = [name for name in state.by_class if not node.allocatable(name)]
        state.wanted[node.name] = extended_resources.wanted(pod, names, state.classes)
        return None

    def _accounting(self, state: PodClaims) -> NodeAllocatable | None:
        if not self._rules.node_allocatable or not state.claims:
            return None
        slices = self._view.slices()
        if self._known_accounting is None or self._known_accounting[0] is not slices:
            accounting = NodeAllocatable(slices, self._rules.quirks.devices_have_overhead)
            self._known_accounting = slices, accounting
        return self._known_accounting[1]

    def _account(
        self, accounting: NodeAllocatable, state: PodClaims, pod: Object, node: NodeState
    ) -> Unschedulable | None:
        """Calculates how much of the node's own resources, such as cpu, the pod uses through its claims.

        Returns the reason why the node is excluded; None if the node is feasible. Raises PluginError if a
        device is missing or lacks data.
        """
        results = state.allocations.get(node.name, ())
        new = {id(claim): allocation for claim, allocation in zip(state.unallocated, results, strict=False)}
        uses = [
            ClaimUse(claim, new.get(id(claim), claim["status"].get("allocation")), id(claim) in new)
            for claim in state.claims
        ]
        try:
            statuses = accounting.account(pod, uses, self._view.names_of_claims(pod), node)
        except LookupFailed as problem:
            raise PluginError(NAME, "filter", str(problem)) from None
        if isinstance(statuses, Unschedulable):
            return statuses
        state.node_claims[node.name] = statuses
        return None

    def _claims_on(self, state: PodClaims, node: str) -> list[Object]:
        """Returns the claims to allocate on a node.

        On each node, the claim for extended resources requests only the resources that the node itself lacks.
        """
        claims = []
        for claim in state.unallocated:
            if claim is state.extended:
                requests = state.wanted[node].requests
                claims.append({**claim, "spec": {"devices": {"requests": requests}}})
            else:
                claims.append(claim)
        return claims

    async def _allocate(
        self, state: PodClaims, inventory: Inventory, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        try:
            results = await allocate(
                self._claims_on(state, node.name),
                node.node,
                inventory,
                self._rules,
                self._matcher,
                self._new_share_id,
                effort.on_node(),
                self._selected,
            )
        except NodeError as error:
            return Unschedulable((str(error),))
        except AllocationError as error:
            raise PluginError(NAME, "filter", str(error)) from None
        if results is None:
            return Unschedulable(("cannot allocate all claims",))
        state.allocations[node.name] = results
        return None

    def answer_key(self, state: PodClaims) -> Hashable | None:
        is_plain = state.extended is None and state.talk is None
        if not is_plain or len(state.unallocated) != len(state.claims):
            return None
        if state.inventory is None:
            return b""
        if state.inventory.changes is None:
            return None
        return limited_key([state.inventory.turn, [claim["spec"] for claim in state.claims]])

    def score(self, state: PodClaims, node: str) -> int:
        if not self._rules.quirks.choices_are_scored or not self._rules.prioritized_list:
            return 0
        results = dict(
            zip((id(claim) for claim in state.unallocated), state.allocations.get(node, ()), strict=False)
        )
        return sum(_score(claim, results.get(id(claim))) for claim in state.claims)

    async def reserve(self, state: PodClaims, pod: Object, node: str, fitting: Sequence[str]) -> None:
        if self._drivers is not None and state.talk is not None:
            await self._drivers.reserve(pod, state.talk, node, fitting)

    async def post_filter(self, state: PodClaims, pod: Object) -> Deallocation | None:
        uid = pod["metadata"]["uid"]
        extended = state.extended
        if extended is not None and extended["metadata"]["name"] == IN_MEMORY:
            extended = None
        for claim in state.unavailable:
            if claim is extended:
                break
            if claim is state.extended or any(
                consumer["uid"] != uid for consumer in claim["status"].get("reservedFor") or ()
            ):
                continue
            if not claim["status"]["allocation"].get("controller"):
                return Deallocation(claim)
            if self._drivers is not None and state.talk is not None:
                await self._drivers.stop_allocating(pod, state.talk)
            return Deallocation(claim, by_driver=True)
        return None if extended is None else Deallocation(extended, is_deleted=True)

    async def after_binding(self, state: PodClaims, pod: Object) -> None:
        if self._drivers is not None and state.claims:
            await self._drivers.end(pod)


def _exact_requests(claim: Object) -> list[Object]:
    requests = (claim["spec"].get("devices") or {}).get("requests") or ()
    return [spec for request in requests for _, _, spec in choices_of(request)]


def _available(claims: Sequence[Object], node: Object) -> list[Object]:
    """Returns the allocated claims with devices that the node can use."""
    allocated = [(claim, claim["status"].get("allocation")) for claim in claims]
    return [
        claim for claim, allocation in allocated if allocation is not None and _is_available(allocation, node)
    ]


def _is_available(allocation: Object | None, node: Object) -> bool:
    selector = (allocation or {}).get("nodeSelector")
    return selector is None or matches_selector(selector, node)


def _score(claim: Object, result: Object | None) -> int:
    allocation = claim["status"].get("allocation") or result or {}
    chosen = {entry["request"] for entry in (allocation.get("devices") or {}).get("results") or ()}
    requests: Sequence[Object] = (claim["spec"].get("devices") or {}).get("requests") or ()
    return sum(
        CHOICES_MAX - index
        for request in requests
        for index, choice in enumerate(request.get("firstAvailable") or ())
        if f"{request['name']}/{choice['name']}" in chosen
    )
