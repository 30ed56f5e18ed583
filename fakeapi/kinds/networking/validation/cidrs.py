"""Validates the IP address ranges of services.

Follows `ValidateServiceCIDR` of k8s.io/kubernetes `pkg/apis/networking/validation`.
"""

from typing import Any

from fakeapi.kinds.common.addresses import validate_cidr
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.ip_addresses import family_of_cidr, parse_cidr
from fakeapi.machinery.golang.netip import prefix_error
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE
from fakeapi.releases.rules import ReleaseRules

_PATH = "spec.cidrs"
_TWO_OF_A_FAMILY = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


def validate_service_cidr_spec(spec: Object, type_name: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the spec of a ServiceCIDR. `type_name`: the full Go name of the spec's type, for errors."""
    cidrs: list[str] = spec.get("cidrs") or []
    if not cidrs:
        return [required(_PATH, "at least one CIDR required")]
    if len(cidrs) > 2:
        return [invalid(_PATH, printed_struct(spec, type_name, rules), "may only hold up to 2 values")]
    families = [family_of_cidr(text) for text in cidrs]
    if rules.quirks.service_cidrs_are_parsed_by_netip:
        if len(cidrs) == 2 and (None in families or families[0] == families[1]):
            return [invalid(_PATH, printed_struct(spec, type_name, rules), _TWO_OF_A_FAMILY)]
        return [
            error
            for index, text in enumerate(cidrs)
            for error in _validate_by_netip(text, f"{_PATH}[{index}]")
        ]
    errors = [error for index, text in enumerate(cidrs) for error in validate_cidr(text, f"{_PATH}[{index}]")]
    if len(cidrs) == 2 and families[0] == families[1] and families[0] is not None:
        errors.append(invalid(_PATH, printed_strings(cidrs, rules.quirks.wording), _TWO_OF_A_FAMILY))
    return errors


def validate_service_cidr_change(
    new: Object, old: Object, type_name: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a change of a ServiceCIDR's spec. The ranges are immutable.

    From 1.33 on, an update may add a range of the other IP family to a single range.

    `type_name`: the full Go name of the spec's type, for errors.
    """
    cidrs, before = new.get("cidrs") or [], old.get("cidrs") or []
    bad_value: Any = printed_strings(new.get("cidrs"), rules.quirks.wording)
    if rules.quirks.service_cidrs_are_parsed_by_netip:
        return [] if cidrs == before else [invalid(_PATH, bad_value, FIELD_IMMUTABLE)]
    if len(cidrs) == len(before):
        return [
            invalid(f"{_PATH}[{index}]", text, FIELD_IMMUTABLE)
            for index, (text, kept) in enumerate(zip(cidrs, before, strict=True))
            if text != kept
        ]
    if (len(before), len(cidrs)) != (1, 2):
        return [invalid(_PATH, bad_value, FIELD_IMMUTABLE)]
    errors = [] if cidrs[0] == before[0] else [invalid(f"{_PATH}[0]", cidrs[0], FIELD_IMMUTABLE)]
    return errors + validate_service_cidr_spec(new, type_name, rules)


def _validate_by_netip(text: str, path: str) -> list[FieldError]:
    problem = prefix_error(text)
    cidr = parse_cidr(text)
    if problem is not None or cidr is None:
        return [invalid(path, text, problem or "")]
    errors = []
    if not cidr.address.mapped and not cidr.is_network:
        errors.append(invalid(path, text, "wrong CIDR format, IP doesn't match network IP address"))
    address = f"::ffff:{cidr.address}" if cidr.address.mapped else str(cidr.address)
    if f"{address}/{cidr.prefix}" != text:
        errors.append(invalid(path, text, "CIDR not in RFC 5952 canonical format"))
    return errors
