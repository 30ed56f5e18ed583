"""Formats the difference between two pods for error messages.

From 1.34 on, the difference is a unified diff of JSON, like k8s.io/apimachinery `pkg/util/diff`. Up to 1.33,
upstream prints the report of go-cmp, whose whitespace varies between processes by design. Here, the report
lists the different fields of the struct with abbreviated values.
"""

import difflib
import json
from typing import Any

from fakeapi.kinds.core.pod.validation.checks import PodChecks
from fakeapi.machinery.golang.strconv import render
from fakeapi.machinery.schema.go_names import go_name
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.schema.unversioned_json import unversioned_json

_CONTEXT = 3
_SHOWN_AROUND = 2
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_BLANK = "\u00a0"


def difference(old: Any, new: Any, struct: Struct, checks: PodChecks) -> str:
    """Formats the difference between two values of an internal type, like the release prints it."""
    if checks.wording.json_values:
        return _unified(_pretty(old, struct), _pretty(new, struct))
    return _reported(old, new, struct)


def _pretty(value: Any, struct: Struct) -> list[str]:
    """Returns the lines of Go's json.MarshalIndent for a value, with an indent of one space."""
    compact = json.loads(unversioned_json(value, struct))
    text = json.dumps(compact, indent=1, ensure_ascii=False).translate(_ESCAPES)
    return [f"{line}\n" for line in text.split("\n")]


def _unified(old: list[str], new: list[str]) -> str:
    lines = list(difflib.unified_diff(old, new, n=_CONTEXT))
    return "".join(lines[2:])  # without the two header lines, because the values have no names


def _reported(old: Any, new: Any, struct: Struct) -> str:
    names = list(struct.fields)
    changed = [old.get(name) != new.get(name) for name in names]
    near = [any(changed[max(0, at - _SHOWN_AROUND) : at + _SHOWN_AROUND + 1]) for at in range(len(names))]
    lines, hidden = [f"  core.{struct.go_type.rpartition('.')[2]}{{"], 0
    for name, differs, is_near in [*zip(names, changed, near, strict=True), ("", False, True)]:
        if not is_near:
            hidden += 1
            continue
        if hidden:
            lines.append(f"  \t... // {hidden} identical field{'s' if hidden > 1 else ''}")
            hidden = 0
        if not name:
            break
        label = go_name(name, struct)
        if differs:
            lines += [f"- \t{label}: {_short(old.get(name))},", f"+ \t{label}: {_short(new.get(name))},"]
        else:
            lines.append(f"  \t{label}: {_short(old.get(name))},")
    return "\n".join([*lines, "  }", ""]).replace("  ", _BLANK * 2)


def _short(value: Any) -> str:
    """Formats a value roughly like go-cmp: nil, quoted strings, structs with their set fields."""
    match value:
        case None:
            return "nil"
        case dict():
            return "{" + ", ".join(f"{key}: {_short(item)}" for key, item in value.items()) + "}"
        case list():
            return "{" + ", ".join(map(_short, value)) + "}"
        case _:
            return render(value)
