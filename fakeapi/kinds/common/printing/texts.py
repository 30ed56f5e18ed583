"""Formats lists and maps of strings, and bytes, as the field errors of a release print them."""

import base64
from collections.abc import Mapping, Sequence

from fakeapi.kinds.common.printing.values import printed_value
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.wording import Wording


def printed_strings(texts: Sequence[str] | None, wording: Wording, go_type: str = "[]string") -> Dump:
    """Formats a list of strings; None is printed as nil or null.

    `go_type`: the type of the list in Go, such as `[]core.IPFamily`
    """
    if texts is None:
        return printed_value(None, f"{go_type}(nil)", wording)
    return printed_value(list(texts), f"{go_type}{{{', '.join(map(quote, texts))}}}", wording)


def printed_string_map(texts: Mapping[str, str] | None, wording: Wording) -> Dump:
    """Formats a map of strings, sorted by key; an empty map and None are printed as nil or null."""
    if not texts:
        return printed_value(None, "map[string]string(nil)", wording)
    in_order = dict(sorted(texts.items()))
    members = ", ".join(f"{quote(key)}:{quote(text)}" for key, text in in_order.items())
    return printed_value(in_order, f"map[string]string{{{members}}}", wording)


def printed_bytes(text: str | None, wording: Wording) -> Dump:
    """Formats the bytes in `text`, a base64 string. None is printed as nil or null, and "" as empty bytes."""
    if text is None:
        return printed_value(None, "[]byte(nil)", wording)
    members = ", ".join(f"0x{byte:x}" for byte in base64.b64decode(text))
    return printed_value(text, f"[]byte{{{members}}}", wording)
