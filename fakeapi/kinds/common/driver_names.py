"""Validates names of CSI drivers.

Follows `ValidateCSIDriverName` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from typing import Final

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.machinery.field_errors import FieldError, required, too_long
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

DRIVER_NAME_MAX: Final = 63


def validate_csi_driver_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the name of a CSI driver: a DNS subdomain that may have uppercase letters.

    Up to 1.34 an empty name gets two errors.
    """
    if not name and rules.quirks.empty_driver_name_ends_validation:
        return [required(path)]
    errors = [] if name else [required(path)]
    if names.byte_length(name) > DRIVER_NAME_MAX:
        errors.append(too_long(path, DRIVER_NAME_MAX, rules.quirks.too_long))
    return errors + each_invalid(path, name, names.is_dns1123_subdomain(name.lower()))
