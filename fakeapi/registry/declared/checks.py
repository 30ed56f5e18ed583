"""Defines the checks of declarative validation: of a value, of its change, and of several fields together.

Follows k8s.io/apimachinery `pkg/api/validate`. A check takes the arguments of its marker, then the Run, the
field path, the new value and the old value. The old value is None if it is absent.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.meta import names
from fakeapi.registry.declared.formats import Show
from fakeapi.registry.declared.run import Run
from fakeapi.registry.declared.values import Key, by_key
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE

Errors = Sequence[FieldError]
Absent = Callable[[Any], bool]
Member = tuple[str, Callable[[Any], bool], bool]
"""(name, check, whole): a member of a union, which is one of several exclusive fields.

The check is a function that returns whether the member is set. If `whole` is true, the check receives the
union's value itself, otherwise the field `name` of this value.
"""

NOTHING: Final = Dump("null")
"""The text `null`, which errors about forbidden changes print instead of the field's value."""

_NOT_CHANGED: Final = {
    "NoSet": "field cannot be set once created",
    "NoUnset": "field cannot be cleared once set",
    "NoModify": "field cannot be modified once set",
}


CHANGES: Final = (FIELD_IMMUTABLE, *_NOT_CHANGED.values())
"""The ends of the error messages about forbidden changes of a field.

Errors about added or removed list items have other messages.
"""


def required_rule(absent: Absent, run: Run, path: str, new: Any, old: Any) -> Errors:
    return [required(path)] if absent(new) else ()


def optional_rule(absent: Absent, run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error if an optional field is not set.

    `absent`: returns whether a value counts as not set. Because of the error, the caller skips the other
    rules of the field. Clients never receive the error.
    """
    return [required(path)] if absent(new) else ()


def forbidden_rule(absent: Absent, run: Run, path: str, new: Any, old: Any) -> Errors:
    return () if absent(new) else [forbidden(path, "")]


def immutable(run: Run, path: str, new: Any, old: Any) -> Errors:
    return [declared_immutable(path)] if run.update else ()


def declared_immutable(path: str) -> FieldError:
    """Returns the error for a change of an immutable field."""
    return invalid(path, NOTHING, FIELD_IMMUTABLE)


def monotonic(run: Run, path: str, new: Any, old: Any) -> Errors:
    if not run.update or new is None or old is None or new >= old:
        return ()
    return [invalid(path, new, f"may not be decreased from {old}")]


def max_items(most: int, run: Run, path: str, new: Any, old: Any) -> Errors:
    return [too_many(path, len(new), most)] if len(new or ()) > most else ()


def max_bytes(most: int, run: Run, path: str, new: Any, old: Any) -> Errors:
    return [too_long(path, most, _limit("byte", most))] if names.byte_length(new or "") > most else ()


def max_length(most: int, run: Run, path: str, new: Any, old: Any) -> Errors:
    return [too_long(path, most, _limit("character", most))] if len(new or "") > most else ()


def _limit(unit: str, most: int) -> str:
    return f"may not be more than {{}} {unit}{'' if most == 1 else 's'}"


def minimum(least: int, run: Run, path: str, new: Any, old: Any) -> Errors:
    if new is None or new >= least:
        return ()
    return [invalid(path, new, f"must be greater than or equal to {least}")]


def maximum(most: int, run: Run, path: str, new: Any, old: Any) -> Errors:
    if new is None or new <= most:
        return ()
    return [invalid(path, new, f"must be less than or equal to {most}")]


def enum(values: Sequence[str], show: Show, run: Run, path: str, new: Any, old: Any) -> Errors:
    return () if new is None or new in values else [not_supported(path, show(new), values)]


def unique(key: Key | None, show: Show, run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error for each list item that has the same key as an earlier item.

    - `key`: returns the key of an item.
    - `show`: converts a string item to the text that errors print.
    """
    assert key is not None
    seen, errors = set(), []
    for index, item in enumerate(new or ()):
        if (known := key(item)) in seen:
            errors.append(duplicate(f"{path}[{index}]", _shown(item, show)))
        seen.add(known)
    return errors


def _shown(item: Any, show: Show) -> Any:
    return show(item) if isinstance(item, str) else Dump(go_encode(item).decode())


def change(absent: Absent, constraints: Sequence[str], run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error if an update sets, clears or modifies a field although a constraint forbids it.

    - `absent`: returns whether a value counts as not set.
    - `constraints`: one or more of NoSet, NoUnset and NoModify.
    """
    if not run.update:
        return ()
    happened = {(True, False): "NoSet", (False, True): "NoUnset", (False, False): "NoModify"}
    event = happened.get((absent(old), absent(new)))
    return [invalid(path, NOTHING, _NOT_CHANGED[event])] if event in constraints and event else ()


def list_change(
    key: Key | None, constraints: Sequence[str], run: Run, path: str, new: Any, old: Any
) -> Errors:
    """Returns the errors of an update that changes a list or its items although a constraint forbids it.

    - `key`: returns the key of an item.
    - `constraints`: one or more of NoSet, NoUnset, NoAddItem and NoRemoveItem.
    """
    if not run.update:
        return ()
    errors: list[FieldError] = []
    for constraint in constraints:
        match constraint:
            case "NoSet" if not old and new:
                errors.append(invalid(path, NOTHING, _NOT_CHANGED[constraint]))
            case "NoUnset" if old and not new:
                errors.append(invalid(path, NOTHING, _NOT_CHANGED[constraint]))
            case "NoAddItem" if key is not None:
                known = by_key(old or (), key)
                errors += [
                    forbidden(f"{path}[{index}]", "item may not be added")
                    for index, item in enumerate(new or ())
                    if key(item) not in known
                ]
            case "NoRemoveItem" if key is not None:
                known = by_key(new or (), key)
                errors += [
                    forbidden(path, "item may not be removed") for item in old or () if key(item) not in known
                ]
    return errors


def _is_set(member: Member, value: Any) -> bool:
    name, check, of_itself = member
    return check(value if of_itself else (value or {}).get(name))


def union(members: Sequence[Member], run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error unless exactly one member of a union is set.

    Accepts updates that do not change which members are set.
    """
    set_members = _changed_members(members, run, new, old)
    if set_members == []:
        return [invalid(path, "", f"must specify one of: {_listed(members)}")]
    return _of_several(set_members, members, "exactly", path)


def one_at_most(members: Sequence[Member], run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error if more than one member of a union is set.

    Accepts updates that do not change which members are set.
    """
    return _of_several(_changed_members(members, run, new, old), members, "at most", path)


def _changed_members(members: Sequence[Member], run: Run, new: Any, old: Any) -> list[str] | None:
    """Returns the names of the union members that are set.

    Returns None if an update does not change which members are set.
    """
    set_members = [member[0] for member in members if _is_set(member, new)]
    if (
        run.update
        and old is not None
        and set_members == [member[0] for member in members if _is_set(member, old)]
    ):
        return None
    return set_members


def _of_several(set_members: list[str] | None, members: Sequence[Member], which: str, path: str) -> Errors:
    if set_members is None or len(set_members) <= 1:
        return ()
    problem = f"must specify {which} one of: {_listed(members)}"
    return [invalid(path, f"{{{', '.join(set_members)}}}", problem)]


def _listed(members: Sequence[Member]) -> str:
    return ", ".join(f"`{member[0]}`" for member in members)


def required_with(members: Sequence[Member], run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error if the first of two fields is set but the second is not.

    Accepts updates that do not change which of the fields are set.
    """
    trigger, other = members
    if _became(members, run, new, old) != (True, False):
        return ()
    return [required(_below(path, other[0]), f"must be set when {trigger[0]} is set")]


def forbidden_with(members: Sequence[Member], run: Run, path: str, new: Any, old: Any) -> Errors:
    """Returns an error if both of two fields are set.

    Accepts updates that do not change which of the fields are set.
    """
    trigger, other = members
    if _became(members, run, new, old) != (True, True):
        return ()
    return [forbidden(_below(path, other[0]), f"may not be set when {trigger[0]} is set")]


def _became(members: Sequence[Member], run: Run, new: Any, old: Any) -> tuple[bool, ...] | None:
    """Returns whether each of two fields is set.

    Returns None if the struct is absent, or if an update does not change which of the fields are set.
    """
    if new is None:
        return None
    now = tuple(_is_set(member, new) for member in members)
    if run.update and old is not None and now == tuple(_is_set(member, old) for member in members):
        return None
    return now


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
