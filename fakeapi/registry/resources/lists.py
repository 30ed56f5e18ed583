"""Lists with a limit, and lists that are sets: the rules that every list of claims is held to.

Follows `validateSlice` and `validateSet` of k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from fakeapi.machinery.fielderrors import FieldError, duplicate, too_long, too_many
from fakeapi.registry.resources.rules import Rules

ItemValidator: TypeAlias = Callable[[Any, str], list[FieldError]]
"""(item, its path) -> its errors."""


def too_many_items(path: str, actual: int, most: int, rules: Rules) -> FieldError:
    if rules.quirks.list_over_limit_is_too_many:
        return too_many(path, actual, most)
    return too_long(path, most, rules.quirks.too_long_name)


def validate_items(
    items: Sequence[Any] | None, path: str, most: int | None, validate: ItemValidator, rules: Rules
) -> list[FieldError]:
    """Errors of the items, in order, then of their number; `most` None: any number."""
    errors: list[FieldError] = []
    if not items:
        return errors
    for index, item in enumerate(items):
        errors += validate(item, f"{path}[{index}]")
    if most is not None and len(items) > most:
        errors.append(too_many_items(path, len(items), most, rules))
    return errors


def validate_set(
    items: Sequence[Any] | None,
    path: str,
    most: int | None,
    validate: ItemValidator,
    rules: Rules,
    *,
    key: Callable[[Any], Hashable] | None = None,
    key_field: str = "",
) -> list[FieldError]:
    """As `validate_items`, then one error for each item whose key came before.

    `key` None: the item is its own key. `key_field` is the field that a duplicate is reported at; empty:
    the item itself.
    """
    errors = validate_items(items, path, most, validate, rules)
    if not items or len(items) == 1:
        return errors
    seen: set[Hashable] = set()
    for index, item in enumerate(items):
        value = item if key is None else key(item)
        if value in seen:
            place = f"{path}[{index}]"
            errors.append(duplicate(f"{place}.{key_field}" if key_field else place, value))
        else:
            seen.add(value)
    return errors
