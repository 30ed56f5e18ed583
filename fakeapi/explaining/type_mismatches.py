"""Finds comparisons of a device's value with a literal of another type, and corrects them."""

from dataclasses import dataclass

from fakeapi.controllers.allocation.model import Device
from fakeapi.explaining.selector_text import COMPARISONS, Places, by_domain, parsed_selector, path_of
from fakeapi.machinery.cel.syntax import Call, Literal
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.releases.rules import ReleaseRules

_SEMVER = lazy_pattern(r"\d+(\.\d+){0,2}(?P<rest>[-+].*)?")
_NOUNS = {
    "version": "a version",
    "int": "an int",
    "bool": "a bool",
    "string": "a string",
}
_LITERALS: dict[type, str] = {str: "a string", int: "an int", float: "a double", bool: "a bool"}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A comparison of a device's value with a literal of another type.

    With an operator such as `>=`, CEL fails: "no such overload". The operator `==` gives false.

    - `path`: the path of the value, such as `device.attributes["gpu.example.com"].driverVersion`.
    - `name`: the last part of the path.
    - `types`: the type of the value, and the type of the literal, such as "a version" and "a string".
    - `part`: the comparison, as written.
    - `corrected`: the comparison with a literal of the right type; "" without one.
    """

    path: str
    name: str
    types: tuple[str, str]
    part: str
    corrected: str

    @property
    def texts(self) -> list[str]:
        """The mistake of the selector, such as "compares model, a version, with a string"; longest first."""
        of, other = self.types
        return [f"compares {self.name}, {of}, with {other}", f"compares {of} with {other}"]

    @property
    def line(self) -> str:
        """The types of both sides of the comparison, as a sentence."""
        return f"`{self.path}` is {self.types[0]}; the selector compares it with {self.types[1]}"


def mismatch_of(part: str, device: Device, rules: ReleaseRules) -> Mismatch | None:
    """Returns the mismatch of a comparison; None for other expressions, and if the types are equal.

    `part`: a CEL expression that is false for the device, or that fails on it.
    """
    parsed = parsed_selector(part, rules)
    match parsed and parsed.root:
        case Call(function=function, arguments=[left, Literal(value=literal)]) if function in COMPARISONS:
            place = Places(parsed.root).of(left) if parsed else None
        case _:
            return None
    if place is None or parsed is None or place[0] != "attributes" or not place[2]:
        return None  # the API server refuses a comparison of a capacity with a literal of another type
    field, domain, name = place
    value = by_domain(device.spec.get(field) or {}, device.id.driver).get(domain, {}).get(name) or {}
    wanted = _LITERALS.get(type(literal))
    kind = next((kind for kind in _NOUNS if kind in value), None)
    if wanted is None or kind is None or _NOUNS[kind] == wanted:
        return None
    written = part[: parsed.offsets[parsed.root.id]].rstrip()
    corrected = _corrected(written, COMPARISONS[function], kind, literal)
    return Mismatch(path_of(field, domain, name), name, (_NOUNS[kind], wanted), part, corrected)


def _corrected(path: str, operator: str, kind: str, literal: object) -> str:
    """Returns a comparison of the value at `path` with a literal of the value's type; "" without one."""
    text = str(literal)
    if kind == "version" and (match := _SEMVER.fullmatch(text)):
        core = text.removesuffix(match["rest"] or "")
        whole = f"{core}{'.0' * (2 - core.count('.'))}{match['rest'] or ''}"
        return f'{path}.compareTo(semver("{whole}")) {operator} 0'
    if kind == "int" and text.removeprefix("-").isdecimal():
        return f"{path} {operator} {text}"
    if kind == "bool" and text in {"true", "false"}:
        return f"{path} {operator} {text}"
    return f'{path} {operator} "{text}"' if kind == "string" and isinstance(literal, int) else ""
