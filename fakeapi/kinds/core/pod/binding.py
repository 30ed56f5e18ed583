"""Binds pods to nodes, for the subresource pods/binding and the resource `bindings`.

Follows BindingREST of k8s.io/kubernetes `pkg/registry/core/pod/storage/storage.go`.
"""

from fakeapi.kinds.common.defaults.functions import INIT_CONTAINER_ANNOTATIONS
from fakeapi.kinds.core.pod.conditions import SCHEDULED, with_condition
from fakeapi.kinds.core.pod.success import success
from fakeapi.kinds.core.pod.wire_order import in_wire_order
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.field_errors import FieldError, first_words, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.etcd_keys import failed_precondition
from fakeapi.releases import Release
from fakeapi_storage import KeyNotFound, RevisionConflict

_RESOURCE = Qualified("", "pods/binding")


async def bind(request: ServerWrite, body: Object) -> WriteResult:
    """Binds a pod to a node.

    Raises ApiError:

    - 400: the names in URL and body differ
    - 404: the pod does not exist
    - 409: the pod cannot be bound, or a precondition fails
    - 500: the Binding is invalid
    """
    server, resource, target = request.server, request.resource, request.target
    if body["metadata"].get("name", "") != target.name:
        raise errors.bad_request("name in URL does not match name in Binding object")
    problems = _validate(body)
    if problems:
        raise ApiError(500, "", first_words(problems))
    for _ in range(WRITE_ATTEMPTS):
        entry = server.store.newest_entry(resource, target)
        pod = stored_form.decode(entry, resource.hub_schema)
        _check_preconditions(resource, target, pod, body["metadata"], dry_run=request.dry_run)
        problem = _problem(pod)
        if problem:
            await server.store.settle(entry)
            raise errors.conflict(_RESOURCE, target.name, f"pod {target.name} {problem}")
        bound = in_wire_order(_bound(pod, body, server.store.now(), resource.release), resource.hub_schema)
        if request.dry_run:
            return success()
        key = resource.key(target.namespace, target.name)
        try:
            await server.store.commit(
                resource, server.store.storage.update(key, resource.encode(bound), entry.revision)
            )
        except (RevisionConflict, KeyNotFound):
            continue
        return success()
    raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)


def _validate(binding: Object) -> list[FieldError]:
    problems = []
    reference = binding["target"]
    if reference.get("kind", "") not in ("", "Node"):
        problems.append(not_supported("target.kind", reference["kind"], ("Node", "<empty>")))
    if not reference.get("name"):
        problems.append(required("target.name"))
    return problems


def _check_preconditions(
    resource: Resource, target: ObjectReference, pod: Object, wanted: Object, *, dry_run: bool
) -> None:
    """Raises ApiError 409 if the Binding has a uid or resourceVersion that differs from the pod's value.

    - `wanted`: the metadata of the Binding
    - `dry_run`: whether the request is a dry run, in which the error has another message
    """
    for name, field in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        expected, actual = wanted.get(name, ""), pod["metadata"][name]
        if expected and expected != actual:
            why = failed_precondition(resource.kind, target, field, expected, actual, dry_run=dry_run)
            raise errors.conflict(resource.qualified, target.name, why)


def _problem(pod: Object) -> str:
    """Returns the reason why a pod cannot be bound; "" if the pod can be bound."""
    if pod["metadata"].get("deletionTimestamp") is not None:
        return "is being deleted, cannot be assigned to a host"
    if pod["spec"].get("nodeName"):
        return f'is already assigned to node "{pod["spec"]["nodeName"]}"'
    return "has non-empty .spec.schedulingGates" if pod["spec"].get("schedulingGates") else ""


def _bound(pod: Object, binding: Object, now: str, release: Release) -> Object:
    gates, added_metadata = release.gates, binding["metadata"]
    status = with_condition(pod["status"], SCHEDULED, "True", now)
    if gates.enabled("ClearingNominatedNodeNameAfterBinding"):
        status.pop("nominatedNodeName", None)
    metadata = dict(pod["metadata"])
    names = ["annotations"]
    if gates.enabled("PodTopologyLabelsAdmission"):
        names.append("labels")
    for name in names:
        added = {
            key: value
            for key, value in (added_metadata.get(name) or {}).items()
            if key not in INIT_CONTAINER_ANNOTATIONS
        }
        if added:
            metadata[name] = dict(sorted({**(metadata.get(name) or {}), **added}.items()))
    spec = {**pod["spec"], "nodeName": binding["target"]["name"]}
    return {**pod, "metadata": in_order(metadata), "spec": spec, "status": status}
