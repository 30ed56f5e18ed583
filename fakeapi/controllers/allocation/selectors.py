"""Evaluates the CEL selectors of DeviceClasses and requests, once for each request and device."""

from collections.abc import Callable, Iterable
from time import thread_time
from typing import Protocol

from fakeapi.controllers.allocation.model import AllocationError, Device, SearchTooLong
from fakeapi.controllers.allocation.nodes import serves_node
from fakeapi.controllers.allocation.requests import Request, name_of_claim
from fakeapi.machinery.json_types import Object

SECONDS_MAX = 1.0
"""CPU time for the selectors of one search: each may be expensive, and there may be many. Upstream stops
after ten seconds (DRASchedulerFilterTimeout) or never."""


HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)


class SelectorError(Exception):
    """A selector failed; the text follows `selector #N: ` in the allocation error."""


class DeviceMatcher(Protocol):
    """Evaluates a CEL selector on a device."""

    def __call__(self, expression: str, driver: str, device: Object) -> bool:
        """Raises SelectorError."""
        ...


class Selection:
    """Devices that requests may get by their selectors, in one search on one node."""

    def __init__(
        self,
        matcher: DeviceMatcher,
        node: Object,
        *,
        binding_conditions: bool,
        names_devices: bool = False,
    ) -> None:
        """`names_devices`: errors name the device on which a selector failed."""
        self._names_devices = names_devices
        self._matcher = matcher
        self._node = node
        self._binding_conditions = binding_conditions
        self._known: dict[tuple[object, ...], bool] = {}
        self._began = thread_time()

    def forget(self) -> None:
        """Drops the cached results."""
        self._known.clear()

    def selects(
        self,
        key: tuple[int, int, int],
        claim: Object,
        request: Request,
        device: Device,
        *,
        by_class: bool = True,
    ) -> bool:
        """Whether a device matches the selectors of class and request. Raises AllocationError, SearchTooLong.

        `key` identifies the request; without `by_class` the selectors of the class are ignored.
        """
        if not self._binding_conditions and device.spec.get("bindingConditions"):
            return False
        known = self._known.get((device.id, key))
        if known is None:
            known = self._known[device.id, key] = self._matches(claim, request, device, by_class=by_class)
        return known

    def _matches(self, claim: Object, request: Request, device: Device, *, by_class: bool) -> bool:
        if thread_time() - self._began > SECONDS_MAX:
            raise SearchTooLong
        class_name = request.device_class["metadata"]["name"]
        of_class = (request.device_class["spec"].get("selectors") or ()) if by_class else ()
        if not self._all_match(of_class, device, lambda: f"class {class_name}"):
            return False
        own = request.spec.get("selectors") or ()
        if not self._all_match(own, device, lambda: f"claim {name_of_claim(claim)}"):
            return False
        return not device.slice.spec.get("perDeviceNodeSelection") or serves_node(device.spec, self._node)

    def _all_match(self, selectors: Iterable[Object], device: Device, whose: Callable[[], str]) -> bool:
        for index, selector in enumerate(selectors):
            try:
                if not self._matcher(selector["cel"]["expression"], device.id.driver, device.spec):
                    return False
            except SelectorError as error:
                text = f"selector #{index}: {error}"
                if self._names_devices:
                    hint = HINT if "no such key:" in str(error) else ""
                    text = f"selector #{index} on device {device.id}: {error}{hint}"
                raise AllocationError(f"{whose()}: {text}") from None
        return True
