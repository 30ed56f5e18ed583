"""Validates the label selectors of workloads. A selector must match the labels of the pod template."""

from collections.abc import Callable

from fakeapi.kinds.common.label_matching import InvalidSelector, compiled, is_empty
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.values import printed_selector
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.releases.rules import ReleaseRules


def validate_required_selector(spec: Object, workload: str, rules: ReleaseRules) -> list[FieldError]:
    """Returns errors if the label selector is missing, empty or malformed.

    `workload`: the name of the kind in the errors
    """
    selector, wording = spec.get("selector"), rules.quirks.wording
    if selector is None:
        return [required("spec.selector")]
    errors = validate_label_selector(selector, "spec.selector", wording)
    if is_empty(selector):
        problem = f"empty selector is invalid for {workload}"
        errors.append(invalid("spec.selector", printed_selector(selector, rules), problem))
    return errors


def with_compiled_selector(
    spec: Object, detail: str, rules: ReleaseRules, then: Callable[[Selector | None], list[FieldError]]
) -> list[FieldError]:
    """Compiles the label selector of a workload, and returns the errors of `then(selector)`.

    If the selector is invalid, returns one error with the message `detail` instead.
    """
    try:
        selector = compiled(spec.get("selector"))
    except InvalidSelector:
        return [invalid("spec.selector", printed_selector(spec["selector"], rules), detail)]
    return then(selector)


def validate_immutable_selector(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    before, after = old["spec"].get("selector"), new["spec"].get("selector")
    if semantically_equal(before, after):
        return []
    return [invalid("spec.selector", printed_selector(after, rules), FIELD_IMMUTABLE)]
