"""Allocates named resources to v1alpha2 claims whose class has structured parameters.

Named resources are instances that drivers publish by name. Follows k8s.io/kubernetes
`pkg/scheduler/framework/plugins/dynamicresources` of 1.30 (structuredparameters.go and
`structured/namedresources`): first fit without backtracking, request by request.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import msgspec

from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.machinery.cel.named_resources_evaluation import NamedResourcesSelector
from fakeapi.machinery.json_types import Object
from fakeapi.releases.device_selectors import compile_named_resources_selector
from fakeapi.releases.quirks import Quirks


class SelectorFailure(Exception):
    """Raised if a CEL selector does not compile or its evaluation fails.

    The message follows kube-scheduler.
    """


class Instances(msgspec.Struct, eq=False):
    """The instances of named resources of one driver on one node, and the names of the instances in use."""

    every: list[Object] = msgspec.field(default_factory=list)
    used: set[str] = msgspec.field(default_factory=set)


Resources = Mapping[tuple[str, str], Instances]
"""Instances of named resources by (node name, driver name)."""


def resources_of(slices: Iterable[Object], claims: Iterable[Object]) -> Resources:
    """Returns the instances in all ResourceSlices, and the names of the instances that claims use."""
    resources: dict[tuple[str, str], Instances] = {}
    for resource_slice in slices:
        known = resources.setdefault(
            (resource_slice.get("nodeName", ""), resource_slice["driverName"]), Instances()
        )
        known.every += (resource_slice.get("namedResources") or {}).get("instances") or ()
    for claim in claims:
        allocation = claim["status"].get("allocation") or {}
        for handle in allocation.get("resourceHandles") or ():
            data = handle.get("structuredData")
            if data is None:
                continue
            place = data.get("nodeName", ""), handle.get("driverName", "")
            known = resources.setdefault(place, Instances())
            known.used |= {
                result["namedResources"]["name"]
                for result in data["results"] or ()
                if "namedResources" in result
            }
    return resources


class ClaimModel:
    """The requests of one claim, by driver, with compiled CEL selectors.

    The parameters of the claim contain the requests. The parameters of the class can contain filters: the
    first filter for a driver limits the driver's instances.
    """

    def __init__(
        self, resource_class: Object, class_parameters: Object, claim_parameters: Object, quirks: Quirks
    ) -> None:
        """Compiles the CEL selectors of the claim parameters and the class parameters.

        Raises SelectorFailure if a selector does not compile.
        """
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
        for entry in class_parameters.get("filters") or ():
            name = entry.get("driverName", "")
            if name in self._by_driver and name not in self._filters and entry.get("namedResources"):
                expression = entry["namedResources"]["selector"]
                self._filters[name] = _compiled(expression, quirks, "class filter")

    async def fits(self, node: str, resources: Resources, effort: NodeEffort) -> bool:
        """Whether a node has free instances for all requests of the claim.

        Raises SelectorFailure if a selector fails, and SearchTooLong if the selectors take too long.
        """
        for driver, requests in self._by_driver.items():
            try:
                instances = resources.get((node, driver), Instances())
                names = await self._choose(driver, instances, effort)
            except ValueError as error:
                where = f'checking node "{node}" and resources of driver "{driver}"'
                raise SelectorFailure(f"{where}: {error}") from None
            if len(names) != len(requests):
                return False
        return True

    async def allocate(self, node: str, resources: Resources, effort: NodeEffort) -> tuple[str, Object]:
        """Allocates instances on a node. Returns the driver name of the claim's class, and the allocation.

        Adds the chosen instances to the used instances in `resources`. Raises KeyError or ValueError if the
        node lacks free instances or a selector fails. Raises SearchTooLong if the selectors take too long.
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
        """Returns the name of a free instance for each request.

        Returns fewer names if there are too few matching instances.

        Raises ValueError if a selector fails, and SearchTooLong if the selectors take too long.
        """
        used, names = set(instances.used), []
        chosen_filter = self._filters.get(driver)
        for _, selector in self._by_driver[driver]:
            for instance in instances.every:
                if instance["name"] in used:
                    continue
                step = partial(_selected, chosen_filter, selector, instance.get("attributes") or ())
                if not await effort.evaluate(step):
                    continue
                used.add(instance["name"])
                names.append(instance["name"])
                break
        return names


def _selected(
    chosen_filter: NamedResourcesSelector | None,
    selector: NamedResourcesSelector,
    attributes: Sequence[Object],
) -> bool:
    """Whether an instance matches the selector of a request and the filter of the class.

    `chosen_filter`: None for a class without a filter. `attributes`: the attributes of the instance. Raises
    ValueError if the evaluation of a selector fails.
    """
    if chosen_filter is not None and not _matches(chosen_filter, attributes, "filter"):
        return False
    return _matches(selector, attributes, "request")


def _matches(selector: NamedResourcesSelector, attributes: Sequence[Object], whose: str) -> bool:
    try:
        return selector.matches(attributes)
    except ValueError as error:
        raise ValueError(f"evaluate {whose} CEL expression: {error}") from None


def _compiled(text: str, quirks: Quirks, whose: str) -> NamedResourcesSelector:
    selector = compile_named_resources_selector(text, quirks)
    if not isinstance(selector, NamedResourcesSelector):
        problem = f"compile {whose} CEL expression: {selector.detail}"
        raise SelectorFailure(f"creating claim controller for named resources structured model: {problem}")
    return selector


def _parameters(entries: Iterable[Object], driver: str, name: str) -> Object | None:
    return next((entry.get(name) for entry in entries if entry.get("driverName") == driver), None)
