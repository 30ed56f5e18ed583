"""Validates lists with a length limit, sets and maps, for all kinds of resource.k8s.io.

Follows `validateSlice`, `validateSet`, `validateSliceIsASet` and `validateMap` of k8s.io/kubernetes
`pkg/apis/resource/validation`.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from typing import Any, TypeAlias

from fakeapi.machinery.field_errors import FieldError, duplicate, too_long, too_many
from fakeapi.releases.rules import ReleaseRules

ItemValidator: TypeAlias = Callable[[Any, str], list[FieldError]]
"""A function that takes an item and the item's path, and returns the errors of the item."""


_ELLIPSIS = b"..."


def too_many_items(path: str, actual: int, most: int, rules: ReleaseRules) -> FieldError:
    if rules.quirks.list_over_limit_is_too_many:
        return too_many(path, actual, most)
    return too_long(path, most, rules.quirks.too_long_name)


def validate_items(
    items: Sequence[Any] | None, path: str, most: int | None, validate: ItemValidator, rules: ReleaseRules
) -> list[FieldError]:
    """Validates each item of a list in order, then the length of the list.

    `most`: the maximum length; None for no limit. From 1.35 on a list that is too long gets no other errors.
    """
    errors: list[FieldError] = []
    if not items:
        return errors
    if _ends_validation(items, most, rules):
        return [too_many_items(path, len(items), most or 0, rules)]
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
    rules: ReleaseRules,
    *,
    key: Callable[[Any], Hashable] | None = None,
    key_field: str = "",
    show: Callable[[Any], Any] | None = None,
) -> list[FieldError]:
    """Validates a list with `validate_items`, then reports items with duplicate keys.

    - `key`: returns the key of an item; None uses the item itself as key
    - `key_field`: the field in the path of a duplicate error; "" for the path of the item
    - `show`: formats a key for the error
    """
    errors = validate_items(items, path, most, validate, rules)
    if not items or len(items) == 1 or _ends_validation(items, most, rules):
        return errors
    if not rules.quirks.duplicates_name_the_field:
        key_field = ""
    seen: set[Hashable] = set()
    for index, item in enumerate(items):
        value = item if key is None else key(item)
        if value in seen:
            place = f"{path}[{index}]"
            bad_value = value if show is None else show(value)
            errors.append(duplicate(f"{place}.{key_field}" if key_field else place, bad_value))
        else:
            seen.add(value)
    return errors


def _ends_validation(items: Sized, most: int | None, rules: ReleaseRules) -> bool:
    return most is not None and len(items) > most and rules.quirks.list_over_limit_ends_validation


def validate_distinct(
    items: Sequence[Any] | None,
    path: str,
    most: int,
    validate: ItemValidator,
    rules: ReleaseRules,
    *,
    key: Callable[[Any], Hashable] | None = None,
    key_field: str = "",
) -> list[FieldError]:
    """Validates a set with the rules of v1alpha2. A duplicate item gets only the duplicate error.

    - `most`: the maximum number of items
    - `validate`: validates one item
    - `key`: returns the key of an item; None uses the item itself as key
    - `key_field`: the field in the path of a duplicate error; "" for the path of the item
    """
    errors: list[FieldError] = []
    seen: set[Hashable] = set()
    for index, item in enumerate(items or ()):
        place = f"{path}[{index}]"
        value = item if key is None else key(item)
        if value in seen:
            errors.append(duplicate(f"{place}.{key_field}" if key_field else place, value))
        else:
            errors += validate(item, place)
            seen.add(value)
    if items and len(items) > most:
        errors.append(too_many_items(path, len(items), most, rules))
    return errors


def validate_named(
    items: Sequence[dict[str, Any]] | None,
    path: str,
    name: str,
    validate_name: ItemValidator,
    validate_rest: ItemValidator,
) -> list[FieldError]:
    """Validates items that have names, with the order of errors in v1alpha2.

    For each item, reports the errors of its name, then a duplicate name, then the errors of `validate_rest`.

    - `name`: the field that contains the name
    - `validate_name`: validates the name of an item
    - `validate_rest`: validates the other fields of an item
    """
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, item in enumerate(items or ()):
        place = f"{path}[{index}]"
        value = item.get(name, "")
        errors += validate_name(value, f"{place}.{name}")
        if value in seen:
            errors.append(duplicate(f"{place}.{name}", value))
        seen.add(value)
        errors += validate_rest(item, place)
    return errors


def validate_map(
    members: Mapping[str, Any] | None,
    path: str,
    validate_key: ItemValidator,
    validate: ItemValidator,
    *,
    key_shown: int,
    rules: ReleaseRules,
    most: int | None = None,
) -> list[FieldError]:
    """Validates the keys and values of a map in the order of the keys. Upstream's order is random.

    - `validate_key`, `validate`: validate one key, and one value
    - `key_shown`: the maximum length in bytes of a key in error paths, in releases that shorten keys
    - `most`: the maximum number of entries; None for no limit. A map with more entries gets no other error.
    """
    if most is not None and len(members or ()) > most:
        return [too_many(path, len(members or ()), most)]
    errors: list[FieldError] = []
    for key in sorted(members or ()):
        key_text = _shortened(key, key_shown) if rules.quirks.map_keys_are_shortened else key
        place = f"{path}[{key_text}]"
        errors += validate_key(key, place if rules.quirks.map_errors_name_the_key else path)
        errors += validate((members or {})[key], place)
    return errors


def _shortened(key: str, most: int) -> str:
    text = key.encode()
    if len(text) <= most:
        return key
    rest = most - len(_ELLIPSIS)
    cut = text[: (rest + 1) // 2] + _ELLIPSIS + text[len(text) - rest // 2 :]
    return cut.decode("utf-8", "replace")
