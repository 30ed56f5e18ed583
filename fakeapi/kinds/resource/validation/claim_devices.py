"""Validates `devices` of a ResourceClaim: requests, constraints and configuration.

ResourceClaimTemplates have the same `devices` in the spec of their claims. DeviceClasses have only selectors
and configuration. Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from collections.abc import Iterator

import msgspec

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.validation.cel_selectors import CelCheck, cel_errors
from fakeapi.kinds.resource.validation.collections import validate_items, validate_set
from fakeapi.kinds.resource.validation.derived_attributes import (
    Derivations,
    derivations_of,
)
from fakeapi.kinds.resource.validation.identifiers import (
    RequestNames,
    request_names,
    validate_class_name,
    validate_driver_name,
    validate_fully_qualified_name,
    validate_request_reference,
)
from fakeapi.kinds.resource.validation.opaque import validate_raw_extension
from fakeapi.kinds.resource.validation.tolerations import validate_tolerations
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

ALLOCATION_MODES = ("All", "ExactCount")

_ONE_OF = "exactly one of `exactly` or `firstAvailable` is required"
_ONE_ATTRIBUTE = (
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
)
_NOTHING: Object = {"deviceClassName": ""}


class Checks(msgspec.Struct, frozen=True):
    """The release rules and options for validating a claim, a template or a device class.

    `stored`: whether the server already stores the validated value. If so, some limits do not apply, because
    the limits may be newer than the object.
    """

    rules: ReleaseRules
    check_cel: CelCheck
    stored: bool = False


def validate_devices(devices: Object, path: str, checks: Checks) -> list[FieldError]:
    """Validates the `devices` of a claim spec. `path`: the path of `devices`."""
    rules = checks.rules
    known = request_names(devices)
    derived = derivations_of(devices, rules, stored=checks.stored)
    errors = validate_set(
        devices["requests"],
        f"{path}.requests",
        rules.limits.requests,
        lambda request, place: _validate_request(request, place, checks, derived),
        rules,
        key=_name_of,
        key_field="name",
    )
    errors += validate_items(
        devices.get("constraints"),
        f"{path}.constraints",
        rules.limits.constraints,
        lambda constraint, place: _validate_constraint(constraint, place, known, rules),
        rules,
    )
    errors += validate_items(
        devices.get("config"),
        f"{path}.config",
        rules.limits.configs,
        lambda config, place: (
            validate_references(config.get("requests"), f"{place}.requests", known, rules)
            + validate_configuration(config, place, checks)
        ),
        rules,
    )
    return errors + derived.validate_cost(path)


def _name_of(request: Object) -> str:
    name: str = request["name"]
    return name


def _validate_request(request: Object, path: str, checks: Checks, derived: Derivations) -> list[FieldError]:
    name = request["name"]
    errors = validate_dns_label(name, f"{path}.name")
    if not checks.rules.quirks.request_fields_under_exactly:
        return errors + _validate_wanted(request.get("exactly", _NOTHING), path, name, checks, derived)
    subrequests = request.get("firstAvailable")
    exact = request.get("exactly")
    if exact is not None and subrequests and checks.rules.quirks.ambiguous_request_ends_validation:
        return [*errors, _ambiguous(path, checks.rules)]
    errors += validate_set(
        subrequests,
        f"{path}.firstAvailable",
        checks.rules.limits.first_available,
        lambda subrequest, place: (
            validate_dns_label(subrequest["name"], f"{place}.name")
            + _validate_wanted(subrequest, place, f"{name}/{subrequest['name']}", checks, derived)
        ),
        checks.rules,
        key=_name_of,
        key_field="name",
    )
    if exact is not None:
        errors += _validate_wanted(exact, f"{path}.exactly", name, checks, derived)
    if exact is None and not subrequests:
        errors.append(required(path, _ONE_OF))
    elif exact is not None and subrequests:
        errors.append(_ambiguous(path, checks.rules))
    return errors


def _ambiguous(path: str, rules: ReleaseRules) -> FieldError:
    bad_value = printed_plain(None, rules.quirks.wording)
    return invalid(path, bad_value, f"{_ONE_OF}, but multiple fields are set")


def _validate_wanted(
    wanted: Object, path: str, name: str, checks: Checks, derived: Derivations
) -> list[FieldError]:
    """Validates the fields that exact requests and subrequests share.

    These fields are class, selectors, derived attributes, allocation mode, count and tolerations.
    """
    errors = validate_class_name(wanted["deviceClassName"], f"{path}.deviceClassName")
    if "selectors" in wanted:
        errors += validate_selectors(wanted["selectors"], f"{path}.selectors", checks)
    if "derivedAttributes" in wanted:
        errors += derived.validate(wanted, path, name)
    mode = wanted.get("allocationMode", "")
    errors += _validate_allocation_mode(mode, wanted.get("count", 0), path, checks.rules)
    if "tolerations" in wanted:
        errors += validate_tolerations(wanted["tolerations"], f"{path}.tolerations", checks.rules)
    return errors


def _validate_allocation_mode(mode: str, count: int, path: str, rules: ReleaseRules) -> list[FieldError]:
    if mode not in ALLOCATION_MODES:
        return [
            not_supported(
                f"{path}.allocationMode", printed_plain(mode, rules.quirks.wording), ALLOCATION_MODES
            )
        ]
    if mode == "All" and count != 0:
        return [invalid(f"{path}.count", count, "must not be specified when allocationMode is 'All'")]
    if mode == "ExactCount" and count <= 0:
        return [invalid(f"{path}.count", count, "must be greater than zero")]
    return []


def validate_selectors(selectors: list[Object] | None, path: str, checks: Checks) -> list[FieldError]:
    """Validates device selectors. The CEL expressions must compile and must not be too long."""
    return validate_items(
        selectors,
        path,
        checks.rules.limits.selectors,
        lambda selector, place: _validate_selector(selector, place, checks),
        checks.rules,
    )


def _validate_selector(selector: Object, path: str, checks: Checks) -> list[FieldError]:
    if "cel" not in selector:
        return [required(f"{path}.cel")]
    if checks.stored and checks.rules.quirks.stored_expressions_are_trusted:
        return []
    expression = selector["cel"]["expression"]
    place = f"{path}.cel.expression"
    most = checks.rules.limits.cel_expression
    if most is not None and names.byte_length(expression) > most:
        return [too_long(place, most, checks.rules.quirks.too_long)]
    return cel_errors(expression, place, checks.check_cel)


def expressions_of(selectors: list[Object] | None) -> Iterator[str]:
    """Yields the CEL expressions of valid selectors; yields nothing for None."""
    return (selector["cel"]["expression"] for selector in selectors or ())


def requested_expressions(devices: Object) -> Iterator[str]:
    """Yields the CEL expressions of all requests in a claim's valid `devices`."""
    for request in devices["requests"] or ():
        for candidate in (request.get("exactly", {}), *request.get("firstAvailable", ())):
            yield from expressions_of(candidate.get("selectors"))


def _validate_constraint(
    constraint: Object, path: str, known: RequestNames, rules: ReleaseRules
) -> list[FieldError]:
    errors = validate_references(constraint.get("requests"), f"{path}.requests", known, rules)
    for name in ("matchAttribute", "distinctAttribute"):
        if name in constraint:
            return errors + validate_fully_qualified_name(constraint[name], f"{path}.{name}", rules)
    if rules.gates.enabled(gates.CONSUMABLE_CAPACITY):
        return [*errors, required(path, _ONE_ATTRIBUTE)]
    return [*errors, required(f"{path}.matchAttribute")]


def validate_references(
    references: list[str] | None, path: str, known: RequestNames, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a list of different request names. Every name must be in `known`.

    `references`: None counts as an empty list
    """
    return validate_set(
        references,
        path,
        rules.limits.request_references,
        lambda name, place: validate_request_reference(name, place, known, rules),
        rules,
    )


def validate_configuration(config: Object, path: str, checks: Checks) -> list[FieldError]:
    """Validates an entry of `config` in a claim or DeviceClass, except its list of requests."""
    if "opaque" not in config:
        return [required(f"{path}.opaque")]
    opaque = config["opaque"]
    most = None if checks.stored else checks.rules.limits.opaque_parameters
    return validate_driver_name(
        opaque["driver"], f"{path}.opaque.driver", checks.rules
    ) + validate_raw_extension(opaque["parameters"], f"{path}.opaque.parameters", most, checks.rules)
