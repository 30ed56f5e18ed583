"""Finds the part of a CEL selector that refuses a device, and the values that this part reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from fakeapi.controllers.allocation.model import Device
from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.explaining.model import Seen
from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.devices import BASE_LIBRARIES
from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    Node,
    Parsed,
    Select,
    walk,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.releases.rules import ReleaseRules

COMPARISONS = {"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_ORDERS = {"isGreaterThan": ">", "isLessThan": "<"}
_INDEXING = frozenset(("_[_]", "_[?_]", "_?._"))
_KINDS = ("string", "int", "bool", "version")
_DRIVER = lazy_pattern(r"\bdevice\.driver\b")
_TEXT_LENGTH = 120
"""Maximum number of characters of a value in an explanation."""

SUMMARY_LENGTH = 93
"""Maximum number of characters of a summary. With a short pod name, the first line has at most 120."""

HEADLINE_LENGTH = 80
"""Desired maximum number of characters of a summary. `fitted` chooses the first form that fits."""


@dataclass(frozen=True, slots=True)
class Dissected:
    """The part of a selector that refuses a device.

    - `part`: the first operand of `&&` that is false or fails, as written.
    - `seen`: the values of the device that the part reads.
    - `wanted`: for a comparison of one value, the operator and the other operand, such as ">= 40Gi";
      otherwise "".
    - `error`: the error of the evaluation; "" if the part is false.
    """

    part: str
    seen: tuple[Seen, ...] = ()
    wanted: str = ""
    error: str = ""

    @property
    def text(self) -> str:
        """The reason why the part refuses the device, such as: `device.driver` is "a", wanted == "b"."""
        values = ", ".join(_value_text(seen) for seen in self.seen)
        if self.wanted and len(self.seen) == 1:
            return f"{values}, wanted {self.wanted}"
        if values:
            return f"{values}; `{shortened(self.part)}` is false"
        return f"`{shortened(self.part)}` is false"

    @property
    def shorts(self) -> list[str]:
        """Short forms of the reason, such as "capacity memory is 16Gi, wanted >= 40Gi".

        The longest form comes first.
        """
        missing = next((value for value in self.seen if value.missing), None)
        if missing is not None:
            return [f"{short_path(missing.path)} is missing"]
        part = f"`{shortened(self.part, 50)}` is false"
        if len(self.seen) != 1:
            return [part]
        text = f"{short_path(self.seen[0].path)} is {self.seen[0].value}"
        return [f"{text}, wanted {self.wanted}" if self.wanted else f"{text}; {part}", text]


def short_path(path: str) -> str:
    """Returns a short form of a CEL path: `attribute model`, `capacity memory` or `device.driver`."""
    for field, noun in (("attributes", "attribute"), ("capacity", "capacity")):
        prefix = f'device.{field}["'
        if path.startswith(prefix):
            whole, _, name = path.removeprefix(prefix).partition('"]')
            name = name.strip('.["]')
            return f"{noun} {name}" if name else f"domain {whole}"
    return path


def differs_in_case(wanted: str, value: str) -> bool:
    """Whether a comparison with a string literal is false only because of the letter case.

    - `wanted`: the operator and the literal, such as `== "H200"`.
    - `value`: the published value, as in a manifest.
    """
    operator, _, literal = wanted.partition(" ")
    text, own = literal.strip("\"'"), value.strip('"')
    return operator == "==" and text != own and text.casefold() == own.casefold()


def _value_text(seen: Seen) -> str:
    return f"`{seen.path}` is {'missing' if seen.missing else seen.value}"


def fitted(lead: str, options: Sequence[str], length: int = HEADLINE_LENGTH) -> str:
    """Returns `lead` with the first option that fits into `length` characters, or with the last option."""
    lines = [f"{lead}: {option}" for option in options]
    return next((line for line in lines if len(line) <= length), lines[-1])


def shortened(text: str, length: int = _TEXT_LENGTH) -> str:
    """Returns a text as one line. Cuts a text of more than `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def dissect(expression: str, device: Device, matcher: DeviceMatcher, rules: ReleaseRules) -> Dissected:
    """Finds the part of a selector that refuses a device, within the allocator's cost limits for CEL."""
    parts = conjuncts(expression)
    part, error = expression.strip(), ""
    for candidate in parts if len(parts) > 1 else ():
        try:
            if matcher(candidate, device.id.driver, device.spec):
                continue
        except SelectorError as problem:
            error = str(problem)
        part = candidate
        break
    if not error and part == expression.strip():
        try:
            matcher(part, device.id.driver, device.spec)
        except SelectorError as problem:
            error = str(problem)
    parsed = parsed_selector(part, rules)
    if parsed is None:
        return Dissected(part, error=error)
    places = Places(parsed.root)
    seen = tuple(dict.fromkeys(_reads(parsed.root, places, device)))
    return Dissected(part, seen, _comparison_end(part, parsed, places), error)


def parsed_selector(text: str, rules: ReleaseRules) -> Parsed | None:
    return _parse(text, BASE_LIBRARIES | rules.quirks.cel_libraries | {"bindings"})


@lru_cache(256)
def _parse(text: str, libraries: frozenset[str]) -> Parsed | None:
    """Returns the syntax tree of an expression; None if the expression cannot be parsed."""
    if not library.is_installed():
        return None
    try:
        return library.parse(text, libraries)
    except (library.SyntaxFault, library.DeeperThanLibrary):
        return None


def conjuncts(expression: str) -> list[str]:
    """Splits an expression at each `&&` outside of brackets and strings.

    Returns the whole expression if `||` or `?:` is also outside of brackets, because these operators bind
    weaker.
    """
    parts, depth, start, quote, index = [], 0, 0, "", 0
    while index < len(expression):
        char = expression[index]
        if quote:
            if char == "\\":
                index += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0:
            pair = expression[index : index + 2]
            if pair == "||" or (char == "?" and pair != "?."):
                return [expression.strip()]
            if pair == "&&":
                parts.append(expression[start:index].strip())
                start = index + 2
                index += 1
        index += 1
    return [*parts, expression[start:].strip()]


def driver_part(expression: str) -> str:
    """Returns the operands of `&&` in a selector that read `device.driver`; "true" without such an operand. A
    selector with only these operands still selects the same kind of hardware.
    """
    return " && ".join(part for part in conjuncts(expression) if _DRIVER.search(part)) or "true"


class Places:
    """Finds the nodes of an expression's syntax tree that read a value of the device.

    Resolves variables of cel.bind.
    """

    def __init__(self, root: Node) -> None:
        self._variables: dict[str, tuple[str, str]] = {}
        for node in walk(root):
            if isinstance(node, Comprehension) and isinstance(node.range, ListLiteral):
                domain = self._domain(node.initial)
                if domain is not None:
                    self._variables[node.accumulator] = domain

    def of(self, node: Node) -> tuple[str, str, str] | None:
        """Returns (map, domain, name) of the device's value that a syntax node reads; None for other nodes.

        The domain or the name is "" if the node reads the whole map or a field such as `driver`.
        """
        match node:
            case Select(operand=Ident(name="device"), field="driver" | "allowMultipleAllocations" as field):
                return field, "", ""
            case Select(operand=operand, field=name) if (domain := self._domain(operand)) is not None:
                return *domain, name
            case Call(function=function, arguments=[operand, Literal(value=str() as name)]) if (
                function in _INDEXING and (domain := self._domain(operand)) is not None
            ):
                return *domain, name
            case Ident():
                return None
            case _:
                whole = self._domain(node)
                return None if whole is None else (*whole, "")

    def _domain(self, node: Node) -> tuple[str, str] | None:
        match node:
            case Ident(name=name):
                return self._variables.get(name)
            case Call(
                function=function,
                arguments=[
                    Select(operand=Ident(name="device"), field="attributes" | "capacity" as field),
                    Literal(value=str() as domain),
                ],
            ) if function in _INDEXING:
                return field, domain
            case _:
                return None

    def is_bound(self, node: Node) -> bool:
        """Whether a syntax node is the value of a cel.bind variable that other nodes read."""
        return isinstance(node, Comprehension) and node.accumulator in self._variables


def _reads(root: Node, places: Places, device: Device) -> Iterator[Seen]:
    """Yields the values of a device that an expression reads, in source order."""
    inner: set[int] = set()
    for node in walk(root):
        if isinstance(node, Comprehension) and places.is_bound(node):
            inner.add(node.initial.id)
        if node.id in inner:
            continue
        place = places.of(node)
        if place is not None:
            yield _seen(*place, device)
            inner.update(child.id for child in walk(node))


def _seen(field: str, domain: str, name: str, device: Device) -> Seen:
    if field == "driver":
        return Seen("device.driver", f'"{device.id.driver}"')
    if field == "allowMultipleAllocations":
        return Seen(f"device.{field}", str(device.allows_sharing).lower())
    path = path_of(field, domain, name)
    named = by_domain(device.spec.get(field) or {}, device.id.driver).get(domain, {})
    if not name:
        return Seen(path, f"{{{', '.join(sorted(named))}}}", missing=not named)
    if name not in named:
        return Seen(path, missing=True)
    return Seen(path, value_text(field, named[name]))


def path_of(field: str, domain: str, name: str) -> str:
    """Returns the CEL path of an attribute or capacity, such as `device.capacity["a.com"].memory`.

    `field`: "attributes" or "capacity".
    """
    whole = f'device.{field}["{domain}"]'
    if not name:
        return whole
    return f"{whole}.{name}" if name.isidentifier() else f'{whole}["{name}"]'


def by_domain(named: Object, driver: str) -> dict[str, Object]:
    """Groups attributes or capacities by domain and name. Names without a domain get the domain `driver`."""
    domains: dict[str, Object] = {}
    for full, value in named.items():
        domain, slash, name = full.partition("/")
        if not slash:
            domain, name = driver, full
        domains.setdefault(domain, {})[name] = value
    return domains


def value_text(field: str, value: Object) -> str:
    """Returns the value of an attribute or capacity as text; strings have quotes."""
    if field == "capacity":
        return str(value["value"])
    for kind in _KINDS:
        if kind in value:
            return _literal(value[kind])
    return next((shortened(str(items)) for items in value.values()), "")


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{shortened(value)}"' if isinstance(value, str) else str(value)


def _comparison_end(part: str, parsed: Parsed, places: Places) -> str:
    """Returns the operator and second operand of a comparison, such as ">= 40Gi"; "" for other parts."""
    match parsed.root:
        case Call(function=function, arguments=[left, right]) if function in COMPARISONS:
            operator = COMPARISONS[function]
            if places.of(left) is not None:
                return shortened(part[parsed.offsets[parsed.root.id] :])
            amount = _compared(left, places)
            if amount and isinstance(right, Literal) and right.value == 0:
                return f"{operator} {amount}"
        case Call(function="@in", arguments=[left, _]) if places.of(left) is not None:
            return shortened(part[parsed.offsets[parsed.root.id] :])
        case Call(function=function, target=target, arguments=[argument]) if (
            function in _ORDERS and target is not None and places.of(target) is not None
        ):
            amount = _quoted_argument(argument)
            return f"{_ORDERS[function]} {amount}" if amount else ""
    return ""


def _compared(node: Node, places: Places) -> str:
    match node:
        case Call(function="compareTo", target=target, arguments=[argument]) if (
            target is not None and places.of(target) is not None
        ):
            return _quoted_argument(argument)
        case _:
            return ""


def _quoted_argument(node: Node) -> str:
    """Returns the string argument of `quantity("40Gi")` or `semver("1.0.0")`; "" for other syntax nodes."""
    match node:
        case Call(function="quantity" | "semver", arguments=[Literal(value=str() as text)]):
            return text
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class Hint:
    """The path of a missing value in a selector, and a similar path at which devices publish a value.

    - `path`: the path in the selector.
    - `instead`: the path that has a value; "" if no path is similar.
    """

    text: str
    path: str
    instead: str = ""

    @property
    def is_capacity(self) -> bool:
        """Whether devices publish the value as a capacity, while the selector reads an attribute."""
        return self.instead.startswith("device.capacity") and self.path.startswith("device.attributes")

    @property
    def misread(self) -> list[str]:
        """Sentences with the path that the selector reads and the path of the value; the longest first."""
        (field, domain, name), (other, where, own) = parts_of(self.path), parts_of(self.instead)
        nouns = {"attributes": "attribute", "capacity": "capacity"}
        if field != other:
            article = "an" if field == "attributes" else "a"
            actual = "an" if other == "attributes" else "a"
            return [f"reads {name} as {article} {nouns[field]}; it is {actual} {nouns[other]}"]
        if name != own:
            return [f"reads {nouns[field]} {name}; devices have {own}"]
        return [
            f"reads {nouns[field]} {name} in domain {domain}; devices have it in {where}",
            f"reads {nouns[field]} {name} in {domain}; devices have it in {where}",
            f"reads {name} in {domain}; devices have it in {where}",
            f"reads {name} in {domain}; it is in {where}",
        ]


def parts_of(path: str) -> tuple[str, str, str]:
    """Returns the map, the domain and the name of a CEL path."""
    field, _, rest = path.removeprefix("device.").partition('["')
    domain, _, name = rest.partition('"]')
    return field, domain, name.strip('.["]')


def hints(seen: Seen, device: Device) -> list[Hint]:
    """Returns hints for a missing value: paths with the same name, a similar name, or the known names.

    Returns [] for a value that exists, and for a path without a name.
    """
    field, domain, name = parts_of(seen.path)
    if not seen.missing or not name:
        return []
    other = "capacity" if field == "attributes" else "attributes"
    own, crossed = (by_domain(device.spec.get(kind) or {}, device.id.driver) for kind in (field, other))
    if any(name in names for names in own.values()):
        return [
            Hint(
                f"the device has it as `{path_of(field, one, name)}`: {value_text(field, names[name])}",
                seen.path,
                path_of(field, one, name),
            )
            for one, names in own.items()
            if name in names
        ]
    noun = "a capacity" if other == "capacity" else "an attribute"
    if any(name in names for names in crossed.values()):
        return [
            Hint(
                f"the device has it as {noun}, `{path_of(other, one, name)}`: "
                f"{value_text(other, names[name])}",
                seen.path,
                path_of(other, one, name),
            )
            for one, names in crossed.items()
            if name in names
        ]
    similar = get_close_matches(name, own.get(domain, {}), 1)
    if similar:
        path = path_of(field, domain, similar[0])
        return [Hint(f"the device has `{path}`", seen.path, path)]
    known = sorted(own.get(domain, {}))[:8]
    if known:
        return [Hint(f"device {device.id} has these {field} in {domain}: {', '.join(known)}", seen.path)]
    domains = f"; its domains are {', '.join(sorted(own))}" if own else ""
    of_domain = f" in {domain}" if own else ""
    return [Hint(f"device {device.id} has no {field}{of_domain}{domains}", seen.path)]


def replaced(expression: str, hint: Hint) -> str:
    """Returns a selector that reads the value where devices publish it; "" if the selector does not contain
    the path, or without a hint.
    """
    for old in (hint.path, _optional(hint.path)):
        if hint.instead and old in expression:
            return expression.replace(old, hint.instead if old == hint.path else _optional(hint.instead))
    return ""


def _optional(path: str) -> str:
    head, _, name = path.rpartition(".")
    return f"{head}.?{name}"
