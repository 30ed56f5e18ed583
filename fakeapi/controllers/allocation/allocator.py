"""Chooses devices on one node for ResourceClaims, and returns an AllocationResult for each claim."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.controllers.allocation.constraints import Constraint, constraint_of
from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.controllers.allocation.model import (
    TIMED_OUT,
    AllocatedState,
    AllocationError,
    NodeError,
    Pool,
    SearchTooLong,
)
from fakeapi.controllers.allocation.nodes import merged_selector
from fakeapi.controllers.allocation.pool_changes import PoolChanges
from fakeapi.controllers.allocation.pools import Slices, gather_pools, has_binding_conditions
from fakeapi.controllers.allocation.requests import (
    ALL,
    EXACT_COUNT,
    RESULTS_MAX,
    Request,
    choices_of,
    name_of_claim,
)
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.search import ClaimWork, Result, Search, TooManyDevices
from fakeapi.controllers.allocation.selector_results import SelectorResults
from fakeapi.controllers.allocation.selectors import DeviceMatcher, Selection
from fakeapi.machinery.json_types import Object

OPTIONAL_NODE_OPERATIONS = "DRAOptionalNodeOperations"
"""Name of the feature gate for skipping node operations of drivers.

A node declares this feature in status.declaredFeatures.
"""


@dataclass(frozen=True, slots=True)
class Inventory:
    """The objects that an allocation reads: slices with taints, and DeviceClasses by name.

    - `state`: the devices in use.
    - `turn`: in releases that do not sort pools, the search starts with the pool at the index `turn` modulo
      the number of pools.
    - `changes`: the log of pools whose devices in use have changed; None for no log.
    """

    slices: Slices
    classes: Mapping[str, Object]
    state: AllocatedState
    turn: int = 0
    changes: PoolChanges | None = None


async def allocate(
    claims: Sequence[Object],
    node: Object,
    inventory: Inventory,
    rules: AllocationRules,
    matcher: DeviceMatcher,
    new_share_id: Callable[[], str],
    effort: NodeEffort,
    results: SelectorResults | None = None,
) -> list[Object] | None:
    """Allocates devices on a node.

    Returns an AllocationResult for each claim; None if the devices do not suffice.

    - `claims`, and the classes and slices in `inventory`: in the layout of resource.k8s.io/v1.
    - `new_share_id`: generates the share IDs of shared devices.
    - `effort`: limits the search. A search over this limit raises AllocationError or NodeError, depending on
      the release.
    - `results`: the results of earlier searches with this matcher.

    Raises AllocationError for a problem that ends the scheduling of the pod. Raises NodeError if the devices
    do not suffice and a pool of the node is invalid; releases with the quirk `incomplete_pools_serve` return
    None instead.
    """
    pools = gather_pools(inventory.slices, node, rules)
    if pools and not rules.pools_are_sorted:
        first = inventory.turn % len(pools)
        pools = pools[first:] + pools[:first]
        if rules.conditions_come_last:
            pools.sort(key=has_binding_conditions)
    selection = Selection(
        matcher,
        node,
        effort,
        binding_conditions=rules.binding_conditions,
        names_devices=rules.quirks.selector_errors_name_devices,
        results=results,
    )
    work: list[ClaimWork] = []
    skips = OPTIONAL_NODE_OPERATIONS in (node.get("status") or {}).get("declaredFeatures", ())
    search = Search(work, pools, inventory.state, selection, rules, effort, node_skips_operations=skips)
    try:
        context = _Context(pools, inventory, rules, selection, search)
        for index, claim in enumerate(claims):
            work.append(await _claim_work(index, claim, context))
        selection.forget()
        succeeded = await search.run()
    except TooManyDevices:
        succeeded = False
    except SearchTooLong:
        if rules.quirks.long_searches_are_errors:
            raise AllocationError(f"node {node['metadata']['name']}: {TIMED_OUT}") from None
        raise NodeError(TIMED_OUT) from None
    if not succeeded:
        if any(pool.problem for pool in pools) and not rules.quirks.incomplete_pools_serve:
            raise NodeError("invalid resource pools were encountered")
        return None
    return [_result(claim_work, node["metadata"]["name"], rules, new_share_id) for claim_work in work]


def has_shares(results: Iterable[Object]) -> bool:
    """Whether any AllocationResult has a share of a device. Each share has an ID of its own."""
    return any("shareID" in device for result in results for device in result["devices"]["results"])


class _Context(msgspec.Struct, frozen=True):
    pools: Sequence[Pool]
    inventory: Inventory
    rules: AllocationRules
    selection: Selection
    search: Search


async def _claim_work(index: int, claim: Object, context: _Context) -> ClaimWork:
    rules, name = context.rules, name_of_claim(claim)
    devices = claim["spec"].get("devices") or {}
    requests: list[list[Request]] = []
    least = 0
    for number, request in enumerate(devices.get("requests") or ()):
        if request.get("firstAvailable") and not rules.prioritized_list:
            feature = "the DRAPrioritizedList feature is disabled"
            raise AllocationError(f"claim {name}, request {request['name']}: has subrequests, but {feature}")
        choices = []
        for choice, (own, parent, spec) in enumerate(choices_of(request)):
            shares_first = rules.quirks.all_of_second_choice_is_that_of_first
            key = (index, number, max(choice - 1, 0) if shares_first else choice)
            choices.append(await _request(key, claim, Request(own, parent, spec, {}), context))
        requests.append(choices)
        needed = min(alternative.count for alternative in choices)
        if rules.quirks.claim_limit_names_request and needed > RESULTS_MAX - least:
            limit = f"exceeds the claim limit of {RESULTS_MAX}, with {least} already accounted for"
            raise AllocationError(f"claim {name}, request {request['name']}: adding {needed} devices {limit}")
        least += needed
    if least > RESULTS_MAX:
        limit = f"exceeds the claim limit of {RESULTS_MAX}"
        raise AllocationError(f"claim {name}: number of requested devices {least} {limit}")
    return ClaimWork(claim, requests, _constraints(name, devices, rules))


def _constraints(claim: str, devices: Object, rules: AllocationRules) -> list[Constraint]:
    constraints = []
    for number, spec in enumerate(devices.get("constraints") or ()):
        constraint = constraint_of(spec, lists=rules.list_attributes, distinct=rules.quirks.distinct)
        if constraint is None:
            problem = "empty constraint (unsupported constraint type?)"
            raise AllocationError(f"claim {claim}, constraint #{number}: {problem}")
        constraints.append(constraint)
    return constraints


async def _request(key: tuple[int, int, int], claim: Object, request: Request, context: _Context) -> Request:
    """Completes a request with its DeviceClass and its number of devices; returns the request.

    For allocationMode All, also sets the list of devices.

    - `key`: identifies the request in the cache: the indexes of claim, request and subrequest.

    Raises AllocationError if the class does not exist, or if a feature or mode is not supported. Also raises
    AllocationError for All if a pool is incomplete or invalid.
    """
    whose = f"claim {name_of_claim(claim)}, request {request.name}"
    if not context.rules.admin_access and "adminAccess" in request.spec and not request.parent:
        raise AllocationError(f"{whose}: admin access is requested, but the feature is disabled")
    class_name = request.spec["deviceClassName"]
    device_class = context.inventory.classes.get(class_name)
    if device_class is None:
        missing = f'deviceclass.resource.k8s.io "{class_name}" not found'
        raise AllocationError(f"{whose}: could not retrieve device class {class_name}: {missing}")
    request.device_class = device_class
    mode = request.spec.get("allocationMode", EXACT_COUNT)
    if mode == EXACT_COUNT:
        request.count = int(request.spec.get("count", 1))
    elif mode == ALL:
        await _find_all(key, claim, request, whose, context)
    else:
        raise AllocationError(f"{whose}: unsupported count mode {mode}")
    return request


async def _find_all(
    key: tuple[int, int, int], claim: Object, request: Request, whose: str, context: _Context
) -> None:
    selects, by_class = context.selection.selects, not context.rules.quirks.all_ignores_classes
    for pool in context.pools:
        asks = f"{whose}: asks for all devices, but resource pool {pool.id} is currently"
        if pool.is_incomplete:
            raise AllocationError(f"{asks} being updated")
        if pool.problem:
            raise AllocationError(f"{asks} invalid")
        request.devices += [
            device
            for device in pool.devices
            if await selects(key, claim, request, device, by_class=by_class)
            and context.search.has_capacity(request, device)
        ]
    request.count = len(request.devices)


def _result(
    work: ClaimWork, node_name: str, rules: AllocationRules, new_share_id: Callable[[], str]
) -> Object:
    devices: Object = {"results": [_device_result(taken, rules, new_share_id) for taken in work.results]}
    config = [*_config_of_classes(work, rules), *_config_of_claim(work, rules)]
    brief = rules.quirks.config_for_all_names_no_request
    if config:
        devices["config"] = [_for_all(entry, work) for entry in config] if brief else config
    result: Object = {"devices": devices}
    places = [
        (
            taken.device.spec
            if taken.device.slice.spec.get("perDeviceNodeSelection")
            else taken.device.slice.spec,
            bool(taken.device.spec.get("bindsToNode")),
        )
        for taken in work.results
    ]
    selector = merged_selector(places, node_name)
    if selector is not None:
        result["nodeSelector"] = selector
    return result


def _device_result(taken: Result, rules: AllocationRules, new_share_id: Callable[[], str]) -> Object:
    device, request = taken.device, taken.request
    result: Object = {
        "request": request.full_name,
        "driver": device.id.driver,
        "pool": device.id.pool,
        "device": device.id.device,
    }
    if request.is_admin:
        result["adminAccess"] = True
    if rules.results_have_tolerations and request.spec.get("tolerations"):
        result["tolerations"] = request.spec["tolerations"]
    if rules.binding_conditions:
        for field in ("bindingConditions", "bindingFailureConditions"):
            if device.spec.get(field):
                result[field] = device.spec[field]
    if device.slice.spec.get("skipNodeOperations"):
        result["skipNodeOperations"] = device.slice.spec["skipNodeOperations"]
    if taken.consumed is not None:
        result["shareID"] = new_share_id()
        if taken.consumed:
            result["consumedCapacity"] = taken.consumed
    return result


def _config_of_classes(work: ClaimWork, rules: AllocationRules) -> list[Object]:
    """Returns the config entries of the DeviceClasses, with source FromClass.

    Each entry appears once, and its `requests` names all requests that use the class. In releases with the
    quirk `config_of_classes_names_no_request`, each entry appears once per request, without `requests`.
    """
    entries: list[Object] = []
    by_class: dict[str, list[Object]] = {}
    for number, choices in enumerate(work.requests):
        request = choices[work.chosen.get(number, 0)]
        name = request.device_class["metadata"]["name"]
        if rules.quirks.config_of_classes_names_no_request:
            entries += [
                {"source": "FromClass", **entry} for entry in request.device_class["spec"].get("config") or ()
            ]
        elif name in by_class:
            for entry in by_class[name]:
                entry["requests"].append(request.full_name)
        else:
            by_class[name] = [
                {"source": "FromClass", "requests": [request.full_name], **entry}
                for entry in request.device_class["spec"].get("config") or ()
            ]
            entries += by_class[name]
    return entries


def _config_of_claim(work: ClaimWork, rules: AllocationRules) -> list[Object]:
    """Returns the config entries of the claim, with source FromClaim.

    In releases with the quirk `config_is_filtered`, omits the config of subrequests that were not chosen. An
    entry for several requests can then appear several times.
    """
    entries: list[Object] = []
    for entry in (work.claim["spec"].get("devices") or {}).get("config") or ():
        own = {"source": "FromClaim", **entry}
        names = entry.get("requests") or []
        if not names or not rules.quirks.config_is_filtered:
            entries.append(own)
            continue
        for number, choices in enumerate(work.requests):
            request = choices[work.chosen.get(number, 0)]
            if (request.parent or request.name) in names or (request.parent and request.full_name in names):
                entries.append(own)
                if rules.quirks.config_for_all_names_no_request:
                    break
    return entries


def _for_all(config: Object, work: ClaimWork) -> Object:
    """Returns a config entry for an allocation.

    Removes `requests` if the entry names all requests of the claim.
    """
    names = config.get("requests") or ()
    for number, choices in enumerate(work.requests):
        request = choices[work.chosen.get(number, 0)]
        if (request.parent or request.name) not in names and request.full_name not in names:
            return config
    return {name: value for name, value in config.items() if name != "requests"}
