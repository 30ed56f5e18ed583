"""What the rules for claims differ in from release to release, one row for each.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and `pkg/registry/resource/resourceclaim` of the
latest patch of each minor. A rule says what a release does; no rule is asked for its release's number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRules:
    """The limits, quirks and wordings of one release. Lengths are bytes, sizes are entries."""

    reserved_for_max: int = 32
    """Most entries of `status.reservedFor`: 32, and 256 from 1.32.1."""

    too_long: str = "must have at most {} bytes"
    """The wording of a text past its limit."""

    past_max_length: str = "may not be longer than {}"
    """The wording of the limits that call themselves a maximum length; of lists too, unless
    `lists_are_too_many`.
    """

    lists_are_too_many: bool = False
    """A list past its limit is `FieldValueTooMany`, not `FieldValueTooLong`."""

    status_stores_metadata: bool = False
    """A write to `/status` stores the labels, annotations, finalizers and owners that it carries."""

    node_selector_checks_values: bool = False
    """Values of an allocation's node selector must be values of labels."""

    allocation_is_always_checked: bool = False
    """An allocation is validated by every write of status, before all else; elsewhere only where it is
    new, after all else.
    """

    control_plane_controller: bool = False
    """`controller` and `deallocationRequested` exist, behind the gate DRAControlPlaneController."""

    admin_access_is_gated: bool = False
    """`adminAccess` is behind the gate DRAAdminAccess, in results too."""

    admin_access_needs_label: bool = False
    """`adminAccess` asks for a label on the namespace."""

    device_status: bool = False
    """`status.devices` exists, behind the gate DRAResourceClaimDeviceStatus."""

    prioritized_lists: bool = False
    """A request is either `exactly` or `firstAvailable` inside the server: paths of errors say so, a
    request without a class gets no defaults, and `request/subrequest` names a subrequest.
    `firstAvailable` is behind the gate DRAPrioritizedList.
    """

    attribute_domain: str = "domain"
    """What messages call the part of a qualified name before the slash."""

    missing_domain_is_required: bool = False
    """A `matchAttribute` without a domain is an error of the field `domain`, not of the attribute."""

    cel_expression_max: int | None = None
    """Most bytes of a selector's expression; None: any."""

    opaque_parameters_max: int | None = None
    """Most bytes of opaque parameters that are new; None: any."""

    addresses_are_canonical: bool = False
    """`networkData.ips` must be spelled in the canonical form, and are compared as texts."""


_V1ALPHA2_STORING_METADATA = ClaimRules(status_stores_metadata=True)
_V1ALPHA3_FIRST = ClaimRules(
    allocation_is_always_checked=True,
    control_plane_controller=True,
    attribute_domain="prefix",
    missing_domain_is_required=True,
)
_V1ALPHA3_SECOND = ClaimRules(
    reserved_for_max=256,
    too_long="may not be more than {} bytes",
    past_max_length="may not be more than {} bytes",
    lists_are_too_many=True,
    node_selector_checks_values=True,
    admin_access_is_gated=True,
    device_status=True,
    cel_expression_max=10 * 1024,
    opaque_parameters_max=10 * 1024,
)

RULES: Mapping[str, ClaimRules] = MappingProxyType(
    {
        "1.27": _V1ALPHA2_STORING_METADATA,
        "1.28": _V1ALPHA2_STORING_METADATA,
        "1.29": _V1ALPHA2_STORING_METADATA,
        "1.30": ClaimRules(),
        "1.31": _V1ALPHA3_FIRST,
        "1.32": _V1ALPHA3_SECOND,
        "1.33": replace(
            _V1ALPHA3_SECOND,
            admin_access_needs_label=True,
            prioritized_lists=True,
            addresses_are_canonical=True,
        ),
    }
)
"""The rules by release: v1alpha2 up to 1.30, v1alpha3 from 1.31."""
