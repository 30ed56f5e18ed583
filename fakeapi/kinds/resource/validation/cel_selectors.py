"""Selectors written in CEL: how each release compiles them, and what it says of them.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`; verdicts are those of
`fakeapi.machinery.cel.compiler`.
"""

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from fakeapi.kinds.resource import gates
from fakeapi.machinery.cel.compiler import (
    Compiler,
    Invalid,
    Strictness,
    TooComplex,
    Unchecked,
    Unplannable,
    compiler,
)
from fakeapi.machinery.cel.cost import cost_by_path, cost_traced
from fakeapi.machinery.cel.devices import (
    BASE_LIBRARIES,
    device_environment,
    named_resources_environment,
)
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.source import Wording
from fakeapi.machinery.field_errors import FieldError, forbidden, internal, invalid
from fakeapi.releases import Limits, Quirks
from fakeapi.releases.rules import ReleaseRules

CelCheck: TypeAlias = Compiler
"""The verdict on an expression."""


def accept_any_cel(_expression: str) -> None:
    """The `CelCheck` that looks at nothing."""


def device_compiler(rules: ReleaseRules) -> CelCheck:
    """Of expressions that select devices; one for all servers of a process that have these rules."""
    return _device_compiler(
        rules.quirks,
        rules.limits,
        rules.gates.enabled(gates.CONSUMABLE_CAPACITY),
        rules.gates.enabled(gates.LIST_TYPE_ATTRIBUTES),
    )


@cache
def _device_compiler(
    quirks: Quirks,
    limits: Limits,
    shared: bool,  # noqa: FBT001 - the key of a cache
    listed: bool,  # noqa: FBT001
) -> CelCheck:
    environment = environment_of(quirks, shared=shared, listed=listed)
    return compiler(environment, strictness_of(quirks, limits, listed=listed))


def environment_of(quirks: Quirks, *, shared: bool, listed: bool) -> Environment:
    """The variable `device` of a release; `shared` and `listed` as for `device_environment`."""
    return device_environment(
        BASE_LIBRARIES | quirks.cel_libraries,
        constructible=quirks.cel_devices_can_be_made,
        shared=shared,
        listed=listed,
    )


@cache
def named_resources_compiler(quirks: Quirks, limits: Limits) -> CelCheck:
    """Of expressions that select v1alpha2's named resources."""
    environment = named_resources_environment(BASE_LIBRARIES | quirks.cel_libraries)
    return compiler(environment, strictness_of(quirks, limits))


def strictness_of(quirks: Quirks, limits: Limits, *, listed: bool = False) -> Strictness:
    """How a release compiles expressions; `listed`: attributes may be lists."""
    return Strictness(
        dyn_result=listed,
        any_result=quirks.cel_results_may_be_unknown,
        checks_formats=quirks.cel_formats_are_checked,
        cost_max=limits.cel_cost,
        pricing=cost_traced if quirks.cel_sizes_are_traced else cost_by_path,
        wording=Wording(
            empty_column=1 if quirks.cel_counts_empty_from_one else 0,
            line_starts_before=quirks.cel_line_starts_before,
            lexes_quoted_fields=quirks.cel_lexes_quoted_fields,
        ),
    )


def cel_errors(expression: str, path: str, check_cel: CelCheck) -> list[FieldError]:
    """Errors of an expression at `path`; one that cannot be checked has none."""
    match check_cel(expression):
        case Invalid(detail):
            return [invalid(path, expression, detail)]
        case TooComplex():
            return [forbidden(path, "too complex, exceeds cost limit")]
        case Unplannable(detail):
            return [internal(path, detail)]
        case _:
            return []


def cel_warnings(expressions: Iterable[str], check_cel: CelCheck) -> list[str]:
    """What clients are to know of valid expressions: that they were not checked, each reason why once."""
    verdicts = map(check_cel, expressions)
    reasons = dict.fromkeys(verdict.detail for verdict in verdicts if isinstance(verdict, Unchecked))
    return [f"fakeapi did not check a CEL expression: {reason}" for reason in reasons]
