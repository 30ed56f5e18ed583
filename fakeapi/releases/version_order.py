"""The order of API versions: v2, v1, v1beta2, v1beta1, v1alpha3, then all other names.

Follows CompareKubeAwareVersionStrings of k8s.io/apimachinery `pkg/version`.
"""

import re

from fakeapi.machinery.lazy_pattern import lazy_pattern

_VERSION = lazy_pattern(r"v(\d{1,18})(?:(alpha|beta)(\d{1,18}))?", re.ASCII)
"""Matches a version name. Numbers over 18 digits do not match, because they may exceed Go's integers."""

_STAGES = {None: 3, "beta": 2, "alpha": 1}
_LAST_LETTER = 0x10FFFF


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Returns the sort key of a version. The version that discovery prefers has the greatest key.

    Names that are not versions have smaller keys than all versions, in reverse alphabetical order.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        return 0, 0, 0, "".join(chr(_LAST_LETTER - ord(letter)) for letter in version) + chr(_LAST_LETTER)
    return _STAGES[match[2]], int(match[1]), int(match[3] or 0), ""
