"""Evaluates CEL selectors of v1alpha2's named resources on the attributes of a resource instance.

Follows k8s.io/dynamic-resource-allocation `structured/namedresources/cel` of 1.30.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fakeapi.machinery.cel.compiler import Invalid, Strictness, Unchecked, check_text, planning_fault
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.runtime.functions.quantities import parse as parse_quantity
from fakeapi.machinery.cel.runtime.functions.versions import parse as parse_version
from fakeapi.machinery.cel.runtime.json_values import JsonList
from fakeapi.machinery.cel.runtime.plan import plan
from fakeapi.machinery.cel.runtime.program import Dialect, Program
from fakeapi.machinery.cel.runtime.values import Entries, Err
from fakeapi.machinery.cel.types import BOOL
from fakeapi.machinery.json_types import Object

_KINDS: Mapping[str, Callable[[Object], Any]] = {
    "quantity": lambda each: parse_quantity(each["quantity"]) if "quantity" in each else None,
    "bool": lambda each: each.get("bool"),
    "int": lambda each: each.get("int"),
    "intslice": lambda each: JsonList(each["intSlice"]["ints"] or []) if "intSlice" in each else None,
    "string": lambda each: each.get("string"),
    "stringslice": lambda each: (
        JsonList(each["stringSlice"]["strings"] or []) if "stringSlice" in each else None
    ),
    "version": lambda each: parse_version(each["version"]) if "version" in each else None,
}


class NamedResourcesSelector:
    """A compiled CEL selector of named resources; it can be evaluated on any number of instances."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def matches(self, attributes: Sequence[Object]) -> bool:
        """Whether an instance with these attributes matches. Raises ValueError if the evaluation fails."""
        values = {}
        for kind, value_of in _KINDS.items():
            values_by_name = {}
            for attribute in attributes:
                value = value_of(attribute)
                if value is not None:
                    values_by_name[attribute["name"]] = value
            values[f"attributes.{kind}"] = Entries(sorted(values_by_name.items()))
        evaluation = self._program.evaluate(values)
        if evaluation.exceeded:
            raise ValueError("operation cancelled: actual cost limit exceeded")
        result = evaluation.value
        if isinstance(result, Err):
            raise ValueError(result.message)  # noqa: TRY004 - the error is of the expression
        return result is True


def named_resources_selector(
    text: str, environment: Environment, strictness: Strictness, dialect: Dialect
) -> NamedResourcesSelector | Invalid | Unchecked:
    """Compiles a CEL selector of named resources.

    Returns Invalid if the selector does not compile, and Unchecked if fakeapi cannot check it.
    """
    checked = check_text(text, environment, strictness)
    if isinstance(checked, Invalid | Unchecked):
        return checked
    result = checked.type(checked.root)
    if result != BOOL:
        return Invalid("must evaluate to bool")
    fault = planning_fault(checked, environment)
    if fault:
        return Invalid(f"program instantiation failed: {fault}")
    return NamedResourcesSelector(plan(checked, environment, dialect))
