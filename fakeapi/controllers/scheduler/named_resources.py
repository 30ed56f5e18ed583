"""Named resources: allocation of v1alpha2 claims whose class has structured parameters.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` of 1.30 (structuredparameters.go
and `structured/namedresources`): first fit without backtracking, request by request.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.machinery.cel.named_resources_evaluation import NamedResourcesSelector
from fakeapi.machinery.json_types import Object
from fakeapi.releases.device_selectors import compile_named_resources_selector
from fakeapi.releases.quirks import Quirks


class SelectorFailure(Exception):
    """A CEL selector does not compile or evaluate; the text is the scheduler's message."""


@dataclass(eq=False, slots=True)
class Instances:
    """The instances of one driver on one node, and the names of those in use."""

    every: list[Object] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


Resources = Mapping[tuple[str, str], Instances]
"""Instances by (node, driver)."""


def resources_of(slices: Iterable[Object], claims: Iterable[Object]) -> Resources:
    """The instances that slices publish, and the names of those that claims use."""
    found: dict[tuple[str, str], Instances] = {}
    for each in slices:
        known = found.setdefault((each.get("nodeName", ""), each["driverName"]), Instances())
        known.every += (each.get("namedResources") or {}).get("instances") or ()
    for claim in claims:
        allocation = claim["status"].get("allocation") or {}
        for handle in allocation.get("resourceHandles") or ():
            data = handle.get("structuredData")
            if data is None:
                continue
            place = data.get("nodeName", ""), handle.get("driverName", "")
            known = found.setdefault(place, Instances())
            known.used |= {
                each["namedResources"]["name"] for each in data["results"] or () if "namedResources" in each
            }
    return found


class ClaimModel:
    """The requests of one claim by driver, from its parameters and those of its class, with compiled
    selectors.
    """

    def __init__(
        self, resource_class: Object, class_parameters: Object, claim_parameters: Object, quirks: Quirks
    ) -> None:
        """Raises SelectorFailure."""
        self._class = resource_class
        self._class_parameters = class_parameters
        self._claim_parameters = claim_parameters
        self._by_driver: dict[str, list[tuple[Object, NamedResourcesSelector]]] = {}
        self._filters: dict[str, NamedResourcesSelector] = {}
        for driver in claim_parameters.get("driverRequests") or ():
            for request in driver.get("requests") or ():
                own = self._by_driver.setdefault(driver["driverName"], [])
                expression = request["namedResources"]["selector"]
                own.append((request, _compiled(expression, quirks, "request")))
        for each in class_parameters.get("filters") or ():
            name = each.get("driverName", "")
            if name in self._by_driver and name not in self._filters and each.get("namedResources"):
                expression = each["namedResources"]["selector"]
                self._filters[name] = _compiled(expression, quirks, "class filter")

    async def fits(self, node: str, resources: Resources, effort: NodeEffort) -> bool:
        """Whether the node has what the claim asks for. Raises SelectorFailure, SearchTooLong."""
        for driver, requests in self._by_driver.items():
            try:
                instances = resources.get((node, driver), Instances())
                found = await self._choose(driver, instances, effort)
            except ValueError as error:
                where = f'checking node "{node}" and resources of driver "{driver}"'
                raise SelectorFailure(f"{where}: {error}") from None
            if len(found) != len(requests):
                return False
        return True

    async def allocate(self, node: str, resources: Resources, effort: NodeEffort) -> tuple[str, Object]:
        """Takes instances on a node that fits; returns the driver's name and the allocation for the claim's
        status. Raises ValueError, KeyError, SearchTooLong.
        """
        handles = []
        for driver, requests in self._by_driver.items():
            names = await self._choose(driver, resources[node, driver], effort)
            resources[node, driver].used.update(names)
            data: Object = {
                "nodeName": node,
                "results": [
                    {
                        "vendorRequestParameters": request.get("vendorParameters"),
                        "namedResources": {"name": name},
                    }
                    for (request, _), name in zip(requests, names, strict=True)
                ],
            }
            for key, parameters in (
                ("vendorClassParameters", self._of_class(driver)),
                ("vendorClaimParameters", self._of_claim(driver)),
            ):
                if parameters is not None:
                    data[key] = parameters
            handles.append({"driverName": driver, "structuredData": data})
        here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
        allocation: Object = {"availableOnNodes": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}}
        if handles:
            allocation["resourceHandles"] = handles
        if self._claim_parameters.get("shareable"):
            allocation["shareable"] = True
        return self._class["driverName"], allocation

    def _of_class(self, driver: str) -> Object | None:
        return _parameters(self._class_parameters.get("vendorParameters") or (), driver, "parameters")

    def _of_claim(self, driver: str) -> Object | None:
        return _parameters(self._claim_parameters["driverRequests"], driver, "vendorParameters")

    async def _choose(self, driver: str, instances: Instances, effort: NodeEffort) -> list[str]:
        """The names of an instance for each request; fewer if some cannot be served.

        Raises ValueError, SearchTooLong.
        """
        used, found = set(instances.used), []
        chosen_filter = self._filters.get(driver)
        for _, selector in self._by_driver[driver]:
            for instance in instances.every:
                if instance["name"] in used:
                    continue
                step = partial(_selected, chosen_filter, selector, instance.get("attributes") or ())
                if not await effort.evaluate(step):
                    continue
                used.add(instance["name"])
                found.append(instance["name"])
                break
        return found


def _selected(
    chosen_filter: NamedResourcesSelector | None,
    selector: NamedResourcesSelector,
    attributes: Sequence[Object],
) -> bool:
    """Whether an instance matches the filter of the class and a request. Raises ValueError."""
    if chosen_filter is not None and not _matches(chosen_filter, attributes, "filter"):
        return False
    return _matches(selector, attributes, "request")


def _matches(selector: NamedResourcesSelector, attributes: Sequence[Object], whose: str) -> bool:
    try:
        return selector.matches(attributes)
    except ValueError as error:
        raise ValueError(f"evaluate {whose} CEL expression: {error}") from None


def _compiled(text: str, quirks: Quirks, whose: str) -> NamedResourcesSelector:
    found = compile_named_resources_selector(text, quirks)
    if not isinstance(found, NamedResourcesSelector):
        problem = f"compile {whose} CEL expression: {found.detail}"
        raise SelectorFailure(f"creating claim controller for named resources structured model: {problem}")
    return found


def _parameters(entries: Iterable[Object], driver: str, name: str) -> Object | None:
    return next((each.get(name) for each in entries if each.get("driverName") == driver), None)
