"""Validates the status of pods.

Follows `ValidatePodStatusUpdate` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.addresses import is_dual_stack, validate_lenient_ip
from fakeapi.kinds.common.invalid_texts import each_invalid, validate_qualified_name
from fakeapi.kinds.common.printing.values import printed_field, printed_plain, printed_struct
from fakeapi.kinds.core.pod.validation import claim_statuses, container_statuses
from fakeapi.kinds.core.pod.validation.annotations import annotation_update_errors
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, internal, invalid
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases.rules import ReleaseRules

_SYSTEM_CONDITIONS = frozenset({"PodScheduled", "Ready", "Initialized"})
_NOT_NEGATIVE = "must be a non-negative integer"


def validate_pod_status_update(
    new: Object, old: Object, rules: ReleaseRules, metadata: MetadataErrors = NO_METADATA_ERRORS
) -> list[FieldError]:
    """Validates a write to `/status` of a pod. Both pods must be in canonical form."""
    checks = PodChecks(rules, new["spec"], old["spec"], is_pod=True)
    return [
        *metadata.of_change,
        *annotation_update_errors(new, old, "metadata.annotations", checks),
        *_status_errors(new, old, checks),
    ]


def _status_errors(new: Object, old: Object, checks: PodChecks) -> Errors:
    status, before = new["status"], old["status"]
    holder = "status" if checks.quirks.conditions_are_of_the_status else "metadata"
    yield from _condition_errors(status.get("conditions") or (), f"{holder}.conditions", checks)
    if new["spec"].get("nodeName") != old["spec"].get("nodeName"):
        yield forbidden("status.nodeName", "may not be changed directly")
    yield from _nomination_errors(status, before, old["spec"], checks)
    if status.get("observedGeneration", 0) < 0:
        yield invalid("status.observedGeneration", status["observedGeneration"], _NOT_NEGATIVE)
    qos, stored = status.get("qosClass", ""), before.get("qosClass", "")
    if qos != stored and checks.quirks.status_fixes_qos_class:
        yield invalid("status.qosClass", printed_plain(qos, checks.wording), "field is immutable")
    yield from container_statuses.transition_errors(new, old, checks)
    yield from claim_statuses.claim_status_errors(new, checks)
    yield from claim_statuses.volume_health_errors(new, checks)
    yield from _address_errors(status, before, "podIPs", checks)
    if checks.quirks.pod_ips_agree:
        yield from _agreement_errors(status, checks)
    if status.get("hostIPs") and checks.quirks.host_ips_can_be_read:
        first = status["hostIPs"][0].get("ip", "")
        if status.get("hostIP", "") != first:
            yield invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")
        yield from _address_errors(status, before, "hostIPs", checks)
    yield from container_statuses.user_errors(new, checks)
    yield from container_statuses.allocated_resource_errors(new, checks)
    yield from container_statuses.volume_errors(new, checks)


def _condition_errors(conditions: Sequence[Object], path: str, checks: PodChecks) -> Errors:
    for index, condition in enumerate(conditions):
        if condition.get("observedGeneration", 0) < 0:
            place = f"{path}[{index}].observedGeneration"
            yield invalid(place, condition["observedGeneration"], _NOT_NEGATIVE)
        kind = condition.get("type", "")
        if kind not in _SYSTEM_CONDITIONS:
            yield from validate_qualified_name(kind, f"{path}[{index}].Type", checks.wording)


def _nomination_errors(status: Object, before: Object, spec: Object, checks: PodChecks) -> Errors:
    node, path = status.get("nominatedNodeName", ""), "status.nominatedNodeName"
    if not node or node == before.get("nominatedNodeName", ""):
        return
    yield from each_invalid(path, node, names.name_is_dns_subdomain(node, False))
    if spec.get("nodeName") and checks.enabled("ClearingNominatedNodeNameAfterBinding"):
        yield forbidden(path, "may not be set on pods that are already bound to a node")


def _address_errors(status: Object, before: Object, name: str, checks: PodChecks) -> Errors:
    """Validates the list `podIPs` or `hostIPs`: at most one address of each IP family.

    - `before`: the stored status, whose addresses remain valid from 1.33 on
    - `name`: the name of the list
    """
    path = f"status.{name}"
    addresses = [entry.get("ip", "") for entry in status.get(name) or ()]
    valid_before: set[str] = set()
    if checks.quirks.stored_addresses_stay:
        valid_before = {entry.get("ip", "") for entry in before.get(name) or ()}
    for index, address in enumerate(addresses):
        yield from validate_lenient_ip(address, f"{path}[{index}]", checks.rules, valid_before)
    if len(addresses) < 2:
        return
    repeated = () if checks.quirks.stored_addresses_stay else _repeated_addresses(status, name, checks)
    if name == "hostIPs":
        yield from repeated
    wrong = next((index for index, text in enumerate(addresses) if parse_ip(text) is None), None)
    if wrong is not None:
        problem = f"failed to check for dual stack with error:invalid IP[{wrong}]: {addresses[wrong]}"
        yield internal(path, problem)
    if len(addresses) > 2 or wrong is not None or not is_dual_stack(addresses):
        printed = printed_field(status[name], "core/v1.PodStatus", name, checks.rules)
        yield invalid(path, printed, "may specify no more than one IP for each IP family")
    if name == "podIPs":
        yield from repeated


def _repeated_addresses(status: Object, name: str, checks: PodChecks) -> Errors:
    """Yields an error for each repeated address of a list, as releases up to 1.32 do."""
    kind = "PodIP" if name == "podIPs" else "HostIP"
    seen: set[str] = set()
    for index, entry in enumerate(status[name]):
        if entry.get("ip", "") in seen:
            printed = printed_struct(entry, f"core/v1.{kind}", checks.rules)
            yield duplicate(f"status.{name}[{index}]", printed)
        seen.add(entry.get("ip", ""))


def _agreement_errors(status: Object, checks: PodChecks) -> Errors:
    first, addresses = status.get("podIP", ""), status.get("podIPs") or []
    if bool(first) != bool(addresses):
        printed = printed_field(addresses or None, "core/v1.PodStatus", "podIPs", checks.rules)
        yield invalid("status.podIPs", printed, "podIP and podIPs must either both be set or both be unset")
    elif addresses and addresses[0].get("ip", "") != first:
        yield invalid("status.podIPs[0].ip", addresses[0].get("ip", ""), "must be equal to `podIP`")
