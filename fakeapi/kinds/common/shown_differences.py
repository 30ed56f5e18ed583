"""Formats the differences between two values like errors about immutable fields print them.

Follows `Diff` of k8s.io/apimachinery `pkg/util/diff`, which from Kubernetes 1.34 on compares JSON line by
line. Older releases print the report of github.com/google/go-cmp, whose form is unstable by design. This
module prints the lines of newer releases for older releases too.
"""

import json
from difflib import unified_diff
from typing import Any, Final

from fakeapi.kinds.common.internal_types import internal_struct
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.releases.rules import ReleaseRules

CONTEXT_LINES: Final = 3


def shown_difference(old: Object, new: Object, type_name: str, rules: ReleaseRules) -> str:
    """Formats the differences between two values of an internal core type like errors print them.

    `type_name`: the name of the type, such as `PersistentVolumeClaimSpec`
    """
    node = internal_struct(type_name, rules)
    return _unified(unversioned_json(old, node), unversioned_json(new, node))


def _unified(old: str, new: str) -> str:
    before, after = (_lines(text) for text in (old, new))
    lines = list(unified_diff(before, after, n=CONTEXT_LINES))
    return "".join(lines[2:])  # without the two header lines: the names of the files are empty


def _lines(text: str) -> list[str]:
    """Returns the lines of indented JSON. As in go-difflib, the last line also ends with a newline."""
    value: Any = json.loads(text)
    return [f"{line}\n" for line in json.dumps(value, indent=1, ensure_ascii=False).split("\n")]
