"""Validates derived attributes. A request computes them from device attributes, for use in constraints.

Follows `validateDeviceDerivedAttribute` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.37.
"""

from collections.abc import Mapping
from functools import cache

import msgspec

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.validation.cel_selectors import environment_of, strictness_of
from fakeapi.kinds.resource.validation.collections import validate_set
from fakeapi.machinery.cel.compiler import (
    Invalid,
    PricedCompiler,
    Unplannable,
    priced_compiler,
)
from fakeapi.machinery.cel.types import ANY, BOOL, DYN, read
from fakeapi.machinery.field_errors import FieldError, forbidden, internal, invalid, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases import Limits, Quirks
from fakeapi.releases.rules import ReleaseRules

_UNREFERENCED = (
    "must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request"
)
_TOO_COMPLEX = "too complex, exceeds cost limit"
_TOO_COMPLEX_TOGETHER = (
    "too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit"
)
_SCALAR = "a primitive scalar (string, integer, boolean, semver)"
_SCALARS = (BOOL, read("int"), read("string"), ANY, DYN, read("kubernetes.Semver"))

_EVERY_REQUEST = ""


def attribute_compiler(rules: ReleaseRules) -> PricedCompiler:
    """Returns the CEL compiler for derived attributes.

    Servers with the same rules share one compiler within a process.
    """
    shared = rules.gates.enabled(gates.CONSUMABLE_CAPACITY)
    listed = rules.gates.enabled(gates.LIST_TYPE_ATTRIBUTES)
    return _attribute_compiler(rules.quirks, rules.limits, shared, listed)


@cache
def _attribute_compiler(
    quirks: Quirks,
    limits: Limits,
    shared: bool,  # noqa: FBT001 - the key of a cache
    listed: bool,  # noqa: FBT001
) -> PricedCompiler:
    results = (*_SCALARS, *(read(f"list({scalar.declared()})") for scalar in _SCALARS if listed))
    allowed_results = f"{_SCALAR} or a list of these scalars" if listed else _SCALAR
    environment = environment_of(quirks, shared=shared, listed=listed)
    return priced_compiler(
        environment, strictness_of(quirks, limits, listed=listed), results, allowed_results
    )


class Derivations(msgspec.Struct):
    """Validates the derived attributes of one claim, and adds up their CEL cost."""

    rules: ReleaseRules
    referenced: Mapping[str, frozenset[str]]
    """Names of attributes that the claim's constraints use: name of the request -> attribute names.

    The key "" stands for constraints on all requests.
    """

    stored: bool
    cost: int = 0

    def validate(self, wanted: Object, path: str, request: str) -> list[FieldError]:
        """Validates the derived attributes of one request, and adds their CEL cost to `cost`.

        `wanted`: the exact request or subrequest
        `request`: the name of the request, as `name` or `name/subrequest`
        """
        return validate_set(
            wanted.get("derivedAttributes"),
            f"{path}.derivedAttributes",
            None,
            lambda attribute, place: self._validate_one(attribute, place, request),
            self.rules,
            key=_name_of,
            key_field="name",
        )

    def validate_cost(self, path: str) -> list[FieldError]:
        """Returns an error if the total CEL cost of all derived attributes exceeds the limit.

        Call this method after the calls of `validate` for all requests.
        """
        if self.cost <= self.rules.limits.derived_attribute_cost:
            return []
        return [forbidden(path, _TOO_COMPLEX_TOGETHER)]

    def _validate_one(self, attribute: Object, path: str, request: str) -> list[FieldError]:
        name, expression = attribute.get("name", ""), attribute.get("expression", "")
        errors: list[FieldError] = []
        if name and not self._is_referenced(name, request):
            errors.append(
                invalid(f"{path}.name", printed_plain(name, self.rules.quirks.wording), _UNREFERENCED)
            )
        if expression and not self.stored:
            errors += self._validate_expression(expression, f"{path}.expression")
        return errors

    def _is_referenced(self, name: str, request: str) -> bool:
        places = (_EVERY_REQUEST, request, request.partition("/")[0])
        return any(name in self.referenced.get(place, ()) for place in places)

    def _validate_expression(self, expression: str, path: str) -> list[FieldError]:
        limits = self.rules.limits
        if limits.cel_expression is not None and names.byte_length(expression) > limits.cel_expression:
            return [too_long(path, limits.cel_expression, self.rules.quirks.too_long)]
        match attribute_compiler(self.rules)(expression):
            case Invalid(detail):
                return [invalid(path, expression, detail)]
            case Unplannable(detail):
                return [internal(path, detail)]
            case int(cost):
                self.cost += cost
                most = min(limits.cel_cost or cost, limits.derived_attribute_cost)
                return [forbidden(path, _TOO_COMPLEX)] if cost > most else []
            case _:
                return []


def _name_of(attribute: Object) -> str:
    name: str = attribute.get("name", "")
    return name


def derivations_of(devices: Object, rules: ReleaseRules, *, stored: bool) -> Derivations:
    """Returns the `Derivations` for a claim with these `devices`.

    `stored`: whether the server already stores the claim. For a stored claim, some releases do not compile
    the CEL expressions again.
    """
    referenced: dict[str, set[str]] = {}
    for constraint in devices.get("constraints") or ():
        name = constraint.get("matchAttribute", constraint.get("distinctAttribute"))
        if name is None:
            continue
        for request in constraint.get("requests") or (_EVERY_REQUEST,):
            referenced.setdefault(request, set()).add(name)
    frozen = {request: frozenset(names) for request, names in referenced.items()}
    return Derivations(rules, frozen, stored and rules.quirks.stored_expressions_are_trusted)
