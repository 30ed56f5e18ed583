"""Validation errors of fields, with the messages of Kubernetes.

Follows k8s.io/apimachinery `pkg/util/validation/field`. A field path is a plain string, built as
`f"{path}.child"`, `f"{path}[{index}]"` or `f"{path}[{key}]"`. The path of the root is empty or a name.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from fakeapi.machinery.golang.strconv import quote, render


class FieldError(msgspec.Struct, frozen=True):
    """A validation error of a field.

    In a Status, the error becomes a cause with the same `reason` and `field`, and with the message `body`.
    """

    reason: str
    field: str
    body: str

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def _with_detail(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def required(field: str, detail: str = "") -> FieldError:
    return FieldError("FieldValueRequired", field, _with_detail("Required value", detail))


def invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", field, _with_detail(f"Invalid value: {render(value)}", detail))


def invalid_without_value(field: str, detail: str) -> FieldError:
    """Returns an Invalid error that does not print the value."""
    return FieldError("FieldValueInvalid", field, f"Invalid value: {detail}")


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueTypeInvalid", field, _with_detail(f"Invalid value: {render(value)}", detail))


def forbidden(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueForbidden", field, _with_detail("Forbidden", detail))


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueDuplicate", field, f"Duplicate value: {render(value)}")


def not_found(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueNotFound", field, f"Not found: {render(value)}")


def not_supported(field: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Returns the error for an unsupported value; the message lists `supported` in the given order."""
    values = ", ".join(quote(name) for name in supported)
    detail = f"supported values: {values}" if values else ""
    return FieldError(
        "FieldValueNotSupported", field, _with_detail(f"Unsupported value: {render(value)}", detail)
    )


def too_long(field: str, most: int, wording: str = "must have at most {} bytes") -> FieldError:
    """Returns the error for a text of more than `most` bytes.

    `wording`: the message template of the release; see `Wording.too_long`.
    """
    return FieldError("FieldValueTooLong", field, f"Too long: {wording.format(most)}")


def internal(field: str, detail: str) -> FieldError:
    return FieldError("InternalError", field, _with_detail("Internal error", detail))


def too_many(field: str, actual: int, most: int) -> FieldError:
    return FieldError("FieldValueTooMany", field, f"Too many: {actual}: must have at most {most} items")


def first_words(errors: Sequence[FieldError]) -> str:
    """Joins error messages, each only once: one message stays as it is, several become `[a, b]`."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
