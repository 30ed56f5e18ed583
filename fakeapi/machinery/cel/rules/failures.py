"""Creates the errors for objects that violate a CEL rule.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel/validation.go`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from fakeapi.machinery.cel.runtime.program import Program
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, invalid, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

MESSAGE_MAX = 5 * 1024
"""Maximum size of a messageExpression's result in bytes; longer results are ignored."""

_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


class OverBudget(Exception):
    """The cost budget for the CEL rules of an object is used up; no further rule is evaluated."""


class Message(msgspec.Struct, frozen=True):
    """The message of a failed rule, and the cost of evaluating its messageExpression.

    `is_over_budget`: whether the messageExpression exceeded a cost limit. If so, `text` is the error.
    """

    text: str
    cost: int = 0
    is_over_budget: bool = False


def trimmed(text: str) -> str:
    """Strips surrounding whitespace from a text, like Go's strings.TrimSpace."""
    return text.strip(_SPACES)


def rule_text(rule: Object) -> str:
    """Returns the text that identifies a rule in errors: its message, otherwise its CEL expression."""
    return trimmed(rule.get("message") or rule.get("rule") or "")


def message_of(
    rule: Object, program: Program | None, variables: Mapping[str, Any], remaining: int
) -> Message:
    """Returns the message of a failed rule.

    Evaluates `program`, the compiled messageExpression, unless it is None. If the result is not a single
    non-empty line of at most MESSAGE_MAX bytes, uses the message of the rule. If the rule has no message,
    uses a default text with the CEL expression.

    `remaining`: the CEL cost units left in the budget.
    """
    fixed = rule.get("message") or ""
    default = trimmed(fixed) if fixed else f"failed rule: {rule_text(rule)}"
    if program is None:
        return Message(default)
    evaluation = program.evaluate(variables)
    if evaluation.cost > remaining:
        stopped = "running out of cost budget, no further validation rules will be run"
        return Message(f"messageExpression evaluation failed due to {stopped}", is_over_budget=True)
    if evaluation.exceeded:
        stopped = (
            "no further validation rules will be run due to call cost exceeds limit for messageExpression"
        )
        return Message(f"{stopped}: {quote(rule['messageExpression'])}", is_over_budget=True)
    text = trimmed(evaluation.value) if type(evaluation.value) is str else ""
    if not text or "\n" in text or len(text.encode("utf-8", "surrogatepass")) > MESSAGE_MAX:
        text = default
    return Message(text, evaluation.cost)


def failure(rule: Object, path: str, value: Any, detail: str, *, hides_value: bool) -> FieldError:
    """Returns the field error of a failed rule; the rule's `reason` determines the type of the error.

    - `path`, `value`: the field that violates the rule, and its value
    - `detail`: the message of the rule
    - `hides_value`: whether the error leaves out the value
    """
    match rule.get("reason"):
        case "FieldValueForbidden":
            return forbidden(path, detail)
        case "FieldValueRequired":
            return required(path, detail)
        case "FieldValueDuplicate":
            return (
                FieldError("FieldValueDuplicate", path, "Duplicate value")
                if hides_value
                else duplicate(path, value)
            )
        case _:
            if hides_value:
                return FieldError(
                    "FieldValueInvalid", path, f"Invalid value: {detail}" if detail else "Invalid value"
                )
            return invalid(path, value, detail)
