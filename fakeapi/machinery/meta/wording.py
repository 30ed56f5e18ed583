"""The wording of a release's errors about metadata, options and selectors.

All releases have the same rules, but their messages and the form of printed values differ. Follows
k8s.io/apimachinery `pkg/api/validation`, `pkg/apis/meta/v1/validation` and `pkg/util/validation/field`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.strconv import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The words of one release; the defaults are the words of 1.32 and 1.33."""

    too_long: str = "may not be more than {} bytes"
    """The message about a text beyond its limit; `{}` is the limit in bytes."""

    applied: str = "YAML"
    """The name of an apply's body in errors: `error decoding YAML: …`."""

    length_unit: str = "characters"
    """The unit in messages about the length of label keys and values."""

    json_values: bool = False
    """Whether errors print values as JSON, not as Go does.

    Plain strings, numbers and booleans look the same in both forms.
    """

    quoted_resource_names: bool = False
    """Whether errors quote invalid resource names like other strings."""

    empty_owner_member: str = "{} must not be empty"
    """The message about an empty member of an owner reference; `{}` is the member."""

    required_where_empty: bool = False
    """Whether an empty member is a required-value error whose path has the index of the owner reference."""

    def strings(self, texts: Sequence[str]) -> str:
        """Formats a list of strings as an error prints it."""
        if self.json_values:
            return self.json(list(texts))
        return "[]string{" + ", ".join(map(quote, texts)) + "}"

    def time(self, text: str | None, *, zero: str) -> str:
        """Formats a canonical time as an error prints it; `zero` is how Go prints an absent time."""
        if self.json_values:
            return self.json(text)
        return f"{text[:10]} {text[11:19]} +0000 UTC" if text else zero

    def json(self, value: Any) -> str:
        """Formats a value as Go's json.Marshal does."""
        return go_encode(value).decode()


DEFAULT = Wording()
