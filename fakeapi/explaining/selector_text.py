"""Says which part of a CEL selector refuses a device, and which values this part reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from fakeapi.controllers.allocation.model import Device
from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.explaining.model import Seen
from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.devices import BASE_LIBRARIES
from fakeapi.machinery.cel.syntax import Call, Ident, Literal, Node, Parsed, Select, walk
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_COMPARISONS = {"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_ORDERS = {"isGreaterThan": ">", "isLessThan": "<"}
_INDEXING = frozenset(("_[_]", "_[?_]", "_?._"))
_KINDS = ("string", "int", "bool", "version")
_TEXT_LENGTH = 120
"""Maximum number of characters of a value in an explanation."""


@dataclass(frozen=True, slots=True)
class Dissected:
    """The part of a selector that refuses a device.

    - `part`: the first operand of the `&&` that is false or fails, as written.
    - `seen`: the values of the device that the part reads.
    - `wanted`: for a comparison of one value, the rest of the comparison, such as ">= 40Gi"; else "".
    - `error`: the error of the evaluation; "" if the part is false.
    """

    part: str
    seen: tuple[Seen, ...] = ()
    wanted: str = ""
    error: str = ""

    @property
    def text(self) -> str:
        """The refusal in words, such as `device.driver` is "a", wanted == "b"."""
        values = ", ".join(_value_text(seen) for seen in self.seen)
        if self.wanted and len(self.seen) == 1:
            return f"{values}, wanted {self.wanted}"
        if values:
            return f"{values}; `{shortened(self.part)}` is false"
        return f"`{shortened(self.part)}` is false"

    @property
    def short(self) -> str:
        """The refusal in few words, such as `memory` is 16Gi, wanted >= 40Gi."""
        if len(self.seen) != 1:
            return f"`{shortened(self.part, 60)}` is false"
        value = self.seen[0]
        text = f"{_short_path(value.path)} is {'missing' if value.missing else value.value}"
        return (
            f"{text}, wanted {self.wanted}"
            if self.wanted
            else f"{text}; `{shortened(self.part, 60)}` is false"
        )


def _short_path(path: str) -> str:
    """Returns the end of a path: `attribute model`, `capacity memory` or `device.driver`."""
    for field, noun in (("attributes", "attribute"), ("capacity", "capacity")):
        prefix = f'device.{field}["'
        if path.startswith(prefix):
            whole, _, name = path.removeprefix(prefix).partition('"]')
            name = name.strip('.["]')
            return f"{noun} {name}" if name else f"domain {whole}"
    return path


def _value_text(seen: Seen) -> str:
    return f"`{seen.path}` is {'missing' if seen.missing else seen.value}"


def shortened(text: str, length: int = _TEXT_LENGTH) -> str:
    """Returns a text in one line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def dissect(expression: str, device: Device, matcher: DeviceMatcher, rules: ReleaseRules) -> Dissected:
    """Finds the part of a selector that refuses a device, with the same evaluator and cost limits."""
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
    parsed = _parsed(part, rules)
    if parsed is None:
        return Dissected(part, error=error)
    seen = tuple(dict.fromkeys(_reads(parsed.root, device)))
    return Dissected(part, seen, _wanted(part, parsed), error)


def _parsed(text: str, rules: ReleaseRules) -> Parsed | None:
    if not library.is_installed():
        return None
    try:
        return library.parse(text, BASE_LIBRARIES | rules.quirks.cel_libraries | {"bindings"})
    except (library.SyntaxFault, library.DeeperThanLibrary):
        return None


def conjuncts(expression: str) -> list[str]:
    """Splits an expression at `&&` outside of brackets and strings.

    Returns the whole expression if it also has `||` or `?:` there, because these bind weaker.
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


def _reads(root: Node, device: Device) -> Iterator[Seen]:
    """Yields the values of the device that an expression reads, in source order."""
    inner: set[int] = set()
    for node in walk(root):
        if node.id in inner:
            continue
        place = _place(node)
        if place is not None:
            yield _seen(*place, device)
            inner.update(child.id for child in walk(node))


def _place(node: Node) -> tuple[str, str, str] | None:
    """Returns (map, domain, name) of the device's value that a node reads; None for other nodes.

    The domain or the name is "" if the node reads the whole map or a field such as `driver`.
    """
    match node:
        case Select(operand=Ident(name="device"), field="driver" | "allowMultipleAllocations" as field):
            return field, "", ""
        case Select(operand=operand, field=name) if (domain := _domain(operand)) is not None:
            return *domain, name
        case Call(function=function, arguments=[operand, Literal(value=str() as name)]) if (
            function in _INDEXING and (domain := _domain(operand)) is not None
        ):
            return *domain, name
        case _:
            whole = _domain(node)
            return None if whole is None else (*whole, "")


def _domain(node: Node) -> tuple[str, str] | None:
    match node:
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
    """Returns the CEL path of an attribute or capacity, such as `device.capacity["a.com"].memory`."""
    whole = f'device.{field}["{domain}"]'
    if not name:
        return whole
    return f"{whole}.{name}" if name.isidentifier() else f'{whole}["{name}"]'


def by_domain(named: Object, driver: str) -> dict[str, Object]:
    """Returns attributes or capacities by domain, then by name. Names without a domain belong to `driver`."""
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


def _wanted(part: str, parsed: Parsed) -> str:
    """Returns what a comparison wants of its first operand; "" for other expressions."""
    match parsed.root:
        case Call(function=function, arguments=[left, right]) if function in _COMPARISONS:
            operator = _COMPARISONS[function]
            if _place(left) is not None:
                return shortened(part[parsed.offsets[parsed.root.id] :])
            amount = _compared(left)
            if amount and isinstance(right, Literal) and right.value == 0:
                return f"{operator} {amount}"
        case Call(function="@in", arguments=[left, _]) if _place(left) is not None:
            return shortened(part[parsed.offsets[parsed.root.id] :])
        case Call(function=function, target=target, arguments=[argument]) if (
            function in _ORDERS and target is not None and _place(target) is not None
        ):
            amount = _made(argument)
            return f"{_ORDERS[function]} {amount}" if amount else ""
    return ""


def _compared(node: Node) -> str:
    match node:
        case Call(function="compareTo", target=target, arguments=[argument]) if (
            target is not None and _place(target) is not None
        ):
            return _made(argument)
        case _:
            return ""


def _made(node: Node) -> str:
    """Returns the text in `quantity("40Gi")` or `semver("1.0.0")`; "" for other nodes."""
    match node:
        case Call(function="quantity" | "semver", arguments=[Literal(value=str() as text)]):
            return text
        case _:
            return ""


def hints(seen: Seen, device: Device) -> list[str]:
    """Says where a missing attribute or capacity is published instead; [] if nothing is similar."""
    field, _, rest = seen.path.removeprefix("device.").partition('["')
    domain, _, name = rest.partition('"]')
    name = name.strip('.["]')
    if not seen.missing or not name:
        return []
    other = "capacity" if field == "attributes" else "attributes"
    texts = []
    own, crossed = (by_domain(device.spec.get(kind) or {}, device.id.driver) for kind in (field, other))
    for found_domain, names in own.items():
        if name in names and found_domain != domain:
            texts.append(f"the device has it as `{path_of(field, found_domain, name)}`")
    for found_domain, names in crossed.items():
        if name in names:
            noun = "a capacity" if other == "capacity" else "an attribute"
            texts.append(f"the device has it as {noun}: `{path_of(other, found_domain, name)}`")
    if not texts:
        similar = get_close_matches(name, own.get(domain, {}), 1)
        texts += [f"the device has `{path_of(field, domain, other)}`" for other in similar]
    if not texts:
        known = sorted(own.get(domain, {}))[:8]
        texts.append(
            f"in this domain the device has {', '.join(known)}"
            if known
            else f"the device's domains are {', '.join(sorted(own)) or 'none'}"
        )
    return texts
