"""Parses `fieldSelector` parameters and matches objects against them.

Follows k8s.io/apimachinery `pkg/fields/selector.go` and `pkg/runtime/conversion.go`, the same in every
release from 1.27 to 1.33.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from fakeapi.machinery.golang.strconv import quote

METADATA_ONLY = '{quoted} is not a known field selector: only "metadata.name", "metadata.namespace"'
"""The refusal of kinds without selectable fields of their own; it lists both, whatever the kind's scope."""

NOT_SUPPORTED = "field label not supported: {label}"
"""The refusal of most kinds that have selectable fields of their own."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A field that equals a value, or with `negated` differs from it."""

    field: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{self.field}{'!=' if self.negated else '='}{_escaped(self.value)}"


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """Conditions that must all hold, ordered as their texts sort."""

    requirements: tuple[Requirement, ...]

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Whether `fields` are selected; a field that is not among them counts as empty."""
        return all(
            (fields.get(each.field, "") == each.value) is not each.negated for each in self.requirements
        )

    @property
    def empty(self) -> bool:
        """Whether there is no requirement, so that everything matches."""
        return not self.requirements

    def requires_exact_match(self, field: str) -> str | None:
        """The value that a field must have, by the first condition that says so."""
        for each in self.requirements:
            if each.field == field and not each.negated:
                return each.value
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def parse(text: str) -> FieldSelector:
    """Parses a selector. Raises ValueError with Kubernetes' message.

    A requirement without field and value is dropped.
    """
    found = [_requirement(term, text) for term in sorted(_terms(text)) if term]
    return FieldSelector(tuple(each for each in found if each.field or each.value))


def check_labels(selector: FieldSelector, supported: Collection[str], refusal: str = METADATA_ONLY) -> None:
    """Raises ValueError for the first field label that is not in `supported`.

    `refusal` is formatted with the `label` and the `quoted` label.
    """
    for each in selector.requirements:
        if each.field not in supported:
            raise ValueError(refusal.format(label=each.field, quoted=quote(each.field)))


_TERM = re.compile(r"(?:[^\\,]|\\.|\\\Z)*", re.DOTALL)
_OPERATOR = re.compile("!=|==|=")
_SPECIAL = re.compile(r"[\\,=]")


def _terms(text: str) -> list[str]:
    """`text` split at commas without a backslash before them."""
    if "\\" not in text:
        return text.split(",")
    terms: list[str] = []
    position = 0
    while position <= len(text):
        match = _TERM.match(text, position)
        assert match is not None
        terms.append(match[0])
        position = match.end() + 1
    return terms


def _requirement(term: str, text: str) -> Requirement:
    operator = _OPERATOR.search(term)
    if operator is None:
        raise ValueError(f"invalid selector: '{text}'; can't understand '{term}'")
    value = _unescaped(term[operator.end() :])
    return Requirement(term[: operator.start()], value, negated=operator[0] == "!=")


def _escaped(value: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", value)


def _unescaped(value: str) -> str:
    if not _SPECIAL.search(value):
        return value
    characters = iter(value)
    result: list[str] = []
    for character in characters:
        if character in ",=":
            what = f"unescaped character in value: {ord(character)}"
            raise ValueError(f"invalid field selector: {what}")
        if character == "\\":
            escaped = next(characters, "")
            if escaped not in ("\\", ",", "="):
                raise ValueError(f"invalid field selector: invalid escape sequence: \\{escaped}")
            result.append(escaped)
        else:
            result.append(character)
    return "".join(result)
