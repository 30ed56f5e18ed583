"""Validates fully qualified domain names, and paths that begin with a domain.

Follows `IsFullyQualifiedDomainName` and `IsDomainPrefixedPath` of k8s.io/apimachinery `pkg/util/validation`.
"""

import re

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.meta import names

_PATH_PATTERN = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_is_path = re.compile(_PATH_PATTERN).fullmatch


def validate_fully_qualified_domain_name(text: str, path: str) -> list[FieldError]:
    """Validates a domain name with at least two labels, with or without a final dot.

    Returns at most one error.
    """
    if not text:
        return [required(path)]
    name = text.removesuffix(".")
    if messages := names.is_dns1123_subdomain(name):
        return [invalid(path, name, ",".join(messages))]
    labels = name.split(".")
    if len(labels) < 2:
        return [invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        if messages := names.is_dns1123_label(label):
            return [invalid(path, label, ",".join(messages))]
    return []


def validate_domain_prefixed_path(text: str, path: str, unit: str = "characters") -> list[FieldError]:
    """Validates a DNS subdomain followed by a path, such as `acme.io/foo`.

    `unit`: the unit of the maximum length in error messages: "characters" or "bytes"
    """
    if not text:
        return [required(path)]
    host, _, rest = text.partition("/")
    if not host or not rest:
        return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = each_invalid(path, host, names.is_dns1123_subdomain(host, unit))
    if not _is_path(rest):
        errors.append(invalid(path, rest, names.regex_error("Invalid path", _PATH_PATTERN)))
    return errors
