"""Parameters: the objects that the binding of a policy selects as its parameters.

Follows CollectParams in k8s.io/apiserver `pkg/admission/plugin/policy/generic/policy_dispatcher.go`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fakeapi.kinds.common.label_matching import compiled
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.objects import ClusterObjects


class ParameterError(ValueError):
    """Raised if the parameters of a binding are not available. The message is the reason."""


def parameters(
    spec: Object, bound: Object, attributes: Attributes, objects: ClusterObjects
) -> list[Object | None]:
    """Returns the parameter objects that a binding selects.

    The caller evaluates the policy once for each object.

    `spec`: the spec of the policy. `bound`: the spec of the binding.

    Returns [None] if the policy has no paramKind, or if the binding has no paramRef. Raises ParameterError in
    these cases:

    - The server does not serve the kind of the parameters.
    - The binding names a namespace, but the parameters are cluster-scoped.
    - Neither the binding nor the written object has a namespace, but the parameters are namespaced.
    - The binding selects no object, and its parameterNotFoundAction is Deny.
    """
    kind, reference = spec.get("paramKind"), bound.get("paramRef")
    if kind is None or reference is None:
        return [None]
    group, _, version = kind["apiVersion"].rpartition("/")
    resource = objects.find(group, version, guessed_resource(kind["kind"]))
    if resource is None:
        raise ParameterError(f"paramKind kind `{_shown(kind)}` not known")
    namespace = _namespace(resource, reference, attributes)
    chosen: list[Object | None] = list(_chosen(resource, reference, namespace, objects))
    if not chosen and reference.get("parameterNotFoundAction") == "Deny":
        raise ParameterError("no params found for policy binding with `Deny` parameterNotFoundAction")
    return chosen


def _namespace(resource: Resource, reference: Mapping[str, Any], attributes: Attributes) -> str:
    named: str = reference.get("namespace") or ""
    if not resource.kind.namespaced:
        if named:
            raise ParameterError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        return ""
    if not named and not attributes.namespace:
        raise ParameterError(
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
        )
    return named or attributes.namespace


def _chosen(
    resource: Resource, reference: Mapping[str, Any], namespace: str, objects: ClusterObjects
) -> Iterator[Object]:
    group, name = resource.kind.group, resource.kind.resource
    if reference.get("name"):
        one = objects.get(group, name, namespace, reference["name"])
        chosen = [] if one is None else [one]
    else:
        selector = compiled(reference.get("selector") or {})
        assert selector is not None, "there is a selector"
        every = objects.list(group, name, namespace)
        chosen = [obj for obj in every if selector.matches(obj["metadata"].get("labels") or {})]
    for obj in chosen:
        yield {"kind": resource.kind.kind, **resource.from_hub(obj)}


def _shown(kind: Mapping[str, str]) -> str:
    """Returns a ParamKind as its Go method String prints it."""
    return f"&ParamKind{{APIVersion:{kind['apiVersion']},Kind:{kind['kind']},}}"


def guessed_resource(kind: str) -> str:
    """Returns the guessed resource name for a kind, like k8s.io/apimachinery `UnsafeGuessKindToResource`."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
