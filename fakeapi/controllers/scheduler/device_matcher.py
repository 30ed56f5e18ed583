"""Evaluates the CEL selectors of classes and requests on devices.

Follows k8s.io/dynamic-resource-allocation `cel` (DeviceMatches).
"""

from typing import Any

from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.machinery.cel.compiler import Invalid, Unchecked, check_text, planning_fault
from fakeapi.machinery.cel.runtime.functions.quantities import parse as parse_quantity
from fakeapi.machinery.cel.runtime.functions.versions import parse as parse_version
from fakeapi.machinery.cel.runtime.plan import Dialect, Program, plan
from fakeapi.machinery.cel.runtime.values import MISSING, Entries, Err, Items, MapValue, type_name
from fakeapi.machinery.json_types import Object
from fakeapi.registry.groups.resource_k8s_io.validation.cel_selectors import device_language
from fakeapi.releases.rules import ReleaseRules

PROGRAMS_MAX = 1000
"""Compiled selectors that are kept; when there are more, all are compiled again when needed."""


def device_matcher(rules: ReleaseRules) -> DeviceMatcher:
    """The matcher of a release's scheduler."""
    return _Matcher(rules)


class _Matcher:
    def __init__(self, rules: ReleaseRules) -> None:
        self._rules = rules
        self._programs: dict[str, Program] = {}

    def __call__(self, expression: str, driver: str, device: Object) -> bool:
        program = self._programs.get(expression)
        if program is None:
            if len(self._programs) >= PROGRAMS_MAX:
                self._programs.clear()
            program = self._programs[expression] = self._compiled(expression)
        evaluation = program.evaluate({"device": _value_of(driver, device)})
        if evaluation.exceeded:
            raise SelectorError("CEL runtime error: operation cancelled: actual cost limit exceeded")
        result = evaluation.value
        if isinstance(result, Err):
            raise SelectorError(f"CEL runtime error: {result.message}")
        if not isinstance(result, bool):
            problem = f"CEL result of type {type_name(result)} could not be converted to bool"
            raise SelectorError(
                f"CEL runtime error: {problem}: type conversion error from '{type_name(result)}' to 'bool'"
            )
        return result

    def _compiled(self, expression: str) -> Program:
        environment, strictness = device_language(self._rules)
        checked = check_text(expression, environment, strictness)
        if isinstance(checked, Invalid | Unchecked):
            raise SelectorError(f"CEL compile error: {checked.detail}")
        fault = planning_fault(checked, environment)
        if fault:
            raise SelectorError(f"CEL compile error: {fault}")
        return plan(checked, environment, Dialect(reads_affix=False, binds_lazily=False))


class _Domains(MapValue):
    """Attributes or capacities by domain; a domain that there is not is an empty map."""

    __slots__ = ("_domains",)

    def __init__(self, domains: dict[str, Entries]) -> None:
        self._domains = domains

    def __len__(self) -> int:
        return len(self._domains)

    def __iter__(self) -> Any:
        return iter(self._domains)

    def find(self, key: Any) -> Any:
        return self._domains.get(key, _EMPTY) if isinstance(key, str) else MISSING


_EMPTY = Entries()


def _value_of(driver: str, device: Object) -> Entries:
    attributes = {name: _attribute(each) for name, each in (device.get("attributes") or {}).items()}
    capacity = {name: parse_quantity(each["value"]) for name, each in (device.get("capacity") or {}).items()}
    return Entries(
        (
            ("driver", driver),
            ("allowMultipleAllocations", bool(device.get("allowMultipleAllocations"))),
            ("attributes", _by_domain(attributes, driver)),
            ("capacity", _by_domain(capacity, driver)),
        )
    )


def _by_domain(values: dict[str, Any], driver: str) -> _Domains:
    domains: dict[str, list[tuple[str, Any]]] = {}
    for name, value in values.items():
        domain, slash, short = name.rpartition("/")
        domains.setdefault(domain if slash else driver, []).append((short, value))
    return _Domains({domain: Entries(entries) for domain, entries in domains.items()})


def _attribute(attribute: Object) -> Any:
    for kind, value in attribute.items():
        if kind == "version":
            return parse_version(value)
        if kind == "versions":
            return Items([parse_version(each) for each in value])
        return Items(list(value)) if isinstance(value, list) else value
    return None
