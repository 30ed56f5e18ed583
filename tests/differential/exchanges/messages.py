"""Finds the error messages of each kind's validation, and counts those that a run provoked.

A message is a call of a function of `fakeapi.machinery.field_errors` in `fakeapi/kinds`. Its pattern has the
literal parts of the field and of the detail; other parts match any text. kube-apiserver provoked a message if
the pattern matches a cause in one of its errors.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = Path(__file__).parents[3] / "fakeapi" / "kinds"

_REASONS: Mapping[str, tuple[str, int]] = {
    "required": ("FieldValueRequired", 1),
    "invalid": ("FieldValueInvalid", 2),
    "invalid_without_value": ("FieldValueInvalid", 1),
    "type_invalid": ("FieldValueTypeInvalid", 2),
    "forbidden": ("FieldValueForbidden", 1),
    "duplicate": ("FieldValueDuplicate", -1),
    "not_found": ("FieldValueNotFound", -1),
    "not_supported": ("FieldValueNotSupported", -1),
    "too_long": ("FieldValueTooLong", -1),
    "too_many": ("FieldValueTooMany", -1),
}
"""The functions: the reason of the error, and the number of the argument with the detail; -1 for none."""

_ANY = ".*"


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause in an error of kube-apiserver."""

    reason: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Message:
    """An error message of a validation.

    - `package`: the folder below `fakeapi/kinds`, such as `core` or `storage`.
    - `place`: the file and the line.
    - `field`, `detail`: patterns of the end of the field and of the message.
    """

    package: str
    place: str
    reason: str
    field: str
    detail: str

    def matches(self, cause: Cause) -> bool:
        """Whether a cause may come from this message."""
        return (
            cause.reason == self.reason
            and re.search(rf"(?:^|\.){self.field}$", cause.field) is not None
            and re.search(f"{self.detail}$", cause.message, re.DOTALL) is not None
        )


_IN_TEXT = re.compile(
    r"(?:^|[\s\[])(\w[\w.\[\]/-]*): "
    r"((Required value|Invalid value|Forbidden|Duplicate value|Not found|Unsupported value|Too long|Too many)"
    r"(?:: .*|$))",
    re.DOTALL,
)
"""Finds the first error of a field in the message of a Status."""

_TEXTS: Mapping[str, str] = {
    "Required value": "FieldValueRequired",
    "Invalid value": "FieldValueInvalid",
    "Forbidden": "FieldValueForbidden",
    "Duplicate value": "FieldValueDuplicate",
    "Not found": "FieldValueNotFound",
    "Unsupported value": "FieldValueNotSupported",
    "Too long": "FieldValueTooLong",
    "Too many": "FieldValueTooMany",
}


def causes_of(status: Any) -> list[Cause]:
    """Returns the causes in a Status; for a Status without causes, the error of a field in its message."""
    if not isinstance(status, dict) or status.get("kind") != "Status":
        return []
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    if isinstance(causes, list):
        return [Cause(*(str(each.get(name)) for name in ("reason", "field", "message"))) for each in causes]
    match = _IN_TEXT.search(str(status.get("message")))
    return [] if match is None else [Cause(_TEXTS[match[3]], match[1], match[2].rstrip("]"))]


def messages(folder: Path = KINDS) -> list[Message]:
    """Returns the error messages in the modules below a folder, without messages whose parts are unknown."""
    return [
        message
        for path in sorted(folder.rglob("*.py"))
        for message in _of_module(path.relative_to(folder), path.read_text(encoding="utf-8"))
        if message.field != _ANY or message.detail != _ANY
    ]


def _of_module(path: Path, text: str) -> Iterator[Message]:
    tree = ast.parse(text)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    package = path.parts[0] if len(path.parts) > 1 else path.stem
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called not in _REASONS:
            continue
        reason, place = _REASONS[called]
        detail = node.args[place] if 0 <= place < len(node.args) else None
        pattern = _ANY if detail is None else _pattern(detail, constants)
        yield Message(package, f"{path}:{node.lineno}", reason, _pattern(node.args[0], constants), pattern)


def _pattern(node: ast.expr, constants: Mapping[str, ast.expr]) -> str:
    """Returns a regular expression for the text of an expression; `_ANY` for an unknown text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int):
        return re.escape(str(node.value))
    if isinstance(node, ast.FormattedValue):
        return _pattern(node.value, constants)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(part, constants) for part in node.values)
    if isinstance(node, ast.Name) and node.id in constants:
        return _pattern(constants[node.id], {})
    return _ANY


def provoked(known: Iterable[Message], causes: Iterable[Cause]) -> set[Message]:
    """Returns the messages that match at least one of the causes."""
    by_reason: dict[str, set[Cause]] = defaultdict(set)
    for cause in causes:
        by_reason[cause.reason].add(cause)
    return {message for message in known if any(map(message.matches, by_reason[message.reason]))}


def shares(known: Iterable[Message], causes: Iterable[Cause]) -> dict[str, tuple[int, int]]:
    """Returns the number of provoked messages and of all messages, by package."""
    known = list(known)
    total = Counter(message.package for message in known)
    seen = Counter(message.package for message in provoked(known, causes))
    return {package: (seen[package], total[package]) for package in sorted(total)}


def share_lines(causes: Iterable[Cause]) -> list[str]:
    """Returns the lines of a summary: the share of provoked messages, in total and by package."""
    counts = shares(messages(), causes)
    seen, total = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    parts = ", ".join(f"{package} {one}/{all_of}" for package, (one, all_of) in counts.items())
    return [f"{seen:,} of {total:,} error messages provoked ({_percent(seen, total)}): {parts}"]


def _percent(part: int, total: int) -> str:
    return f"{100 * part / max(total, 1):.0f} %"
