"""Evaluates CEL selectors for devices. The selectors come from DeviceClasses and from claim requests.

The error messages follow k8s.io/dynamic-resource-allocation `structured` (selectorsMatch).
"""

from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.machinery.cel.device_evaluation import Device, DeviceSelector
from fakeapi.machinery.json_types import Object
from fakeapi.releases.device_selectors import compile_selector
from fakeapi.releases.rules import ReleaseRules


def device_matcher(rules: ReleaseRules) -> DeviceMatcher:
    """Returns a function that evaluates CEL selectors for devices, like kube-scheduler of the release."""

    def matches(expression: str, driver: str, device: Object) -> bool:
        selector = compile_selector(expression, rules)
        if not isinstance(selector, DeviceSelector):
            raise SelectorError(f"CEL compile error: {selector.detail}")
        result = selector.matches(
            Device(
                driver,
                device.get("attributes") or {},
                device.get("capacity") or {},
                bool(device.get("allowMultipleAllocations")),
            )
        )
        if result.error:
            raise SelectorError(f"CEL runtime error: {result.error}")
        return result.matches

    return matches
