"""Caches the results of CEL selectors, because an explanation evaluates them often for the same devices."""

from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.machinery.json_types import Object

RESULTS_MAX = 200_000
"""Maximum number of cached results; a full cache is cleared."""


def remembering(matcher: DeviceMatcher) -> DeviceMatcher:
    """Returns a matcher that caches the result of each expression for each device object.

    Do not change the devices while you use the matcher.
    """
    known: dict[tuple[str, int], bool | str] = {}  # A text is the message of a SelectorError.
    devices: dict[int, Object] = {}

    def matches(expression: str, driver: str, device: Object) -> bool:
        key = expression, id(device)
        result = known.get(key)
        if result is None:
            if len(known) >= RESULTS_MAX:
                known.clear()
                devices.clear()
            devices[id(device)] = device  # The reference keeps the id unique.
            try:
                result = matcher(expression, driver, device)
            except SelectorError as error:
                result = str(error)
            known[key] = result
        if isinstance(result, str):
            raise SelectorError(result)
        return result

    return matches
