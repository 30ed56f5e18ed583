"""Constraints on the devices of a claim: matchAttribute and distinctAttribute."""

from typing import Any, NamedTuple, Protocol

from fakeapi.controllers.allocation.model import Device
from fakeapi.machinery.json_types import Object
from fakeapi.releases.allocation_quirks import Distinct

_SCALARS = ("string", "int", "bool", "version")
_LISTS = ("ints", "bools", "strings", "versions")


class Taken(NamedTuple):
    """A device that the search has chosen for a request.

    `choice`: the name of the subrequest; "" if the request has no subrequests.
    """

    request: str
    choice: str
    device: Device


class Constraint(Protocol):
    """A constraint on the devices that the search has chosen so far for a claim."""

    def add(self, taken: Taken) -> bool:
        """Adds the device `taken` if the constraint allows it.

        Otherwise returns False and changes nothing.
        """
        ...

    def remove(self, taken: Taken) -> None:
        """Removes the device `taken`. Only the device that was added last can be removed."""
        ...


def constraint_of(spec: Object, *, lists: bool, distinct: Distinct) -> Constraint | None:
    """Returns the constraint for an entry of a claim's `devices.constraints`; None for an unknown type.

    - `lists`: whether device attributes may be lists.
    - `distinct`: how distinctAttribute compares a new device with earlier devices.
    """
    requests = frozenset(spec.get("requests") or ())
    if spec.get("matchAttribute"):
        return MatchAttribute(spec["matchAttribute"], requests, lists=lists)
    if spec.get("distinctAttribute"):
        return _DISTINCT[distinct](spec["distinctAttribute"], requests, lists=lists)
    return None


class _OfRequests:
    """Base class of constraints that apply to the named requests of a claim, or to all its requests."""

    def __init__(self, attribute: str, requests: frozenset[str], *, lists: bool) -> None:
        self._attribute = attribute
        self._requests = requests
        self._lists = lists

    def _concerns(self, taken: Taken) -> bool:
        names = {taken.request, f"{taken.request}/{taken.choice}"} if taken.choice else {taken.request}
        return not self._requests or not self._requests.isdisjoint(names)


class MatchAttribute(_OfRequests):
    """The constraint matchAttribute: all devices share at least one value of the attribute."""

    def __init__(self, attribute: str, requests: frozenset[str], *, lists: bool) -> None:
        super().__init__(attribute, requests, lists=lists)
        self._common: Any = None
        self._count = 0

    def add(self, taken: Taken) -> bool:
        if not self._concerns(taken):
            return True
        attribute = attribute_of(taken.device, self._attribute)
        if attribute is None:
            return False
        values = _values(attribute) if self._lists else _scalar(attribute)
        if self._count == 0:
            if self._lists and values is None:
                return False
            self._common = values
        elif self._lists:
            if values is None or values[0] != self._common[0] or not values[1] & self._common[1]:
                return False
            self._common = values[0], values[1] & self._common[1]
        elif values is None or values != self._common:
            return False
        self._count += 1
        return True

    def remove(self, taken: Taken) -> None:
        if self._concerns(taken):
            self._count -= 1


class DistinctAttribute(_OfRequests):
    """The constraint distinctAttribute: no two devices share a value of the attribute."""

    def __init__(self, attribute: str, requests: frozenset[str], *, lists: bool) -> None:
        super().__init__(attribute, requests, lists=lists)
        self._known: dict[str | int, Object] = {}
        self._count = 0

    def add(self, taken: Taken) -> bool:
        if not self._concerns(taken):
            return True
        attribute = attribute_of(taken.device, self._attribute)
        if attribute is None:
            return False
        attribute = self._compared(taken, attribute)
        if self._count and not self._differs(attribute):
            return False
        self._known[self._key(taken)] = attribute
        self._count += 1
        return True

    def _key(self, taken: Taken) -> str | int:
        """Returns the key under which `add` keeps an attribute, and by which `remove` drops the attribute.

        This class numbers the devices, because a search removes devices in the reverse order.
        """
        return self._count

    def _compared(self, taken: Taken, attribute: Object) -> Object:
        """Returns the value that must differ between devices. This class returns `attribute` unchanged.

        DistinctDevice overrides this method and returns the device's ID.
        """
        return attribute

    def remove(self, taken: Taken) -> None:
        if self._concerns(taken):
            self._count -= 1
            self._known.pop(self._key(taken), None)

    def _differs(self, attribute: Object) -> bool:
        values = _values(attribute) if self._lists else _scalar(attribute)
        if values is None:
            return False
        for other in self._known.values():
            known = _values(other) if self._lists else _scalar(other)
            if known is None or known[0] != values[0]:
                continue
            if known[1] & values[1] if self._lists else known[1] == values[1]:
                return False
        return True


class DistinctFromLast(DistinctAttribute):
    """The constraint distinctAttribute in releases that compare with the last device of each request."""

    def _key(self, taken: Taken) -> str | int:
        return taken.request


class DistinctDevice(DistinctFromLast):
    """The constraint distinctAttribute in releases that compare device IDs instead of attribute values."""

    def _compared(self, taken: Taken, attribute: Object) -> Object:
        return {"string": str(taken.device.id)}


_DISTINCT = {
    Distinct.DEVICE: DistinctDevice,
    Distinct.LAST: DistinctFromLast,
    Distinct.ALL: DistinctAttribute,
}


def attribute_of(device: Device, name: str) -> Object | None:
    """Returns a device attribute by its fully qualified name; None if the device lacks the attribute.

    A device may omit the domain of an attribute's name if the domain is the name of its driver.
    """
    attributes = device.spec.get("attributes") or {}
    if name in attributes:
        attribute: Object = attributes[name]
        return attribute
    domain, slash, short = name.partition("/")
    if slash and domain == device.id.driver and short in attributes:
        own: Object = attributes[short]
        return own
    return None


def _scalar(attribute: Object) -> tuple[str, Any] | None:
    return next(((kind, attribute[kind]) for kind in _SCALARS if kind in attribute), None)


def _values(attribute: Object) -> tuple[str, frozenset[Any]] | None:
    for kind in _LISTS:
        if attribute.get(kind):
            return kind.removesuffix("s"), frozenset(attribute[kind])
    scalar = _scalar(attribute)
    return None if scalar is None else (scalar[0], frozenset((scalar[1],)))
