"""Go values as field errors print them: dumps of Go's syntax, or JSON in newer releases.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.wording import Wording

POINTER = "0xc000000000"
"""An address, where Go prints one."""


def shown(wording: Wording, dump: str, value: Any) -> Dump:
    """A value in the form of the release: its Go syntax, or `value` as JSON."""
    return Dump(wording.json(value) if wording.json_values else dump)


def string_map(texts: Mapping[str, str] | None) -> str:
    """Go's syntax of a map of strings; an empty one is nil."""
    if not texts:
        return "map[string]string(nil)"
    members = ", ".join(f"{quote(key)}:{quote(texts[key])}" for key in sorted(texts))
    return f"map[string]string{{{members}}}"


def string_list(go_type: str, texts: Iterable[str] | None) -> str:
    """Go's syntax of a list of strings or of a type made of string; an empty one is nil."""
    members = ", ".join(quote(text) for text in texts or ())
    return f"[]{go_type}{{{members}}}" if members else f"[]{go_type}(nil)"


def shown_string_map(wording: Wording, texts: Mapping[str, str] | None) -> Dump:
    return shown(wording, string_map(texts), dict(sorted(texts.items())) if texts else None)
