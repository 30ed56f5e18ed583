"""Validates references of IngressClasses to parameters, of Ingresses to resources, of IPAddresses to parents.

Follows k8s.io/kubernetes `pkg/apis/networking/validation`.
"""

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.machinery.field_errors import FieldError, forbidden, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

CLUSTER, NAMESPACE = "Cluster", "Namespace"


def validate_typed_reference(reference: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a reference to an object by API group, kind and name."""
    errors: list[FieldError] = []
    if (group := reference.get("apiGroup")) is not None:
        errors += each_invalid(f"{path}.apiGroup", group, names.is_dns1123_subdomain(group))
    for part in ("kind", "name"):
        detail = f"{part} is required" if rules.quirks.required_reference_parts_are_named else ""
        errors += _validate_segment(reference.get(part, ""), f"{path}.{part}", detail)
    return errors


def validate_class_parameters(parameters: Object | None, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the parameters of an IngressClass: a reference with the scope Cluster or Namespace."""
    if parameters is None:
        return []
    errors = validate_typed_reference(parameters, path, rules)
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        return [*errors, required(f"{path}.scope")]
    if scope not in (CLUSTER, NAMESPACE):
        errors.append(not_supported(f"{path}.scope", scope, (CLUSTER, NAMESPACE)))
    elif scope == NAMESPACE and namespace is None:
        errors.append(required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'"))
    elif scope == NAMESPACE and namespace is not None:
        errors += each_invalid(f"{path}.namespace", namespace, names.is_dns1123_label(namespace))
    elif namespace is not None:
        errors.append(forbidden(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'"))
    return errors


def validate_parent(parent: Object | None, path: str) -> list[FieldError]:
    """Validates `parentRef` of an IPAddress: the group, resource, namespace and name of the parent."""
    if parent is None:
        return [required(path)]
    errors: list[FieldError] = []
    if group := parent.get("group"):
        errors += each_invalid(f"{path}.group", group, names.is_dns1123_subdomain(group))
    for part in ("resource", "name"):
        errors += _validate_segment(parent.get(part, ""), f"{path}.{part}", "")
    if namespace := parent.get("namespace"):
        errors += each_invalid(f"{path}.namespace", namespace, names.is_valid_path_segment_name(namespace))
    return errors


def _validate_segment(text: str, path: str, detail: str) -> list[FieldError]:
    if not text:
        return [required(path, detail)]
    return each_invalid(path, text, names.is_valid_path_segment_name(text))
