"""Formats the difference of two values, for errors about immutable fields.

From 1.34 on, the difference is a unified diff of JSON, like k8s.io/apimachinery `pkg/util/diff`. Up to 1.33,
upstream prints the report of github.com/google/go-cmp, whose whitespace varies between processes by design.
Here, the report lists the different fields of the struct with abbreviated values.
"""

import json
from difflib import unified_diff
from typing import Any, Final

from fakeapi.machinery.golang.strconv import render
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.go_names import go_name
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.machinery.schema.unversioned_syntax import package_of
from fakeapi.releases.rules import ReleaseRules

CONTEXT_LINES: Final = 3
CONTEXT_FIELDS: Final = 2
_ESCAPES: Final = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_BLANK: Final = "\u00a0"


def printed_difference(old: Object, new: Object, struct: Struct, rules: ReleaseRules) -> str:
    """Formats the difference of two values of the type `struct`, which may be an internal type."""
    if not rules.quirks.wording.json_values:
        return _report(old, new, struct)
    before, after = (_json_lines(value, struct) for value in (old, new))
    lines = list(unified_diff(before, after, n=CONTEXT_LINES))
    return "".join(lines[2:])  # The first two lines are the header with the empty file names.


def _json_lines(value: Object, struct: Struct) -> list[str]:
    """Returns the lines of Go's json.MarshalIndent; as in go-difflib, the last line has a newline too."""
    compact = json.loads(unversioned_json(value, struct))
    text = json.dumps(compact, indent=1, ensure_ascii=False).translate(_ESCAPES)
    return [f"{line}\n" for line in text.split("\n")]


def _report(old: Object, new: Object, struct: Struct) -> str:
    """Returns a report like go-cmp: the fields that differ, with two fields of context."""
    names = list(struct.fields)
    changed = [old.get(name) != new.get(name) for name in names]
    near = [any(changed[max(0, at - CONTEXT_FIELDS) : at + CONTEXT_FIELDS + 1]) for at in range(len(names))]
    lines, hidden = [f"  {package_of(struct)}.{struct.go_type.rpartition('.')[2]}{{"], 0
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
