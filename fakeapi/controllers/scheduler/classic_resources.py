"""ClassicResources: the scheduler plugin for v1alpha2 claims.

The scheduler allocates named resources to a claim if the claim's class has structured parameters. DRA control
plane controllers allocate all other claims. Follows k8s.io/kubernetes
`pkg/scheduler/framework/plugins/dynamicresources` of 1.27 to 1.30.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import TIMED_OUT, SearchTooLong
from fakeapi.controllers.allocation.nodes import matches_selector
from fakeapi.controllers.pod_claims import FINALIZER, GROUP, WAITS
from fakeapi.controllers.scheduler.claim_plugin import ClaimPlugin, Deallocation, PodClaims
from fakeapi.controllers.scheduler.classic_drivers import ClassicDrivers, Negotiation, Pending, check_usable
from fakeapi.controllers.scheduler.named_resources import (
    ClaimModel,
    Resources,
    SelectorFailure,
    resources_of,
)
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView, NotReady
from fakeapi.controllers.scheduler.status import CannotSchedule, PluginError, Unschedulable
from fakeapi.machinery.json_types import Object
from fakeapi.releases.quirks import Quirks

NAME = "DynamicResources"
EVERY = "true"
"""The CEL selector for a claim without parameters; it matches all instances of named resources."""
_EXCLUDED = "excluded by resource class node filter"


@dataclass(eq=False, slots=True, kw_only=True)
class ClassicClaims(PodClaims):
    """The v1alpha2 claims of a pod during one scheduling attempt.

    - `models`: for each claim in `unallocated`, a pair: the requests of the claim, and the suitableNodes of
      its class. The suitableNodes are None if every node is suitable.
    - `resources`: the instances of named resources, by node and driver.
    - `effort`: limits the evaluation of CEL selectors.
    """

    models: list[tuple[ClaimModel, Object | None]] = field(default_factory=list)
    resources: Resources = field(default_factory=dict)
    effort: Effort


class ClassicResources(ClaimPlugin[ClassicClaims]):
    """The scheduler plugin DynamicResources for claims of v1alpha2."""

    def __init__(self, view: DeviceView, drivers: ClassicDrivers, quirks: Quirks) -> None:
        self._view = view
        self._drivers = drivers
        self._quirks = quirks

    async def pre_filter(self, pod: Object, effort: Effort, turn: int = 0) -> ClassicClaims:
        try:
            claims = self._view.claims_of(pod)
        except NotReady as problem:
            raise CannotSchedule(str(problem)) from None
        state = ClassicClaims(claims, effort=effort)
        if not claims:
            return state
        talk = state.talk = self._drivers.begin(pod)
        for pod_claim, claim in zip(pod["spec"]["resourceClaims"], claims, strict=False):
            check_usable(pod, claim)
            if "allocation" not in claim["status"]:
                self._add_unallocated(state, talk, pod_claim["name"], claim)
        if state.models:
            state.resources = resources_of(
                self._view.objects("resourceslices"), self._view.objects("resourceclaims")
            )
        return state

    def _add_unallocated(
        self, state: ClassicClaims, talk: Negotiation, pod_claim: str, claim: Object
    ) -> None:
        name = claim["spec"]["resourceClassName"]
        resource_class = self._view.classes("resourceclasses").get(name)
        if resource_class is None:
            raise CannotSchedule(f"resource class {name} does not exist")
        nodes = resource_class.get("suitableNodes")
        if resource_class.get("structuredParameters"):
            try:
                model = ClaimModel(
                    resource_class,
                    self._class_parameters(resource_class),
                    self._claim_parameters(resource_class, claim),
                    self._quirks,
                )
            except SelectorFailure as failure:
                raise PluginError(NAME, "PreFilter", str(failure)) from None
            state.unallocated.append(claim)
            state.models.append((model, nodes))
            talk.structured += 1
        elif claim["spec"].get("allocationMode", WAITS) != WAITS:
            raise CannotSchedule("unallocated immediate resourceclaim")
        else:
            selectors = [] if nodes is None else [nodes]
            talk.pending.append(Pending(selectors, _EXCLUDED, talk.says_of(pod_claim)))

    def _class_parameters(self, resource_class: Object) -> Object:
        reference = resource_class.get("parametersRef")
        if reference is None:
            return {}
        parameters = self._parameters("resourceclassparameters", reference, reference.get("namespace", ""))
        if parameters is not None:
            return parameters
        if _is_own(reference, "ResourceClassParameters"):
            where = _named(reference.get("namespace", ""), reference["name"])
            raise CannotSchedule(f"class parameters {where} not found")
        kind = f"{reference['kind']}.{reference.get('apiGroup', '')}"
        raise CannotSchedule(f"generated class parameters for {kind} {reference['name']} not found")

    def _claim_parameters(self, resource_class: Object, claim: Object) -> Object:
        reference = claim["spec"].get("parametersRef")
        if reference is None:
            request = {"vendorParameters": None, "namedResources": {"selector": EVERY}}
            requests = [{"driverName": resource_class["driverName"], "requests": [request]}]
            return {"shareable": True, "driverRequests": requests}
        namespace = claim["metadata"]["namespace"]
        parameters = self._parameters("resourceclaimparameters", reference, namespace)
        if parameters is not None:
            return parameters
        where = _named(namespace, reference["name"])
        if _is_own(reference, "ResourceClaimParameters"):
            raise CannotSchedule(f"claim parameters {where} not found")
        kind = f"{reference['kind']}.{reference.get('apiGroup', '')}"
        raise CannotSchedule(f"generated claim parameters for {kind} {where} not found")

    def _parameters(self, plural: str, reference: Object, namespace: str) -> Object | None:
        """Returns the object with the parameters of a class or claim; None if no such object exists.

        The result is the referenced object itself, or an object that a driver generated from the referenced
        object.

        - `plural`: resourceclassparameters or resourceclaimparameters.
        - `reference`: the parametersRef of the class or claim.
        - `namespace`: the namespace of the referenced object.
        """
        kind = "ResourceClassParameters" if plural == "resourceclassparameters" else "ResourceClaimParameters"
        for candidate in self._view.objects(plural):
            metadata = candidate["metadata"]
            if _is_own(reference, kind):
                if metadata["namespace"] == namespace and metadata["name"] == reference["name"]:
                    return candidate
                continue
            origin = candidate.get("generatedFrom")
            if origin is None or any(
                origin.get(key, "") != reference.get(key, "") for key in ("apiGroup", "kind", "name")
            ):
                continue
            of_class = plural == "resourceclassparameters"
            own = origin.get("namespace", "") if of_class else metadata["namespace"]
            if own == namespace:
                return candidate
        return None

    async def filter(
        self, state: ClassicClaims, pod: Object, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        unavailable = []
        for claim in state.claims:
            allocation = claim["status"].get("allocation") or {}
            nodes = allocation.get("availableOnNodes")
            if nodes is not None and not matches_selector(nodes, node.node):
                unavailable.append(claim)
        refusal = None if state.talk is None else state.talk.filter(node.node)
        refusal = refusal or await self._refused_by_models(state, node, effort)
        if refusal is not None:
            return refusal
        if not unavailable:
            return None
        known = {claim["metadata"]["uid"] for claim in state.unavailable}
        state.unavailable += [
            claim
            for claim in unavailable
            if claim["metadata"]["uid"] not in known and claim["spec"].get("allocationMode", WAITS) == WAITS
        ]
        return Unschedulable(("resourceclaim not available on the node",))

    async def _refused_by_models(
        self, state: ClassicClaims, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        share = effort.on_node()
        for model, nodes in state.models:
            if nodes is not None and not matches_selector(nodes, node.node):
                return Unschedulable((_EXCLUDED,))
            try:
                fits = await model.fits(node.name, state.resources, share)
            except SearchTooLong:
                return Unschedulable((TIMED_OUT,))
            except SelectorFailure as failure:
                return Unschedulable((f"checking structured parameters failed: {failure}",))
            if not fits:
                return Unschedulable(("resourceclaim cannot be allocated for the node (unsuitable)",))
        return None

    def score(self, state: ClassicClaims, node: str) -> int:
        return 0

    async def reserve(self, state: ClassicClaims, pod: Object, node: str, fitting: Sequence[str]) -> None:
        results = []
        share = state.effort.on_node()
        for model, _ in state.models:
            try:
                driver, allocation = await model.allocate(node, state.resources, share)
            except (ValueError, KeyError, SearchTooLong):
                problem = (
                    "claim allocation failed unexpectedly: "
                    "allocating via named resources structured model: insufficient resources"
                )
                raise PluginError(NAME, "Reserve", problem) from None
            results.append({"driverName": driver, "allocation": allocation})
        state.allocations[node] = results
        if state.talk is not None:
            await self._drivers.reserve(pod, state.talk, node, fitting)

    async def post_filter(self, state: ClassicClaims, pod: Object) -> Deallocation | None:
        uid = pod["metadata"]["uid"]
        for claim in state.unavailable:
            if all(consumer["uid"] == uid for consumer in claim["status"].get("reservedFor") or ()):
                if FINALIZER in (claim["metadata"].get("finalizers") or ()):
                    return Deallocation(claim)
                if state.talk is not None:
                    await self._drivers.stop_allocating(pod, state.talk)
                return Deallocation(claim, by_driver=True)
        return None

    async def after_binding(self, state: ClassicClaims, pod: Object) -> None:
        if state.claims:
            await self._drivers.end(pod)


def _is_own(reference: Object, kind: str) -> bool:
    return reference.get("apiGroup") == GROUP and bool(reference["kind"] == kind)


def _named(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name
