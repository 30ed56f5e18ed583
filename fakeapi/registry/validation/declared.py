"""Rules that are markers of a type's source: errors of a whole type, and of one changed field.

Follows k8s.io/apimachinery `pkg/api/validate` and the functions that validation-gen of k8s.io/code-generator
makes of markers, `zz_generated.validations.go`. What has not changed in an update is not validated again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_many,
)
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.releases.rules import ReleaseRules

NOTHING: Final = Dump("null")
"""The value that errors of a change show."""

_MARKER: Final = re.compile(
    r'k8s:(?:(?P<when>ifEnabled|ifDisabled)\("?(?P<gate>\w+)"?\)=\+k8s:)?'
    r"(?P<name>\w+)(?:=(?P<value>[^ ]+))?"
)
"""One rule. Of one with a stage, `k8s:alpha(since: …)=+…`, the name is the stage."""
_STAGES: Final = frozenset(("alpha", "beta"))
"""Servers do not enforce their rules unless a gate says so."""

_FORMATS: Final[Mapping[str, Callable[[str], Sequence[str]]]] = {
    "k8s-long-name": partial(names.is_dns1123_subdomain, unit="bytes"),
    "k8s-short-name": names.is_dns1123_label,
    "k8s-label-key": partial(names.is_qualified_name, unit="bytes"),
    "k8s-path-segment-name": names.is_valid_path_segment_name,
}


def declared_immutable(path: str) -> FieldError:
    """The error of a changed field that is marked as immutable."""
    return invalid(path, NOTHING, FIELD_IMMUTABLE)


@dataclass(frozen=True, slots=True)
class _Member:
    """A field with its rules: names of markers and their values."""

    name: str
    type: str
    pointer: bool
    keys: tuple[str, ...]
    rules: Mapping[str, str]
    updates: frozenset[str]
    has_default: bool

    def is_unset(self, value: Any) -> bool:
        return value is None or (not self.pointer and value in ("", 0, []))


class DeclaredRules:
    """The rules that a release declares of a type, `scheduling/v1beta1.PodGroup`, and of what it holds."""

    def __init__(self, type_name: str, rules: ReleaseRules) -> None:
        self._type_name = type_name
        self._rules = rules
        self._members: dict[str, tuple[_Member, ...]] = {}

    def errors(self, new: Object, old: Object | None = None) -> list[FieldError]:
        """Errors of an object to be created, or updated where there is an old one. Both are canonical."""
        return list(self._of_struct(self._type_name, new, old, "", update=old is not None))

    def _of_struct(
        self, type_name: str, new: Object, old: Object | None, path: str, *, update: bool
    ) -> Iterator[FieldError]:
        members = self._members_of(type_name)
        union = [member for member in members if "unionMember" in member.rules]
        if union:
            yield from _union(union, new, old or {}, path, update=update)
        for member in members:
            value, before = new.get(member.name), None if old is None else old.get(member.name)
            if old is not None and semantically_equal(value, before):
                continue
            place = f"{path}.{member.name}" if path else member.name
            stops, errors = self._conclusive(member, value, before, place, update=update)
            yield from errors
            if not stops:
                yield from self._of_value(member, value, before, place, update=update)

    def _conclusive(
        self, member: _Member, value: Any, before: Any, path: str, *, update: bool
    ) -> tuple[bool, list[FieldError]]:
        """Errors of the rules after which no other is asked, and whether that is so."""
        rules, absent, errors = member.rules, member.is_unset(value), list[FieldError]()
        if "forbidden" in rules and not absent:
            errors.append(forbidden(path, ""))
        if "immutable" in rules and update:
            errors.append(declared_immutable(path))
        if "maxItems" in rules and len(value or ()) > (most := int(rules["maxItems"])):
            errors.append(too_many(path, len(value), most))
        must = "required" in rules or ("optional" in rules and member.has_default)
        if must and absent:
            errors.append(required(path))
        if update and member.updates:
            errors += _of_change(member, value, before, path)
        return bool(errors) or (absent and not must), errors

    def _of_value(
        self, member: _Member, value: Any, before: Any, path: str, *, update: bool
    ) -> Iterator[FieldError]:
        rules = member.rules
        if "format" in rules:
            yield from (invalid(path, value, text) for text in _FORMATS[rules["format"]](value))
        if "maximum" in rules and value > (most := int(rules["maximum"])):
            yield invalid(path, value, f"must be less than or equal to {most}")
        if "minimum" in rules and value < (least := int(rules["minimum"])):
            yield invalid(path, value, f"must be greater than or equal to {least}")
        if isinstance(value, list):
            yield from self._of_items(member, value, before or [], path, update=update)
            return
        entry = self._entry(member.type)
        if "enum" in entry and value not in entry["enum"]:
            yield not_supported(path, value, sorted(entry["enum"]))
        if "fields" in entry:
            yield from self._of_struct(member.type, value, before, path, update=update)

    def _of_items(
        self, member: _Member, items: list[Any], before: list[Any], path: str, *, update: bool
    ) -> Iterator[FieldError]:
        if member.keys:
            for index, item in enumerate(items):
                if _same(item, items[:index], member.keys) is not None:
                    yield duplicate(f"{path}[{index}]", Dump(go_encode(item).decode()))
        for index, item in enumerate(items):
            past = _same(item, before, member.keys) if member.keys else None
            if past is None or not semantically_equal(item, past):
                yield from self._of_struct(member.type, item, past, f"{path}[{index}]", update=update)

    def _members_of(self, type_name: str) -> tuple[_Member, ...]:
        found = self._members.get(type_name)
        if found is None:
            fields = self._entry(type_name).get("fields", ())
            found = self._members[type_name] = tuple(self._member(field) for field in fields)
        return found

    def _member(self, field: Mapping[str, Any]) -> _Member:
        rules: dict[str, str] = {}
        updates: set[str] = set()
        for text in field.get("rules", ()):
            marker = _MARKER.match(text)
            if marker is None or marker["name"] in _STAGES or not self._holds(marker):
                continue
            if marker["name"] == "update":
                updates.add(marker["value"])
            rules[marker["name"]] = marker["value"] or ""
        return _Member(
            field["name"],
            field["type"].removeprefix("[]").removeprefix("*"),
            field["type"].startswith("*"),
            tuple(field.get("keys", ())) if "listMapKey" in rules else (),
            rules,
            frozenset(updates),
            has_default="default" in field and field["type"].startswith("*"),
        )

    def _holds(self, marker: re.Match[str]) -> bool:
        """Whether the gate of a rule is as the rule asks."""
        return not marker["when"] or self._rules.drops(marker["gate"]) == (marker["when"] == "ifDisabled")

    def _entry(self, type_name: str) -> Mapping[str, Any]:
        try:
            entry = self._rules.schemas.entry(type_name)
        except KeyError:
            return {}
        return entry if isinstance(entry, Mapping) else {}


def _union(
    members: Sequence[_Member], new: Object, old: Object, path: str, *, update: bool
) -> Iterator[FieldError]:
    """The error of a struct of which exactly one member has to be set."""
    given, before = (
        [member.name for member in members if not member.is_unset(struct.get(member.name))]
        for struct in (new, old)
    )
    if update and given == before:
        return
    listed = ", ".join(f"`{member.name}`" for member in members)
    if len(given) > 1:
        yield invalid(path, f"{{{', '.join(given)}}}", f"must specify exactly one of: {listed}")
    elif not given:
        yield invalid(path, "", f"must specify one of: {listed}")


def _of_change(member: _Member, value: Any, before: Any, path: str) -> Iterator[FieldError]:
    """Errors of what was set, cleared, added or removed, and may not be."""
    if "NoSet" in member.updates and before is None and value is not None:
        yield invalid(path, NOTHING, "field cannot be set once created")
    if "NoUnset" in member.updates and before is not None and value is None:
        yield invalid(path, NOTHING, "field cannot be cleared once set")
    if "NoAddItem" in member.updates:
        for index, item in enumerate(value or ()):
            if _same(item, before or (), member.keys) is None:
                yield forbidden(f"{path}[{index}]", "item may not be added")
    if "NoRemoveItem" in member.updates:
        for item in before or ():
            if _same(item, value or (), member.keys) is None:
                yield forbidden(path, "item may not be removed")


def _same(item: Object, among: Sequence[Object], keys: Sequence[str]) -> Object | None:
    """The first of several items with the keys of another."""
    sought = [item.get(key) for key in keys]
    return next((each for each in among if [each.get(key) for key in keys] == sought), None)
