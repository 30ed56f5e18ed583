"""Validates semantic versions, as semver.org 2.0.0 defines them.

Follows the regular expression of k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

import re

from fakeapi.machinery.field_errors import FieldError, invalid

_NUMBER = "(0|[1-9][0-9]*)"
_PRE_RELEASE = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD = "[0-9a-zA-Z-]+"
_is_version = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?"
).fullmatch


def validate_version(text: str, path: str) -> list[FieldError]:
    if _is_version(text):
        return []
    return [invalid(path, text, "must be a string compatible with semver.org spec 2.0.0")]
