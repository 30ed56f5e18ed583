"""Changes a CEL selector so that the selector accepts devices, or a device so that a selector accepts it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cmp_to_key

from fakeapi.controllers.allocation.model import Device
from fakeapi.explaining.dropped import SelectorGroup
from fakeapi.explaining.model import Seen
from fakeapi.explaining.selector_text import (
    conjuncts,
    differs_in_case,
    driver_part,
    parts_of,
    short_path,
    shortened,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import quantity

_LITERAL = lazy_pattern(r"\"[^\"\\]*\"|'[^'\\]*'|-?\d+|true|false")
_STRICT = lazy_pattern(r"\.(?:isGreaterThan|isLessThan)\((?P<type>quantity|semver)\(.*\)\)$")
_OPPOSITE = {">": ">=", "<": "<=", ">=": ">=", "<=": "<=", "==": "=="}
_TEXT_LENGTH = 300
"""Maximum number of characters of a part of a selector in the text of a change."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A selector that refuses fewer devices.

    - `text`: the difference, such as "memory >= 24Gi".
    - `removed`: the removed part of the selector; "" if no part is removed.
    - `relaxes`: whether the selector accepts other devices than its author wanted.
    """

    text: str
    expression: str
    removed: str = ""
    relaxes: bool = True

    def advice(self, where: str) -> str:
        """Returns the advice to change a selector in place. `where`: the selector, such as its path."""
        return f"remove `{self.removed}` from {where}" if self.removed else f"write {self.text} in {where}"


def rewritten(group: SelectorGroup) -> Iterator[Rewritten]:
    """Yields selectors that accept devices of a group: from the smallest difference to the largest."""
    part, expression = group.dissected.part, group.expression
    corrected = corrected_types(group)
    if corrected is not None:
        yield corrected
    for seen in _by_bound(group.seen, group.dissected.wanted):
        changed = _accepting(part, group.dissected.wanted, seen)
        if changed is not None:
            relaxes = not differs_in_case(group.dissected.wanted, seen.value)
            yield Rewritten(changed[0], expression.replace(part, changed[1], 1), relaxes=relaxes)
    kept = [one for one in conjuncts(expression) if one != part]
    if kept:
        removed = shortened(part, _TEXT_LENGTH)
        yield Rewritten(f"no `{removed}`", " && ".join(kept), removed)
    relaxed = driver_only(expression)
    if relaxed is not None and relaxed.expression != " && ".join(kept):
        yield relaxed


def corrected_types(group: SelectorGroup) -> Rewritten | None:
    """Returns a selector that compares a value with a literal of its type; None if no type is wrong."""
    wrong = group.mismatch
    if wrong is None or not wrong.corrected:
        return None
    text = f"`{shortened(wrong.corrected, _TEXT_LENGTH)}` instead of `{shortened(wrong.part, _TEXT_LENGTH)}`"
    return Rewritten(text, group.expression.replace(wrong.part, wrong.corrected, 1), relaxes=False)


def driver_only(expression: str) -> Rewritten | None:
    """Returns a copy of a selector with only its conditions on the driver.

    Returns None if the selector has only such conditions: devices of another driver are other hardware.
    """
    kept = driver_part(expression)
    if kept == " && ".join(conjuncts(expression)):
        return None
    if kept == "true":
        removed = shortened(expression, _TEXT_LENGTH)
        return Rewritten(f"no requirement `{removed}`", kept, removed)
    return Rewritten(f"only `{shortened(kept, _TEXT_LENGTH)}`", kept)


def _by_bound(values: Sequence[Seen], wanted: str) -> list[Seen]:
    """Returns the published values of a comparison; the value nearest to the bound comes first.

    Returns [] if the values are from several paths.
    """
    known = [one for one in values if not one.missing]
    if len({one.path for one in known}) != 1:
        return []
    sign = -1 if wanted.startswith(">") else 1 if wanted.startswith("<") else 0

    def order(one: Seen, two: Seen) -> int:
        return sign * quantity.compare(one.value, two.value)

    try:
        return sorted(known, key=cmp_to_key(order))
    except ValueError:  # versions and strings are not quantities
        return known


def _accepting(part: str, wanted: str, seen: Seen) -> tuple[str, str] | None:
    """Returns (text, new part) of a selector that accepts a value; None for a part that cannot be changed."""
    operator, _, operand = wanted.partition(" ")
    name = short_path(seen.path)
    if operator == "in" and part.endswith("]"):
        return f"{seen.value} in the list of {name}", f"{part[:-1]}, {seen.value}]"
    relation = _OPPOSITE.get(operator)
    if relation is None:
        return None
    value = seen.value.strip('"')
    shown = seen.value
    strict = _STRICT.search(part)
    if strict is not None:
        new = f'{part[: strict.start()]}.compareTo({strict["type"]}("{value}")) {relation} 0'
        shown = value
    elif f'("{operand}")' in part:
        new = part.replace(f'("{operand}")', f'("{value}")').replace(f" {operator} 0", f" {relation} 0")
        shown = value
    elif _LITERAL.fullmatch(operand):
        new = f"{part.removesuffix(wanted)}{relation} {seen.value}"
    else:
        return None
    return f"{name} {relation} {shown} instead of {operator} {operand}", new


def improved(device: Device, seen: Seen, wanted: str) -> Object | None:
    """Returns the ResourceSlice entry of a device with one value changed so that a comparison is true.

    Returns None if the value cannot be written.
    """
    field, domain, name = parts_of(seen.path)
    published: Object = device.spec.get(field) or {}
    key = next((one for one in _keys(device, domain, name) if one in published), None)
    operator, _, operand = wanted.partition(" ")
    literal = _LITERAL.search(operand) if operator == "in" else None
    text = literal[0] if literal else operand
    if key is None or operator not in {"==", ">=", "<=", ">", "in"}:
        return None
    try:
        value = _typed(field, published[key], text.strip("\"'"), above=operator == ">")
    except ValueError:
        return None
    return {**device.spec, field: {**published, key: {**published[key], **value}}}


def _keys(device: Device, domain: str, name: str) -> list[str]:
    return [f"{domain}/{name}", *([name] if domain == device.id.driver else [])]


def _typed(field: str, published: Object, text: str, *, above: bool) -> Object:
    """Returns a value with the type of the published value.

    `above`: whether the value must exceed `text`. Raises ValueError if no such value can be written.
    """
    if field == "capacity":
        return {"value": quantity.add(text, "1") if above else text}
    kind = next(iter(published))
    if kind == "int":
        return {kind: int(text) + above}
    if kind == "bool":
        return {kind: text == "true"}
    if above:
        raise ValueError(text)
    return {kind: text}
