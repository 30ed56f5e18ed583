"""Validates the nodes that can use devices: a node name, a node selector or all nodes.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`. Either the slice selects the nodes, or each device
of the slice selects its own nodes.
"""

from fakeapi.kinds.common.printing.values import printed_field, printed_plain, printed_struct
from fakeapi.kinds.resource.conversion.slices import SLICE_CONVERSIONS
from fakeapi.kinds.resource.validation.nodes import validate_node_name, validate_nodes
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_OF_THREE = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
_OF_FOUR = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_OF_DEVICE = f"{_OF_THREE} when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
_NOT_OF_DEVICE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in "
    "the ResourceSlice spec"
)


def validate_slice_nodes(spec: Object, rules: ReleaseRules, *, partitions: bool) -> list[FieldError]:
    """Validates how a ResourceSlice selects its nodes.

    `partitions`: whether the release has partitionable devices. If so, each device may select its nodes
    """
    return _validate_of_four(spec, rules) if partitions else _validate_of_three(spec, rules)


def validate_device_nodes(
    device: Object, path: str, rules: ReleaseRules, *, chooses: bool
) -> list[FieldError]:
    """Validates how a device selects its nodes.

    `chooses`: whether each device of the slice selects its nodes
    """
    if chooses:
        return _validate_of_device(device, path, rules)
    if any(name in device for name in ("nodeName", "nodeSelector", "allNodes")):
        return [invalid(path, printed_plain(None, rules.quirks.wording), _NOT_OF_DEVICE)]
    return []


def _validate_selector(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    path = "spec.nodeSelector"
    errors = validate_nodes(spec, "nodeSelector", path, rules)
    terms = spec["nodeSelector"]["nodeSelectorTerms"]
    if len(terms or ()) != 1:
        problem = f"must have exactly one {rules.quirks.node_selector_term}"
        bad_value = printed_field(terms, "core/v1.NodeSelector", "nodeSelectorTerms", rules)
        errors.append(invalid(f"{path}.nodeSelectorTerms", bad_value, problem))
    return errors


def _validate_of_three(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    errors = validate_node_name(spec["nodeName"], "spec.nodeName") if "nodeName" in spec else []
    if "nodeSelector" in spec:
        errors += _validate_selector(spec, rules)
    choices = sum(name in spec for name in ("nodeName", "nodeSelector", "allNodes"))
    if choices == 0:
        errors.append(required("spec", _OF_THREE))
    elif choices > 1:
        bad_value = None
        if rules.quirks.invalid_slice_error_dumps_value:
            own = SLICE_CONVERSIONS["v1alpha3"].from_hub({"spec": spec})["spec"]
            bad_value = printed_struct(own, rules.schemas.newest_type("resource", "ResourceSliceSpec"), rules)
        errors.append(invalid("spec", bad_value, _OF_THREE))
    return errors


def _validate_of_four(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    chosen: list[str] = []
    errors: list[FieldError] = []
    if spec.get("nodeName"):
        chosen.append("`nodeName`")
        errors += validate_node_name(spec["nodeName"], "spec.nodeName")
    elif "nodeName" in spec:
        errors.append(invalid("spec.nodeName", "", "must be either unset or set to a non-empty string"))
    if "nodeSelector" in spec:
        chosen.append("`nodeSelector`")
        errors += _validate_selector(spec, rules)
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name):
            chosen.append(f"`{name}`")
        elif name in spec:
            errors.append(invalid(f"spec.{name}", value=False, detail="must be either unset or set to true"))
    if not chosen:
        errors.append(required("spec", _OF_FOUR))
    elif len(chosen) > 1:
        problem = f"{_OF_FOUR}, but multiple fields are set"
        errors.append(invalid("spec", f"{{{', '.join(chosen)}}}", problem))
    return errors


def _validate_of_device(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    chosen: list[str] = []
    errors: list[FieldError] = []
    if device.get("nodeName"):
        chosen.append("`nodeName`")
        errors += validate_node_name(device["nodeName"], f"{path}.nodeName")
    elif "nodeName" in device:
        errors.append(invalid(f"{path}.nodeName", "", "must not be empty"))
    if "nodeSelector" in device:
        chosen.append("`nodeSelector`")
        errors += validate_nodes(device, "nodeSelector", f"{path}.nodeSelector", rules)
    if device.get("allNodes"):
        chosen.append("`allNodes`")
    elif "allNodes" in device:
        errors.append(invalid(f"{path}.allNodes", value=False, detail="must be either unset or set to true"))
    if not chosen:
        errors.append(required(path, _OF_DEVICE))
    elif len(chosen) > 1:
        errors.append(invalid(path, f"{{{', '.join(chosen)}}}", _OF_DEVICE))
    return errors
