"""The wording of errors about metadata, options and selectors, by release.

All releases have the same rules. Only the messages differ, and the format of values in messages. Follows
k8s.io/apimachinery `pkg/api/validation`, `pkg/apis/meta/v1/validation` and `pkg/util/validation/field`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.strconv import quote


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """The wording of errors in one release; the default values are correct for 1.32 and 1.33."""

    too_long: str = "may not be more than {} bytes"
    """The message template for a text that is too long; `{}` is the limit in bytes."""

    applied: str = "YAML"
    """The format that errors name for the body of a server-side apply: `error decoding YAML: …`."""

    length_unit: str = "characters"
    """The unit of lengths in messages about label keys and values: "characters" or "bytes"."""

    json_values: bool = False
    """Whether errors format values as JSON instead of Go syntax.

    Plain strings, numbers and booleans are the same in both formats.
    """

    quoted_resource_names: bool = False
    """Whether errors quote invalid resource names like other strings."""

    empty_owner_member: str = "{} must not be empty"
    """The message template for an empty member of an owner reference; `{}` is the name of the member."""

    required_where_empty: bool = False
    """Whether an empty member of an owner reference or managedFields entry causes the error "Required value".

    If True, the error paths of owner references also include their index.
    """

    def strings(self, texts: Sequence[str]) -> str:
        """Formats a list of strings for an error message."""
        if self.json_values:
            return self.json(list(texts))
        return "[]string{" + ", ".join(map(quote, texts)) + "}"

    def time(self, text: str | None, *, zero: str) -> str:
        """Formats a time such as `2024-01-02T03:04:05Z` for an error message; None means an absent time.

        `zero`: how Go syntax prints an absent time
        """
        if self.json_values:
            return self.json(text)
        return f"{text[:10]} {text[11:19]} +0000 UTC" if text else zero

    def json(self, value: Any) -> str:
        """Encodes a value like Go's json.Marshal."""
        return go_encode(value).decode()


DEFAULT = Wording()
