"""Validates references from claims and classes of v1alpha2 to their parameters.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from typing import Any

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.machinery.field_errors import FieldError, required


def validate_claim_reference(holder: dict[str, Any], name: str, path: str) -> list[FieldError]:
    """Validates the optional reference in the field `name` of `holder`.

    `path`: the path of the reference in errors
    """
    if name not in holder:
        return []
    return [required(f"{path}.{part}") for part in ("kind", "name") if not holder[name][part]]


def validate_class_reference(holder: dict[str, Any], name: str, path: str) -> list[FieldError]:
    """Validates the optional reference in the field `name` of `holder`. The reference may have a namespace.

    `path`: the path of the reference in errors.
    """
    errors = validate_claim_reference(holder, name, path)
    namespace = holder.get(name, {}).get("namespace", "")
    return errors + (validate_dns_label(namespace, f"{path}.namespace") if namespace else [])
