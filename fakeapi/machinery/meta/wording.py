"""Wording of the errors of metadata, options and selectors in a release.

The rules are the same in every release; their words, and the form of printed values, are not. Follows
k8s.io/apimachinery `pkg/api/validation`, `pkg/apis/meta/v1/validation` and `pkg/util/validation/field`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.strconv import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The words of one release; the defaults are those of 1.32 and 1.33."""

    too_long: str = "may not be more than {} bytes"
    """The message about a text beyond its limit; `{}` is the limit in bytes."""

    applied: str = "YAML"
    """What an apply calls a body that it cannot decode."""

    length_unit: str = "characters"
    """Of what the keys and values of labels may have so many."""

    json_values: bool = False
    """Values that are no plain strings, numbers or booleans are printed as JSON, not as Go prints them."""

    quoted_resource_names: bool = False
    """Wrong names of resources are printed as any text is."""

    empty_owner_member: str = "{} must not be empty"
    """`{}` is the member of an owner reference."""

    required_where_empty: bool = False
    """What must not be empty is a required value where it is; owner references are told apart by index."""

    def strings(self, texts: Sequence[str]) -> str:
        """A list of strings as an error prints it."""
        if self.json_values:
            return self.json(list(texts))
        return "[]string{" + ", ".join(map(quote, texts)) + "}"

    def time(self, text: str | None, *, zero: str) -> str:
        """A canonical time as an error prints it; `zero` is how Go prints one that is absent."""
        if self.json_values:
            return self.json(text)
        return f"{text[:10]} {text[11:19]} +0000 UTC" if text else zero

    def json(self, value: Any) -> str:
        """Any value as Go's json.Marshal writes it."""
        return go_encode(value).decode()


DEFAULT = Wording()
