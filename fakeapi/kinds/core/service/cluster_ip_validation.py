"""Validates the cluster IPs and IP families of a Service, and changes of these fields.

Follows `ValidateServiceClusterIPsRelatedFields`, `validateUpgradeDowngradeClusterIPs` and
`validateUpgradeDowngradeIPFamilies` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from typing import Any, Final

from fakeapi.kinds.common.addresses import is_dual_stack, validate_lenient_ip
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.service import spec as specs
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.golang.ip_addresses import family_of
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

FAMILIES: Final = ("IPv4", "IPv6")
POLICIES: Final = (specs.PREFER_DUAL_STACK, specs.REQUIRE_DUAL_STACK, specs.SINGLE_STACK)

_IPS, _FAMILIES, _POLICY = "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"
_SET_ONCE = "may not change once set"


def printed_ips(spec: Object, rules: ReleaseRules) -> Any:
    """Formats the cluster IPs of a Service for an error message."""
    return printed_strings(spec.get("clusterIPs"), rules.quirks.wording)


def printed_families(spec: Object, rules: ReleaseRules) -> Any:
    """Formats the IP families of a Service for an error message."""
    return printed_strings(spec.get("ipFamilies"), rules.quirks.wording, "[]core.IPFamily")


def printed_policy(spec: Object, rules: ReleaseRules) -> Any:
    """Formats the IP family policy of a Service for an error message."""
    return printed_plain(spec.get("ipFamilyPolicy"), rules.quirks.wording)


def validate_cluster_ips(spec: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates the cluster IPs, the IP families and ipFamilyPolicy of a Service.

    Returns no errors for a Service of the type ExternalName. `old`: the stored spec; None on create.
    """
    if specs.type_of(spec) == specs.EXTERNAL_NAME:
        return []
    errors = _validate_agreement(spec, rules)
    for index, family in enumerate(specs.families(spec)):
        if family not in FAMILIES:
            errors.append(not_supported(f"{_FAMILIES}[{index}]", family, FAMILIES))
        if family in specs.families(spec)[:index]:
            errors.append(duplicate(f"{_FAMILIES}[{index}]", family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in POLICIES:
        errors.append(not_supported(_POLICY, printed_policy(spec, rules), POLICIES))
    of_ips = _validate_each(spec, old, rules)
    too_many = len(specs.cluster_ips(spec)) > 2
    errors += of_ips
    if too_many:
        errors.append(invalid(_IPS, printed_ips(spec, rules), "may only hold up to 2 values"))
    return errors if of_ips else errors + _validate_families(spec, rules)


def validate_cluster_ip_change(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a change of a Service's cluster IPs.

    The first IP is immutable; a second IP may be added or removed. The rules do not apply to Services that
    stay headless, or that have or had the type ExternalName.
    """
    if specs.EXTERNAL_NAME in (specs.type_of(new), specs.type_of(old)):
        return []
    if specs.is_headless(new) and specs.is_headless(old):
        return []
    ips, before = specs.cluster_ips(new), specs.cluster_ips(old)
    printed = printed_ips(new, rules)
    if len(ips) == len(before):
        return [
            invalid(f"{_IPS}[{index}]", printed, _SET_ONCE)
            for index, ip in enumerate(before)
            if ip != ips[index]
        ]
    errors: list[FieldError] = []
    if not ips:
        errors.append(invalid(f"{_IPS}[0]", printed, "primary clusterIP can not be unset"))
    if ips and before and ips[0] != before[0]:
        errors.append(invalid(f"{_IPS}[0]", printed, _SET_ONCE))
    if len(before) > len(ips) == 1 and new.get("ipFamilyPolicy") != specs.SINGLE_STACK:
        problem = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        errors.append(invalid(_POLICY, printed_policy(new, rules), problem))
    return errors


def validate_family_change(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a change of a Service's IP families.

    The first family is immutable; a second family may be added or removed. The rules do not apply to Services
    that are or were headless, or that have or had the type ExternalName.
    """
    if specs.EXTERNAL_NAME in (specs.type_of(new), specs.type_of(old)):
        return []
    if specs.is_headless(new) or specs.is_headless(old):
        return []
    now, before = specs.families(new), specs.families(old)
    if len(now) == len(before):
        printed = printed_families(new, rules)
        return [
            invalid(f"{_FAMILIES}[0]", printed, _SET_ONCE)
            for index, family in enumerate(before)
            if family != now[index]
        ]
    errors: list[FieldError] = []
    released = len(before) > len(now)
    if released and not specs.cluster_ips(new):
        problem = "primary ipFamily can not be unset"
        errors.append(invalid(f"{_FAMILIES}[0]", printed_families(new, rules), problem))
    if now and before and now[0] != before[0]:
        errors.append(invalid(f"{_FAMILIES}[0]", printed_ips(new, rules), _SET_ONCE))
    if released and len(now) == 1 and new.get("ipFamilyPolicy") != specs.SINGLE_STACK:
        problem = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        errors.append(invalid(_POLICY, printed_policy(new, rules), problem))
    return errors


def _validate_agreement(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates that the `clusterIP` of a Service equals the first of its `clusterIPs`."""
    ip, ips = spec.get("clusterIP", ""), specs.cluster_ips(spec)
    if ip and not ips:
        return [required(_IPS)]
    if ip and ips[0] != ip:
        return [invalid(_IPS, printed_ips(spec, rules), "first value must match `clusterIP`")]
    if not ip and ips:
        problem = "must be empty when `clusterIP` is not specified"
        return [invalid(_IPS, printed_ips(spec, rules), problem)]
    return []


def _validate_each(spec: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    ips = specs.cluster_ips(spec)
    kept = [] if old is None else specs.cluster_ips(old)
    errors: list[FieldError] = []
    for index, ip in enumerate(ips):
        if index == 0 and ip == specs.NONE:
            if len(ips) > 1:
                problem = "'None' must be the first and only value"
                errors.append(invalid(_IPS, printed_ips(spec, rules), problem))
            continue
        errors += validate_lenient_ip(ip, f"{_IPS}[{index}]", rules, kept)
    return errors


def _validate_families(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    ips, families = specs.cluster_ips(spec), specs.families(spec)
    errors: list[FieldError] = []
    if len(ips) > 1 and not is_dual_stack(ips):
        problem = "may specify no more than one IP for each IP family"
        errors.append(invalid(_IPS, printed_ips(spec, rules), problem))
    if specs.is_headless(spec):
        return errors
    for index, (ip, family) in enumerate(zip(ips, families, strict=False)):
        if family in FAMILIES and family_of(ip) != family:
            problem = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(invalid(f"{_IPS}[{index}]", ip, problem))
    return errors
