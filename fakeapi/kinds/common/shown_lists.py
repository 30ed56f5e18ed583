"""Formats lists of strings like the field errors of a release.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`.
"""

from collections.abc import Sequence

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.strconv import quote
from fakeapi.releases.rules import ReleaseRules


def shown_texts(texts: Sequence[str] | None, go_type: str, rules: ReleaseRules) -> Dump:
    """Formats a list of strings like field errors print it. None is printed as nil or null.

    `go_type`: the list's type in Go, such as `[]string`
    """
    wording = rules.quirks.wording
    if wording.json_values:
        return Dump(wording.json(None if texts is None else list(texts)))
    if texts is None:
        return Dump(f"{go_type}(nil)")
    return Dump(f"{go_type}{{{', '.join(map(quote, texts))}}}")
