"""Sets missing `ipFamilies` and `ipFamilyPolicy` of a Service.

Follows `initIPFamilyFields` of k8s.io/kubernetes `pkg/registry/core/service/storage`.
"""

from typing import Final

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.cluster_ip_validation import (
    FAMILIES,
    printed_ips,
    printed_policy,
    validate_cluster_ips,
)
from fakeapi.kinds.core.service.spec import keeps
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import family_of
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

CONFIGURED: Final = ("IPv4",)
"""The IP families of the cluster. The first family is the default."""

_POLICY = "spec.ipFamilyPolicy"


def keeps_preference(new: Object, old: Object | None) -> bool:
    """Whether an update keeps the type, the cluster IPs and the IP families of a PreferDualStack Service.

    The server sets no IP families for such an update. False for the type ExternalName.

    `old`: the stored spec; None on create, for which the result is False
    """
    return (
        old is not None
        and new.get("ipFamilyPolicy") == specs.PREFER_DUAL_STACK
        and specs.type_of(new) == specs.type_of(old) != specs.EXTERNAL_NAME
        and old.get("ipFamilyPolicy") in (None, specs.PREFER_DUAL_STACK)
        and keeps(new, old, "clusterIPs", "ipFamilies")
    )


def fill_in_families(new: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Sets missing `ipFamilies` and a missing `ipFamilyPolicy` in the spec `new`, in place.

    Returns errors for values that the cluster does not support, and for forbidden changes.

    `old`: the stored spec; None on create
    """
    if specs.type_of(new) == specs.EXTERNAL_NAME or keeps_preference(new, old):
        return []
    is_open = new.get("clusterIP") == specs.NONE and not new.get("selector")
    if new.get("ipFamilyPolicy") is None:
        new["ipFamilyPolicy"] = _policy(old, is_open=is_open)
    if errors := validate_cluster_ips(new, old, rules):
        return errors
    errors = [] if old is None else _released(new, old, rules)
    errors += _counted(new, rules)
    errors += _inferred(new, rules)
    if errors:
        return errors
    if not is_open:
        errors = _configured(new, rules)
    if errors:
        return errors
    families = list(specs.families(new)) or list(CONFIGURED[:1])
    can_have_two = is_open or len(CONFIGURED) > 1
    if len(families) == 1 and can_have_two and new["ipFamilyPolicy"] != specs.SINGLE_STACK:
        families += [family for family in FAMILIES if family not in families]
    new["ipFamilies"] = families
    return []


def _policy(old: Object | None, *, is_open: bool) -> str:
    """Returns the ipFamilyPolicy for a spec without this field: the stored policy, or the default.

    - `old`: the stored spec; None on create
    - `is_open`: whether the Service is headless without a selector, so that its endpoints may be of any IP
      family
    """
    before = None if old is None else old.get("ipFamilyPolicy")
    return before or (specs.REQUIRE_DUAL_STACK if is_open else specs.SINGLE_STACK)


def _released(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Drops the second cluster IP and IP family from `new`, in place, if the policy changes to SingleStack.

    Keeps lists that the client changed. For any other policy, returns an error if the client omitted the
    second cluster IP or IP family.

    `new`, `old`: the new and the stored spec
    """
    if new["ipFamilyPolicy"] == specs.SINGLE_STACK:
        for name in ("clusterIPs", "ipFamilies"):
            if keeps(new, old, name) and len(new.get(name) or ()) > 1:
                new[name] = new[name][:1]
        return []
    return [
        invalid(
            _POLICY, printed_policy(new, rules), f"must be 'SingleStack' to release the secondary {label}"
        )
        for name, label in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family"))
        if 0 < len(new.get(name) or ()) < len(old.get(name) or ())
    ]


def _counted(new: Object, rules: ReleaseRules) -> list[FieldError]:
    if new["ipFamilyPolicy"] != specs.SINGLE_STACK:
        return []
    problem = "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified"
    return [
        invalid(_POLICY, printed_policy(new, rules), problem.format(label))
        for name, label in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families"))
        if len(new.get(name) or ()) == 2
    ]


def _inferred(new: Object, rules: ReleaseRules) -> list[FieldError]:
    """Adds missing IP families to `ipFamilies`, in place: the families of the cluster IPs.

    Returns an error for each IP family that the cluster does not have.
    """
    errors: list[FieldError] = []
    families = list(specs.families(new))
    for index, ip in enumerate(specs.cluster_ips(new)):
        if ip == specs.NONE:
            break
        if index < len(families):
            continue
        family = family_of(ip) or "unknown"
        if family in CONFIGURED:
            families.append(family)
        else:
            problem = f"{family} is not configured on this cluster"
            errors.append(invalid(f"spec.clusterIPs[{index}]", printed_ips(new, rules), problem))
    if families:
        new["ipFamilies"] = families
    return errors


def _configured(new: Object, rules: ReleaseRules) -> list[FieldError]:
    """Returns errors if the spec requires an IP family or dual stack that the cluster does not have."""
    errors: list[FieldError] = []
    if new["ipFamilyPolicy"] == specs.REQUIRE_DUAL_STACK and len(CONFIGURED) < 2:
        problem = "this cluster is not configured for dual-stack services"
        errors.append(invalid(_POLICY, printed_policy(new, rules), problem))
    return errors + [
        invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")
        for index, family in enumerate(specs.families(new))
        if family not in CONFIGURED
    ]
