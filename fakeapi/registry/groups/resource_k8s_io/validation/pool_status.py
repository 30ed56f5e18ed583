"""What is asked about pools of devices, and the answer.

Follows the declarative validation of k8s.io/kubernetes `pkg/apis/resource/v1alpha3` from 1.36: a field that
is missing has no other errors, and neither has one that an update leaves as it is.
"""

from collections.abc import Sequence

from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required, too_long, too_many
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.groups.resource_k8s_io.validation import bad_values
from fakeapi.registry.semantic_equality import semantically_equal
from fakeapi.releases.rules import ReleaseRules

CONDITIONS_MAX = 10
VALIDATION_ERROR_MAX_LENGTH = 256

_COUNTS = (
    ("resourceSliceCount", 1),
    ("totalDevices", 0),
    ("allocatedDevices", 0),
    ("availableDevices", 0),
    ("unavailableDevices", 0),
)
"""The numbers of a pool, each with the least that it can be."""


def validate_pool_request(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Errors of a request's spec."""
    errors = _validate_driver(spec.get("driver", ""), f"{path}.driver", rules)
    if "poolName" in spec:
        errors += _validate_pool_name(spec["poolName"], f"{path}.poolName", rules)
    limit, most = spec["limit"], rules.limits.pool_status
    if limit > most:
        errors.append(invalid(f"{path}.limit", limit, f"must be less than or equal to {most}"))
    return errors + _validate_least(limit, 1, f"{path}.limit")


def validate_pool_statuses(status: Object, old: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Errors of a request's status, which was `old`."""
    errors: list[FieldError] = []
    count = status.get("poolCount")
    if count is None:
        errors.append(required(f"{path}.poolCount"))
    elif count != old.get("poolCount"):
        errors += _validate_least(count, 0, f"{path}.poolCount")
    pools, most = status.get("pools") or (), rules.limits.pool_status
    if not semantically_equal(pools, old.get("pools") or ()):
        if len(pools) > most:
            errors.append(too_many(f"{path}.pools", len(pools), most))
        else:
            for index, pool in enumerate(pools):
                errors += _validate_pool(pool, f"{path}.pools[{index}]", rules)
    conditions = status.get("conditions") or ()
    if semantically_equal(conditions, old.get("conditions") or ()):
        return errors
    return errors + _validate_number_of_conditions(conditions, f"{path}.conditions", rules)


def _validate_number_of_conditions(
    conditions: Sequence[Object], path: str, rules: ReleaseRules
) -> list[FieldError]:
    if len(conditions) > CONDITIONS_MAX:
        return [too_many(path, len(conditions), CONDITIONS_MAX)]
    seen: set[str] = set()
    errors: list[FieldError] = []
    for index, condition in enumerate(conditions):
        if condition["type"] in seen:
            errors.append(duplicate(f"{path}[{index}]", bad_values.plain(condition, rules)))
        seen.add(condition["type"])
    return errors


def _validate_pool(pool: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = _validate_driver(pool.get("driver", ""), f"{path}.driver", rules)
    if pool.get("poolName"):
        errors += _validate_pool_name(pool["poolName"], f"{path}.poolName", rules)
    else:
        errors.append(required(f"{path}.poolName"))
    if pool.get("generation"):
        errors += _validate_least(pool["generation"], 0, f"{path}.generation")
    else:
        errors.append(required(f"{path}.generation"))
    for name, least in _COUNTS:
        if name in pool:
            errors += _validate_least(pool[name], least, f"{path}.{name}")
    if "nodeName" in pool:
        messages = names.is_dns1123_subdomain(pool["nodeName"], rules.quirks.wording.length_unit)
        errors += [invalid(f"{path}.nodeName", pool["nodeName"], message) for message in messages]
    most = VALIDATION_ERROR_MAX_LENGTH
    if names.byte_length(pool.get("validationError", "")) > most:
        errors.append(too_long(f"{path}.validationError", most, rules.quirks.too_long))
    return errors


def _validate_least(value: int, least: int, path: str) -> list[FieldError]:
    return [] if value >= least else [invalid(path, value, f"must be greater than or equal to {least}")]


def _validate_driver(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """A DNS subdomain of any case, which must be there."""
    if not name:
        return [required(path)]
    messages = names.is_dns1123_subdomain_of_any_case(name, rules.quirks.wording.length_unit)
    return [invalid(path, name, message) for message in messages]


def _validate_pool_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """DNS subdomains with slashes between them; an error tells the part that is wrong by its number."""
    errors: list[FieldError] = []
    if names.byte_length(name) > rules.limits.pool_name:
        errors.append(too_long(path, rules.limits.pool_name, rules.quirks.too_long))
    for number, part in enumerate(name.split("/")):
        if not part:
            errors.append(invalid(path, name, f"segment {number}: must not be empty"))
            continue
        messages = names.is_dns1123_subdomain(part, rules.quirks.wording.length_unit)
        errors += [invalid(path, part, f"segment {number}: {message}") for message in messages]
    return errors
