"""Evaluates the CEL selectors of DeviceClasses and requests. Caches the results per request and device."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.controllers.allocation.model import AllocationError, Device
from fakeapi.controllers.allocation.nodes import serves_node
from fakeapi.controllers.allocation.requests import Request, name_of_claim
from fakeapi.controllers.allocation.selector_results import SelectorResults
from fakeapi.machinery.json_types import Object

HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)


class SelectorError(Exception):
    """Raised if a CEL selector fails. AllocationError prints this message after the index of the selector."""


class DeviceMatcher(Protocol):
    """A function that evaluates a CEL selector for a device."""

    def __call__(self, expression: str, driver: str, device: Object) -> bool:
        """Returns whether the device matches the expression. `driver`: the name of the device's driver.

        Raises SelectorError if the evaluation fails.
        """
        ...


class Selection:
    """Decides which devices match the selectors of requests, in one search on one node."""

    def __init__(
        self,
        matcher: DeviceMatcher,
        node: Object,
        effort: NodeEffort,
        *,
        binding_conditions: bool,
        names_devices: bool = False,
        results: SelectorResults | None = None,
    ) -> None:
        """Starts with empty caches.

        - `binding_conditions`: whether devices with binding conditions may be selected.
        - `names_devices`: whether error messages contain the device for which a selector failed.
        - `results`: the results of earlier searches with this matcher.
        """
        self._results = results
        self._names_devices = names_devices
        self._matcher = matcher
        self._node = node
        self._binding_conditions = binding_conditions
        self._known: dict[tuple[object, ...], bool] = {}
        self._matching: dict[tuple[object, ...], bool] = {}
        self._effort = effort

    def forget(self) -> None:
        """Clears the cached results of `selects`. Keeps the cached results of CEL expressions."""
        self._known.clear()

    async def selects(
        self,
        key: tuple[int, int, int],
        claim: Object,
        request: Request,
        device: Device,
        *,
        by_class: bool = True,
    ) -> bool:
        """Whether a device matches the selectors of the DeviceClass and of the request.

        Also checks the device's own node selection, and whether devices with binding conditions may be
        selected.

        - `key`: identifies the request in the cache.
        - `by_class`: whether the selectors of the DeviceClass apply.

        Raises AllocationError if a selector fails, and SearchTooLong if the selectors take too long.
        """
        if not self._binding_conditions and device.spec.get("bindingConditions"):
            return False
        known = self._known.get((device.id, key))
        if known is None:
            known = await self._matches(claim, request, device, by_class=by_class)
            self._known[device.id, key] = known
        return known

    async def _matches(self, claim: Object, request: Request, device: Device, *, by_class: bool) -> bool:
        class_name = request.device_class["metadata"]["name"]
        of_class = (request.device_class["spec"].get("selectors") or ()) if by_class else ()
        if not await self._all_match(of_class, device, lambda: f"class {class_name}"):
            return False
        own = request.spec.get("selectors") or ()
        if not await self._all_match(own, device, lambda: f"claim {name_of_claim(claim)}"):
            return False
        return not device.slice.spec.get("perDeviceNodeSelection") or serves_node(device.spec, self._node)

    async def _all_match(self, selectors: Iterable[Object], device: Device, whose: Callable[[], str]) -> bool:
        for index, selector in enumerate(selectors):
            try:
                if not await self.is_match(selector["cel"]["expression"], device):
                    return False
            except SelectorError as error:
                text = f"selector #{index}: {error}"
                if self._names_devices:
                    hint = HINT if "no such key:" in str(error) else ""
                    text = f"selector #{index} on device {device.id}: {error}{hint}"
                raise AllocationError(f"{whose()}: {text}") from None
        return True

    async def is_match(self, expression: str, device: Device) -> bool:
        """Whether a device matches a selector; caches the result.

        Raises SelectorError if the evaluation fails, and SearchTooLong if no CPU time is left.
        """
        # Devices of an invalid pool may share a name, so the key also has the identity of the spec.
        key = (expression, device.id, id(device.spec))
        known = self._matching.get(key)
        if known is None:
            known = self._matching[key] = await self._evaluated(expression, device)
        return known

    async def _evaluated(self, expression: str, device: Device) -> bool:
        step = partial(self._matcher, expression, device.id.driver, device.spec)
        if self._results is None:
            return await self._effort.evaluate(step)
        content = self._results.key(expression, device.id.driver, device.spec)
        known = self._results.get(content)
        if known is None:
            known = await self._effort.evaluate(step)
            self._results.put(content, known)
        return known
