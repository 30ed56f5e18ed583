"""CEL functions for authorization checks.

For example, `authorizer.group('apps').resource('deployments').check('get').allowed()` is an expression.

Follows k8s.io/apiserver `pkg/cel/library/authz.go`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fakeapi.machinery.cel.runtime.values import Err, Opaque
from fakeapi.machinery.meta.names import is_dns1123_label, is_dns1123_subdomain


@dataclass(frozen=True, slots=True)
class Decision(Opaque):
    type_name = "kubernetes.authorization.Decision"

    allowed: bool
    reason: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Check(Opaque):
    """An authorization check on a path or a resource, built from the calls on `authorizer`.

    `decides`: a function (check, verb) -> decision.
    `service_account`: (namespace, name); None for the user who sent the request.
    """

    decides: Callable[["Check", str], Decision]
    type_name: str = "kubernetes.authorization.Authorizer"
    service_account: tuple[str, str] | None = None
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


def _path(of: Check, path: str) -> Any:
    if not path.strip():
        return Err("path must not be empty")
    return replace(of, type_name="kubernetes.authorization.PathCheck", path=path)


def _resource(of: Check, resource: str) -> Any:
    if not resource.strip():
        return Err("resource must not be empty")
    return replace(of, type_name="kubernetes.authorization.ResourceCheck", resource=resource)


def _service_account(of: Check, namespace: str, name: str) -> Any:
    if is_dns1123_subdomain(name):
        return Err("Invalid service account name")
    if is_dns1123_label(namespace):
        return Err("Invalid service account namespace")
    return replace(of, service_account=(namespace, name))


def _decided(of: Check, verb: str) -> Decision:
    return of.decides(of, verb)


OVERLOADS: dict[str, Callable[..., Any]] = {
    "authorizer_path": _path,
    "authorizer_group": lambda of, group: replace(
        of, type_name="kubernetes.authorization.GroupCheck", group=group
    ),
    "authorizer_serviceaccount": _service_account,
    "groupcheck_resource": _resource,
    "resourcecheck_subresource": lambda of, text: replace(of, subresource=text),
    "resourcecheck_namespace": lambda of, text: replace(of, namespace=text),
    "resourcecheck_name": lambda of, text: replace(of, name=text),
    "authorizer_fieldselector": lambda of, text: replace(of, field_selector=text),
    "authorizer_labelselector": lambda of, text: replace(of, label_selector=text),
    "pathcheck_check": _decided,
    "resourcecheck_check": _decided,
    "decision_errored": lambda of: bool(of.error),
    "decision_error": lambda of: of.error,
    "decision_allowed": lambda of: of.allowed,
    "decision_reason": lambda of: of.reason,
}
