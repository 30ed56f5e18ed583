"""Checks `adminAccess` in device requests and allocation results: the namespace must have a certain label.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim` from 1.32, and `pkg/registry/resource` from
1.33.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object

NamespaceLabels: TypeAlias = Callable[[str], Mapping[str, str] | None]
"""A function that returns the labels of a namespace, or None if the namespace does not exist."""


def authorize_requests(
    claim: Object, namespace_labels: NamespaceLabels, wanted_label: str
) -> list[FieldError]:
    """Returns an error for the first device request with `adminAccess: true`.

    Returns no errors if the namespace allows admin access.

    `namespace_labels`: returns the labels of a namespace
    `wanted_label`: the label that must be "true" on a namespace that allows admin access
    """
    requests = [request.get("exactly", {}) for request in claim["spec"]["devices"]["requests"] or ()]
    return _authorize(requests, "spec.devices.requests", claim, namespace_labels, wanted_label)


def authorize_results(
    claim: Object, old: Object, namespace_labels: NamespaceLabels, wanted_label: str
) -> list[FieldError]:
    """Returns an error for the first allocation result with `adminAccess: true`.

    Returns no errors if the namespace allows admin access, or if any result of the stored claim `old` has
    `adminAccess: true`.

    `namespace_labels`: returns the labels of a namespace
    `wanted_label`: the label that must be "true" on a namespace that allows admin access
    """
    if any(result.get("adminAccess") for result in _results(old["status"])):
        return []
    path = "status.allocation.devices.results"
    return _authorize(_results(claim["status"]), path, claim, namespace_labels, wanted_label)


def _results(status: Object) -> Sequence[Object]:
    if "allocation" not in status:
        return ()
    results: Sequence[Object] = status["allocation"]["devices"].get("results", ())
    return results


def _authorize(
    parts: Sequence[Object], path: str, claim: Object, namespace_labels: NamespaceLabels, wanted_label: str
) -> list[FieldError]:
    index = next((index for index, part in enumerate(parts) if part.get("adminAccess")), None)
    if index is None:
        return []
    place = f"{path}[{index}].adminAccess"
    namespace = claim["metadata"].get("namespace", "")
    labels = namespace_labels(namespace)
    if labels is None:
        problem = f'could not retrieve namespace to verify admin access: namespaces "{namespace}" not found'
        return [FieldError("InternalError", place, f"Internal error: {problem}")]
    if labels.get(wanted_label) == "true":
        return []
    requirement = f"the `{wanted_label}: true` label on the containing namespace"
    return [forbidden(place, f"admin access to devices requires {requirement}")]
