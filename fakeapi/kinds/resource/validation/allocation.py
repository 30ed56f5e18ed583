"""Validates an allocation in v1alpha3 and newer: the allocated devices and their configuration.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.resource.validation.binding_conditions import validate_binding_conditions
from fakeapi.kinds.resource.validation.claim_devices import (
    Checks,
    validate_configuration,
    validate_references,
)
from fakeapi.kinds.resource.validation.collections import validate_items
from fakeapi.kinds.resource.validation.identifiers import (
    RequestNames,
    validate_driver_name,
    validate_pool_name,
    validate_request_reference,
)
from fakeapi.kinds.resource.validation.share_ids import validate_share_id
from fakeapi.kinds.resource.validation.skipped_operations import (
    validate_skipped_operations,
)
from fakeapi.kinds.resource.validation.tolerations import validate_tolerations
from fakeapi.machinery.field_errors import FieldError, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.node_selector import validate_node_selector
from fakeapi.releases.rules import ReleaseRules

SOURCES = ("FromClaim", "FromClass")


def validate_allocation(
    allocation: Object, path: str, known: RequestNames, checks: Checks
) -> list[FieldError]:
    """Validates `status.allocation` of a ResourceClaim. `known`: the names of the claim's requests."""
    rules = checks.rules
    devices = allocation["devices"]
    errors = validate_items(
        devices.get("results"),
        f"{path}.devices.results",
        rules.limits.allocation_results,
        lambda result, place: _validate_result(result, place, known, rules),
        rules,
    )
    errors += validate_items(
        devices.get("config"),
        f"{path}.devices.config",
        rules.limits.allocation_configs,
        lambda config, place: _validate_config(config, place, known, checks),
        rules,
    )
    if "nodeSelector" in allocation:
        errors += validate_node_selector(
            allocation["nodeSelector"],
            f"{path}.nodeSelector",
            checks_values=rules.quirks.node_selector_values_are_checked,
            unit=rules.quirks.wording.length_unit,
        )
    if "controller" in allocation:
        errors += validate_driver_name(allocation["controller"], f"{path}.controller", rules)
    return errors


def _validate_result(result: Object, path: str, known: RequestNames, rules: ReleaseRules) -> list[FieldError]:
    return [
        *validate_request_reference(result["request"], f"{path}.request", known, rules),
        *validate_driver_name(result["driver"], f"{path}.driver", rules),
        *validate_pool_name(result["pool"], f"{path}.pool", rules),
        *validate_dns_label(result["device"], f"{path}.device"),
        *validate_binding_conditions(result, path, rules),
        *(
            validate_tolerations(result.get("tolerations", []), f"{path}.tolerations", rules)
            if rules.quirks.result_tolerations_are_checked
            else ()
        ),
        *(validate_share_id(result["shareID"], f"{path}.shareID") if "shareID" in result else ()),
        *validate_skipped_operations(result.get("skipNodeOperations"), f"{path}.skipNodeOperations", rules),
    ]


def _validate_config(config: Object, path: str, known: RequestNames, checks: Checks) -> list[FieldError]:
    errors: list[FieldError] = []
    if not config["source"]:
        errors.append(required(f"{path}.source"))
    elif config["source"] not in SOURCES:
        errors.append(
            not_supported(
                f"{path}.source", printed_plain(config["source"], checks.rules.quirks.wording), SOURCES
            )
        )
    errors += validate_references(config.get("requests"), f"{path}.requests", known, checks.rules)
    errors += validate_configuration(config, path, checks)
    return errors
