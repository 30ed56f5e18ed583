"""SelectorResults: caches which devices match which CEL selectors, by the content of the devices."""

import msgspec

from fakeapi.machinery.json_types import Object

RESULTS_MAX = 20_000
"""Maximum number of cached results. At this number, a new result clears the cache first."""
KEY_BYTES_MAX = 8 * 1024
"""Maximum size of a key, with the selector and the device, in bytes. Results with a larger key are not
cached.
"""
_FIELDS = ("attributes", "capacity", "allowMultipleAllocations")
"""The device fields that a CEL selector can read, in addition to the driver name."""


class SelectorResults:
    """The results of CEL selectors for devices. Devices with equal content share a result.

    Only selectors that were evaluated without an error have results.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, bool] = {}

    def __len__(self) -> int:
        return len(self._known)

    def key(self, expression: str, driver: str, device: Object) -> bytes | None:
        """Returns the key of a selector and a device; None for a key over KEY_BYTES_MAX."""
        key = msgspec.json.encode([expression, driver, [device.get(name) for name in _FIELDS]])
        return key if len(key) <= KEY_BYTES_MAX else None

    def get(self, key: bytes | None) -> bool | None:
        return None if key is None else self._known.get(key)

    def put(self, key: bytes | None, result: bool) -> None:  # noqa: FBT001 - the result of a selector
        if key is None:
            return
        if len(self._known) >= RESULTS_MAX:
            self._known.clear()
        self._known[key] = result
