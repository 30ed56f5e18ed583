"""Validates resource names and quantities of containers, pods and quotas.

Follows k8s.io/kubernetes `pkg/apis/core/helper` and `validateResourceName`, `ValidateContainerResourceName`,
`ValidateResourceQuantityValue` of `pkg/apis/core/validation`.
"""

from decimal import Decimal

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.numbers import NEGATIVE, NOT_INTEGER
from fakeapi.kinds.common.printing.quantities import (
    printed_invalid_resource_name,
    printed_quantity,
)
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.meta import names, quantity
from fakeapi.machinery.meta.wording import Wording

HUGE_PAGES = "hugepages-"
QUOTA_PREFIX = "requests."
_NATIVE_DOMAIN = "kubernetes.io/"

OF_CONTAINERS = frozenset({"cpu", "memory", "ephemeral-storage"})
_COUNTED = frozenset({
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
})  # fmt: skip
_STANDARD = OF_CONTAINERS | _COUNTED | {
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
}  # fmt: skip


def is_huge_pages(name: str) -> bool:
    return name.startswith(HUGE_PAGES)


def is_native(name: str) -> bool:
    """Whether a resource name has no domain, or contains `kubernetes.io/`."""
    return "/" not in name or _NATIVE_DOMAIN in name


def is_extended(name: str) -> bool:
    """Whether a name is the name of an extended resource, such as `example.com/gpu`."""
    if is_native(name) or name.startswith(QUOTA_PREFIX):
        return False
    return not names.is_qualified_name(QUOTA_PREFIX + name)


def is_standard(name: str) -> bool:
    """Whether Kubernetes defines this container or quota resource name: `cpu`, `requests.memory`."""
    return name in _STANDARD or name.startswith((HUGE_PAGES, f"{QUOTA_PREFIX}{HUGE_PAGES}"))


def is_counted_whole(name: str) -> bool:
    return name in _COUNTED or is_extended(name)


def may_overcommit(name: str) -> bool:
    """Whether the limits of a resource may be greater than its requests."""
    return is_native(name) and not is_huge_pages(name)


def is_whole_number_of_pages(name: str, amount: str) -> bool:
    """Whether an amount of huge pages is a multiple of the page size in the resource name."""
    try:
        size = quantity.parse(name.removeprefix(HUGE_PAGES)).amount
    except ValueError:
        return False
    if size <= 0 or size % 1:
        return False
    return quantity.whole(amount) % int(size) == 0


def validate_resource_name(
    name: str, path: str, wording: Wording, *, quotes_unqualified: bool = False
) -> list[FieldError]:
    """Validates a resource name: a qualified name that is standard or has a domain.

    `quotes_unqualified`: whether the errors for a name that is not qualified print a quoted string, even if
    other errors for the name do not.
    """
    printed = printed_invalid_resource_name(name, wording)
    unqualified = name if quotes_unqualified else printed
    errors = each_invalid(path, unqualified, names.is_qualified_name(name, wording.length_unit))
    if not errors and "/" not in name and not is_standard(name):
        errors.append(invalid(path, printed, "must be a standard resource type or fully qualified"))
    return errors


def validate_container_resource_name(
    name: str, path: str, wording: Wording, *, quotes_unqualified: bool = False
) -> list[FieldError]:
    """Validates the resource name in a container's requests or limits.

    `quotes_unqualified`: see `validate_resource_name`.
    """
    errors = validate_resource_name(name, path, wording, quotes_unqualified=quotes_unqualified)
    printed = printed_invalid_resource_name(name, wording)
    if "/" not in name:
        if name not in OF_CONTAINERS and not is_huge_pages(name):
            errors.append(invalid(path, printed, "must be a standard resource for containers"))
    elif not is_native(name) and not is_extended(name):
        errors.append(invalid(path, printed, "doesn't follow extended resource name standard"))
    return errors


def validate_resource_amount(name: str, amount: str, path: str, wording: Wording) -> list[FieldError]:
    """Validates a canonical quantity of a resource: it must not be negative.

    For resources that cannot be divided, such as GPUs, the quantity must be an integer.
    """
    value = quantity.parse(amount).amount
    errors = [invalid(path, amount, NEGATIVE)] if value < 0 else []
    if is_counted_whole(name) and value % 1 != Decimal(0):
        errors.append(invalid(path, printed_quantity(amount, wording, cached=False), NOT_INTEGER))
    return errors


def validate_not_negative_quantity(amount: str, path: str) -> list[FieldError]:
    return [invalid(path, amount, NEGATIVE)] if quantity.parse(amount).amount < 0 else []
