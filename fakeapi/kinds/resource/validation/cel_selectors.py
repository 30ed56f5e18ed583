"""Compiles CEL selectors, and returns the errors and warnings of a Kubernetes release.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`. `fakeapi.machinery.cel.compiler` compiles the
expressions.
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
"""A function that compiles a CEL expression and returns the verdict, such as `Invalid`."""


def accept_any_cel(_expression: str) -> None:
    """Accepts every expression without compiling the expression. Use this function as a `CelCheck`."""


def device_compiler(rules: ReleaseRules) -> CelCheck:
    """Returns the CEL compiler for device selectors.

    Servers with the same rules share one compiler within a process.
    """
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
    """Returns the CEL environment for device selectors in a release.

    `shared`: whether the gate DRAConsumableCapacity is on
    `listed`: whether the gate DRAListTypeAttributes is on
    """
    return device_environment(
        BASE_LIBRARIES | quirks.cel_libraries,
        constructible=quirks.cel_devices_can_be_made,
        shared=shared,
        listed=listed,
    )


@cache
def named_resources_compiler(quirks: Quirks, limits: Limits) -> CelCheck:
    """Returns the CEL compiler for selectors of named resources in v1alpha2."""
    environment = named_resources_environment(BASE_LIBRARIES | quirks.cel_libraries)
    return compiler(environment, strictness_of(quirks, limits))


def strictness_of(quirks: Quirks, limits: Limits, *, listed: bool = False) -> Strictness:
    """Returns how strictly a release checks CEL expressions.

    `listed`: whether device attributes may be lists
    """
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
    """Returns the field errors of a CEL expression, compiled by `check_cel`.

    Returns no errors if fakeapi cannot check the expression.
    """
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
    """Returns warnings about CEL expressions that fakeapi cannot check: one for each distinct reason.

    `check_cel`: compiles an expression
    """
    verdicts = map(check_cel, expressions)
    reasons = dict.fromkeys(verdict.detail for verdict in verdicts if isinstance(verdict, Unchecked))
    return [f"fakeapi did not check a CEL expression: {reason}" for reason in reasons]
