"""Evaluates CEL device selectors against devices.

The selectors come from stored DeviceClasses and ResourceClaims, so they may use every CEL library of the
release. Follows DeviceMatches of k8s.io/dynamic-resource-allocation `cel`: the fields of the variable
`device`, errors and cost.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from fakeapi.machinery.cel import limits
from fakeapi.machinery.cel.compiler import Invalid, Strictness, Unchecked, check_text, planning_fault
from fakeapi.machinery.cel.devices import attribute_type
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.runtime.functions.quantities import parse as parse_quantity
from fakeapi.machinery.cel.runtime.functions.versions import parse as parse_version
from fakeapi.machinery.cel.runtime.json_values import JsonList
from fakeapi.machinery.cel.runtime.memory import Memory
from fakeapi.machinery.cel.runtime.plan import plan
from fakeapi.machinery.cel.runtime.program import Dialect, Program
from fakeapi.machinery.cel.runtime.values import Entries, Err, Items, MapValue, type_name
from fakeapi.machinery.cel.types import BOOL
from fakeapi.machinery.json_types import Object

DEVICE = "device"


class Device(msgspec.Struct, frozen=True):
    """A device of a ResourceSlice, with the data that CEL selectors can access.

    `attributes` and `capacity` are as in resource.k8s.io/v1: `{"model": {"string": "a"}}`, `{"memory":
    {"value": "1Gi"}}`. Names without a domain belong to the domain `driver`.
    """

    driver: str
    attributes: Mapping[str, Object]
    capacity: Mapping[str, Object]
    allow_multiple_allocations: bool = False


class Selection(msgspec.Struct, frozen=True):
    """The result of evaluating a selector on a device.

    `matches`: whether the device matches; False after an error.
    `error`: the error message of the evaluation; "" if the evaluation succeeded.
    `cost`: the actual cost in CEL cost units; None if nothing was evaluated.
    """

    matches: bool
    error: str = ""
    cost: int | None = None


class DeviceSelector:
    """A compiled CEL device selector; it can be evaluated on any number of devices."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def matches(self, device: Device, limit: int = limits.EVALUATION_COST_MAX) -> Selection:
        try:
            value = _device_value(device)
        except ValueError as error:
            return Selection(matches=False, error=str(error))
        evaluation = self._program.evaluate({DEVICE: value}, limit, Memory(limits.DEVICE_MEMORY_MAX))
        if evaluation.exceeded:
            return Selection(
                matches=False, error="operation cancelled: actual cost limit exceeded", cost=evaluation.cost
            )
        match evaluation.value:
            case Err(message):
                return Selection(matches=False, error=message, cost=evaluation.cost)
            case bool() as matches:
                return Selection(matches, cost=evaluation.cost)
            case other:
                return Selection(matches=False, error=_no_bool(other), cost=evaluation.cost)


def _no_bool(value: Any) -> str:
    name = type_name(value)
    return f"CEL result of type {name} could not be converted to bool: {_UNCONVERTED.get(name, name)}"


_UNCONVERTED = {
    "string": "unsupported native conversion from string to 'bool'",
    "int": "unsupported type conversion from 'int' to bool",
}


def device_selector(
    text: str, environment: Environment, strictness: Strictness, dialect: Dialect
) -> DeviceSelector | Invalid | Unchecked:
    """Compiles a stored CEL device selector.

    Ignores the settings of `strictness` for result type and cost.
    """
    checked = check_text(text, environment, strictness)
    if isinstance(checked, Invalid | Unchecked):
        return checked
    result = checked.type(checked.root)
    if result not in {BOOL, attribute_type(environment)}:
        return Invalid(f"must evaluate to bool or the unknown type, not {result.declared()}")
    fault = planning_fault(checked, environment)
    if fault:
        return Invalid(f"program instantiation failed: {fault}")
    return DeviceSelector(plan(checked, environment, dialect))


class _Domains(MapValue):
    """A CEL map: domain -> map from the names in this domain to values. Unknown domains have an empty map."""

    __slots__ = ("_by_domain",)

    def __init__(self, by_domain: dict[str, Entries]) -> None:
        self._by_domain = by_domain

    def __len__(self) -> int:
        return len(self._by_domain)

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(self._by_domain))

    def find(self, key: Any) -> Any:
        entries = self._by_domain.get(key) if type(key) is str else None
        return Entries() if entries is None else entries

    def holds(self, key: Any) -> Any:
        return type(key) is str and key in self._by_domain


def _device_value(device: Device) -> MapValue:
    """Returns the CEL value of a device.

    Raises ValueError for an attribute without a value, and for an invalid semantic version.
    """
    return Entries(
        (
            ("driver", device.driver),
            ("allowMultipleAllocations", device.allow_multiple_allocations),
            ("attributes", _by_domain(device.attributes, device.driver, _attribute)),
            ("capacity", _by_domain(device.capacity, device.driver, _amount)),
        )
    )


def _by_domain(named: Mapping[str, Object], driver: str, value_of: Callable[[str, Object], Any]) -> _Domains:
    entries_by_domain: dict[str, list[tuple[str, Any]]] = {}
    for name in sorted(named):
        domain, slash, own = name.partition("/")
        if not slash:
            domain, own = driver, name
        entries_by_domain.setdefault(domain, []).append((own, value_of(name, named[name])))
    return _Domains({domain: Entries(entries) for domain, entries in entries_by_domain.items()})


def _amount(name: str, capacity: Object) -> Any:
    return parse_quantity(capacity["value"])


def _attribute(name: str, attribute: Object) -> Any:
    for kind in ("ints", "bools", "strings"):
        if attribute.get(kind) is not None:
            return JsonList(attribute[kind])
    if attribute.get("versions") is not None:
        return Items([_version(name, text) for text in attribute["versions"]])
    for kind in ("int", "bool", "string"):
        if attribute.get(kind) is not None:
            return attribute[kind]
    if attribute.get("version") is not None:
        return _version(name, attribute["version"])
    raise ValueError(f"attribute {name}: unsupported attribute value")


def _version(name: str, text: str) -> Any:
    try:
        return parse_version(text)
    except ValueError as error:
        raise ValueError(f"attribute {name}: parse semantic version: {error}") from None
