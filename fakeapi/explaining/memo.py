"""Remembers the results of CEL selectors for equal devices, because an explanation evaluates them often."""

from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.machinery.json_types import Object

RESULTS_MAX = 200_000
"""Maximum number of results to remember; a full memory is cleared."""


def remembering(matcher: DeviceMatcher) -> DeviceMatcher:
    """Returns a matcher that evaluates each expression once per device object.

    The devices must not change, and must live as long as the matcher.
    """
    known: dict[tuple[str, int], bool | SelectorError] = {}
    devices: dict[int, Object] = {}

    def matches(expression: str, driver: str, device: Object) -> bool:
        key = expression, id(device)
        result = known.get(key)
        if result is None:
            if len(known) >= RESULTS_MAX:
                known.clear()
                devices.clear()
            devices[id(device)] = device  # keeps the id
            try:
                result = matcher(expression, driver, device)
            except SelectorError as error:
                result = error
            known[key] = result
        if isinstance(result, SelectorError):
            raise SelectorError(str(result))
        return result

    return matches
