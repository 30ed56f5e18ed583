"""Validates fully qualified domain names.

Follows `IsFullyQualifiedDomainName` of k8s.io/apimachinery `pkg/util/validation`.
"""

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.meta import names


def validate_fully_qualified_domain_name(text: str, path: str) -> list[FieldError]:
    """At most one error: at least two segments are wanted, and a dot may end the last."""
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
