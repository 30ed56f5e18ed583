"""Validates SubjectAccessReviews, SelfSubjectAccessReviews and LocalSubjectAccessReviews.

Follows k8s.io/kubernetes `pkg/apis/authorization/validation`.
"""

from typing import Any

from fakeapi.kinds.common.label_selectors import (
    validate_field_requirement,
    validate_label_requirement,
)
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_NON_RESOURCE = "authorization/v1.NonResourceAttributes"
_ONE_OF = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_ATTRIBUTES = "spec.resourceAttributes"


def validate_subject_review(review: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a SubjectAccessReview."""
    return _subject_spec_errors(review["spec"], rules) + _metadata_errors(review["metadata"], rules)


def validate_self_review(review: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a SelfSubjectAccessReview."""
    spec = review["spec"]
    errors = _member_errors(spec, rules) + _selector_errors(spec.get("resourceAttributes"), rules)
    return errors + _metadata_errors(review["metadata"], rules)


def validate_local_review(review: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a LocalSubjectAccessReview. The review must ask about a resource in its own namespace."""
    spec, metadata = review["spec"], review["metadata"]
    errors = _subject_spec_errors(spec, rules) + _metadata_errors(metadata, rules, local=True)
    attributes, others = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if attributes is not None and attributes.get("namespace", "") != metadata.get("namespace", ""):
        namespace = attributes.get("namespace", "")
        errors.append(invalid(f"{_ATTRIBUTES}.namespace", namespace, "must match metadata.namespace"))
    if others is not None:
        bad_value = printed_struct(others, _NON_RESOURCE, rules)
        errors.append(invalid("spec.nonResourceAttributes", bad_value, "disallowed on this kind of request"))
    return errors


def _subject_spec_errors(spec: dict[str, Any], rules: ReleaseRules) -> list[FieldError]:
    errors = _member_errors(spec, rules)
    if not spec.get("user") and not spec.get("groups"):
        errors.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    return errors + _selector_errors(spec.get("resourceAttributes"), rules)


def _member_errors(spec: dict[str, Any], rules: ReleaseRules) -> list[FieldError]:
    attributes, others = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    bad_value = printed_struct(others, _NON_RESOURCE, rules)
    if (attributes is None) != (others is None):
        return []
    if rules.quirks.review_attributes_are_a_union:
        return [invalid("spec", bad_value, _ONE_OF)]
    if attributes is None:
        return [invalid(_ATTRIBUTES, bad_value, _ONE_OF)]
    return [
        invalid(
            "spec.nonResourceAttributes",
            bad_value,
            "cannot be specified in combination with resourceAttributes",
        )
    ]


def _selector_errors(attributes: dict[str, Any] | None, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("fieldSelector", "labelSelector"):
        selector, path = (attributes or {}).get(name), f"{_ATTRIBUTES}.{name}"
        if selector is None:
            continue
        raw, requirements = selector.get("rawSelector"), selector.get("requirements") or ()
        if raw and requirements:
            both = "may not specified at the same time as requirements"
            errors.append(invalid(f"{path}.rawSelector", raw, both))
        if not raw and not requirements:
            why = f"when {path} is specified, requirements or rawSelector is required"
            errors.append(required(f"{path}.requirements", why))
        for index, requirement in enumerate(requirements):
            here = f"{path}.requirements[{index}]"
            if name == "fieldSelector":
                errors += validate_field_requirement(requirement, here)
            else:
                wording = rules.quirks.wording
                errors += validate_label_requirement(requirement, here, wording, any_operator=True)
    return errors


def _metadata_errors(
    metadata: dict[str, Any], rules: ReleaseRules, *, local: bool = False
) -> list[FieldError]:
    ignored = {"managedFields", "namespace"} if local else {"managedFields"}
    if not any(value for name, value in metadata.items() if name not in ignored):
        return []
    detail = "must be empty except for namespace" if local else "must be empty"
    return [invalid("metadata", printed_struct(metadata, "meta/v1.ObjectMeta", rules), detail)]
