"""AdmissionRequest: the description of a write that webhooks and CEL expressions receive.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook/request` and `pkg/admission/conversion.go`.
"""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import DeleteOptions, WriteOptions

META = "meta.k8s.io/v1"
_OPTIONS = {Operation.CREATE: "CreateOptions", Operation.UPDATE: "UpdateOptions"}


def type_of(attributes: Attributes, resource: Resource) -> dict[str, str]:
    """Returns the group, version and kind of the written object, in the API version of `resource`.

    For a subresource with its own kind, such as Scale, returns this kind.
    """
    subresource = resource.subresources.get(attributes.subresource) if attributes.subresource else None
    if subresource is not None and subresource.kind != resource.kind.kind:
        group, version, kind = subresource.group, subresource.version, subresource.kind
        if group == resource.kind.group and not version:
            version = resource.kind.version
        return {"group": group, "version": version, "kind": kind}
    return {"group": resource.kind.group, "version": resource.kind.version, "kind": resource.kind.kind}


def resource_of(resource: Resource) -> dict[str, str]:
    kind = resource.kind
    return {"group": kind.group, "version": kind.version, "resource": kind.resource}


def namespace_of(attributes: Attributes) -> str:
    """Returns the namespace of a write. For a write of a Namespace, returns the name in the request."""
    if attributes.resource.qualified.name == "namespaces" and not attributes.resource.kind.group:
        return attributes.requested_name
    return attributes.namespace


def admission_request(attributes: Attributes, resource: Resource, uid: str) -> Object:
    """Returns the AdmissionRequest of a write, without the fields `object`, `oldObject` and `options`.

    The other fields are in upstream's order.

    - `resource`: the resource in the API version that the webhook or policy matched.
    - `uid`: the uid of the AdmissionRequest.
    """
    request: Object = {
        "uid": uid,
        "kind": type_of(attributes, resource),
        "resource": resource_of(resource),
        "subResource": attributes.subresource,
        "requestKind": type_of(attributes, attributes.resource),
        "requestResource": resource_of(attributes.resource),
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": namespace_of(attributes),
        "operation": attributes.operation.value,
        "userInfo": user_info(attributes),
    }
    optional = ("subResource", "requestSubResource", "name", "namespace")
    return {name: value for name, value in request.items() if value or name not in optional}


def user_info(attributes: Attributes) -> Object:
    """Returns the UserInfo of the client as JSON, without empty fields."""
    user = attributes.user
    info: Object = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    info["extra"] = {key: list(values) for key, values in sorted(user.extra.items())}
    return {name: value for name, value in info.items() if value}


def options_of(attributes: Attributes) -> Object | None:
    """Returns the options of a write as JSON, such as CreateOptions; None for a CONNECT.

    A patch of an existing object has UpdateOptions.
    """
    options = attributes.options
    if attributes.operation is Operation.CONNECT:
        return None
    if isinstance(options, DeleteOptions):
        return _delete_options(options)
    return _write_options(options, _OPTIONS.get(attributes.operation, "UpdateOptions"))


def _write_options(options: WriteOptions, kind: str) -> Object:
    members: Object = {
        "dryRun": ["All"] if options.dry_run else None,
        "fieldManager": options.given_manager,
        "fieldValidation": options.given_validation,
    }
    return {"kind": kind, "apiVersion": META, **{name: value for name, value in members.items() if value}}


def _delete_options(options: DeleteOptions) -> Object:
    conditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    preconditions = {name: value for name, value in conditions.items() if value is not None}
    members: dict[str, Any] = {
        "gracePeriodSeconds": options.grace_seconds,
        "preconditions": preconditions or None,
        "orphanDependents": options.orphan,
        "propagationPolicy": options.propagation,
        "dryRun": ["All"] if options.dry_run else None,
    }
    present = {name: value for name, value in members.items() if value is not None}
    return {"kind": "DeleteOptions", "apiVersion": META, **present}


def before_creation(obj: Object, schema: Struct) -> Object:
    """Returns a new object as mutating admission receives it, before Kubernetes sets its creationTimestamp.

    In releases that always encode the creationTimestamp, a missing creationTimestamp becomes null.
    """
    node = schema.fields["metadata"].node
    created = node.fields.get("creationTimestamp") if isinstance(node, Struct) else None
    if created is None or created.omitzero or "creationTimestamp" in obj["metadata"]:
        return obj
    return {**obj, "metadata": in_order({**obj["metadata"], "creationTimestamp": None})}
