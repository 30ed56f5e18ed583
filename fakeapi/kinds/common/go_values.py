"""Formats Go values like the field errors of a release: in Go syntax, or as JSON in newer releases.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.wording import Wording

POINTER = "0xc000000000"
"""The text that stands for the address of a pointer, which Go prints."""


def shown(wording: Wording, dump: str, value: Any) -> Dump:
    """Formats a value like field errors of the release: `value` as JSON, or else the text `dump`."""
    return Dump(wording.json(value) if wording.json_values else dump)


def string_map(texts: Mapping[str, str] | None) -> str:
    """Formats a map of strings in Go syntax. An empty map is printed as nil."""
    if not texts:
        return "map[string]string(nil)"
    members = ", ".join(f"{quote(key)}:{quote(texts[key])}" for key in sorted(texts))
    return f"map[string]string{{{members}}}"


def string_list(go_type: str, texts: Iterable[str] | None) -> str:
    """Formats a list of strings, or of a named string type, in Go syntax. An empty list is printed as nil."""
    members = ", ".join(quote(text) for text in texts or ())
    return f"[]{go_type}{{{members}}}" if members else f"[]{go_type}(nil)"


def shown_string_map(wording: Wording, texts: Mapping[str, str] | None) -> Dump:
    return shown(wording, string_map(texts), dict(sorted(texts.items())) if texts else None)
