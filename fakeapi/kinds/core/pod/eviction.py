"""pods/eviction: evicts pods within the limits of their PodDisruptionBudgets.

Follows EvictionREST of k8s.io/kubernetes `pkg/registry/core/pod/storage/eviction.go`.
"""

from msgspec.structs import replace

from fakeapi.kinds.core.pod.conditions import DISRUPTION_TARGET, is_true, with_condition
from fakeapi.kinds.core.pod.disruption_budgets import (
    GROUP,
    RESOURCE,
    counts_for,
    protects_unready,
    still_processed,
    taken_from,
)
from fakeapi.kinds.core.pod.success import failure, success
from fakeapi.kinds.core.pod.wire_order import in_wire_order
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.field_errors import invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.options import validate_delete_options
from fakeapi.registry.identity.users import THE_SERVER
from fakeapi.registry.model.deletion_policies import check_preconditions
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import (
    DeleteOptions,
    ObjectReference,
    WriteOptions,
    WriteResult,
)
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.verbs.deleting import delete
from fakeapi.registry.verbs.updating import update
from fakeapi_storage import KeyNotFound, RevisionConflict

SEVERAL_BUDGETS = (
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
)
_EVICTION = Qualified(GROUP, "Eviction")
_UNSAFE_DELETE = "ignoreStoreReadErrorWithClusterBreakingPotential"
_POD = Qualified("", "Pod")
_FINISHED = ("Succeeded", "Failed")


async def evict(request: ServerWrite, body: Object) -> WriteResult:
    """Evicts a pod. Returns a failure Status with code 500 if several PodDisruptionBudgets cover the pod.

    Raises ApiError in these cases:

    - 400 or 422: the Eviction is invalid
    - 403: `disruptionsAllowed` of the budget is negative, or too many evictions are unconfirmed
    - 404: the pod does not exist
    - 409: a precondition fails
    - 429: the budget does not allow the eviction now, or its status is older than its spec
    - 500: the dry run options of request and Eviction contradict each other
    """
    server, resource, target = request.server, request.resource, request.target
    delete_options = _delete_options(resource, target, body, request.options)
    pod = await _deleted_without_budget(server, resource, target, delete_options)
    if pod is None:
        return success()
    budgets = [
        budget for budget in server.objects.list(GROUP, RESOURCE, target.namespace) if counts_for(budget, pod)
    ]
    if len(budgets) > 1:
        return failure(SEVERAL_BUDGETS, 500)
    is_free = (
        bool(budgets)
        and not is_true(pod["status"], "Ready")
        and not protects_unready(budgets[0], resource.release.gates)
    )
    if budgets and not is_free:
        await _take(server, budgets[0], target, dry_run=delete_options.dry_run)
    try:
        await _mark_and_delete(
            server, resource, target, _at_version(delete_options, pod) if is_free else delete_options
        )
    except ApiError as error:
        if error.reason == "Conflict" and is_free and delete_options.resource_version is None:
            raise still_processed(budgets[0]["metadata"]["name"]) from None
        raise
    return success()


def _delete_options(
    resource: Resource, target: ObjectReference, body: Object, options: WriteOptions
) -> DeleteOptions:
    """Returns the options for deleting the pod: a dry run if the request or the Eviction has `dryRun`.

    Raises ApiError 400 or 422 for invalid options, and 500 if the dry run options contradict each other.
    """
    if body["metadata"].get("name", "") != target.name:
        raise errors.bad_request("name in URL does not match name in Eviction object")
    body_options: Object = body.get("deleteOptions") or {}
    if body_options.get(_UNSAFE_DELETE):
        why = "can not be set for pod eviction, try after removing the option"
        raise errors.invalid(_EVICTION, target.name, [invalid(f"deleteOptions.{_UNSAFE_DELETE}", True, why)])
    dry_run = body_options.get("dryRun") or []
    if options.dry_run and dry_run not in ([], ["All"]):
        values = f"[All] and [{' '.join(dry_run)}]"
        raise ApiError(500, "", f"Non-matching dry-run options in request and content: {values}")
    problems = validate_delete_options(body_options, resource.release.quirks.wording)
    if problems:
        raise errors.invalid(Qualified("meta.k8s.io", "DeleteOptions"), "", problems)
    preconditions: Object = body_options.get("preconditions") or {}
    return DeleteOptions(
        dry_run=options.dry_run or bool(dry_run),
        grace_seconds=body_options.get("gracePeriodSeconds"),
        propagation=body_options.get("propagationPolicy"),
        orphan=body_options.get("orphanDependents"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
        user=options.user,
    )


def _is_ending(pod: Object) -> bool:
    return pod["status"].get("phase") in _FINISHED or pod["metadata"].get("deletionTimestamp") is not None


def _needs_no_budget(pod: Object) -> bool:
    return _is_ending(pod) or pod["status"].get("phase") == "Pending"


def _at_version(options: DeleteOptions, pod: Object) -> DeleteOptions:
    """Returns delete options that make the delete fail if the pod has changed meanwhile.

    A changed pod may be ready, and evicting a ready pod counts against its PodDisruptionBudget. `pod`: the
    pod as the caller has read it.
    """
    return replace(options, resource_version=pod["metadata"]["resourceVersion"])


async def _deleted_without_budget(
    server: Server, resource: Resource, target: ObjectReference, asked: DeleteOptions
) -> Object | None:
    """Deletes a finished, terminating or pending pod and returns None. Returns any other pod unchanged.

    PodDisruptionBudgets do not protect finished, terminating and pending pods. Retries if the pod changes
    meanwhile, unless `asked` contains a resourceVersion. Raises ApiError if the pod does not exist or the
    delete fails.

    `asked`: the delete options of the request
    """
    for attempt in range(WRITE_ATTEMPTS):
        pod: Object = stored_form.decode(server.store.newest_entry(resource, target), resource.hub_schema)
        if not _needs_no_budget(pod):
            return pod
        keeps_version = _is_ending(pod) or asked.resource_version is not None
        try:
            await _mark_and_delete(
                server, resource, target, asked if keeps_version else _at_version(asked, pod)
            )
        except ApiError as error:
            is_last = attempt == WRITE_ATTEMPTS - 1
            if error.reason != "Conflict" or asked.resource_version is not None or is_last:
                raise
        else:
            return None
    raise AssertionError("the last attempt ends with an error")


async def _take(server: Server, budget: Object, target: ObjectReference, *, dry_run: bool) -> None:
    """Subtracts one from `disruptionsAllowed` of a PodDisruptionBudget. Retries after conflicts.

    Raises ApiError if the budget does not allow the eviction or the write fails. `target`: the pod.
    """
    name = budget["metadata"]["name"]
    for attempt in range(WRITE_ATTEMPTS):
        try:
            await _take_once(server, budget, target, dry_run=dry_run)
        except ApiError as error:
            if error.reason != "Conflict" or attempt == WRITE_ATTEMPTS - 1:
                raise
        else:
            return
        newest = server.objects.get(GROUP, RESOURCE, target.namespace, name)
        if newest is None:
            raise errors.not_found(Qualified(GROUP, RESOURCE), name)
        budget = newest


async def _take_once(server: Server, budget: Object, target: ObjectReference, *, dry_run: bool) -> None:
    served = server.find(GROUP, "v1", RESOURCE)
    assert served is not None, "there is a budget, so its kind is served"
    now, name = server.store.now(), budget["metadata"]["name"]
    status = taken_from(budget, target.name, now, served.release.quirks)
    if dry_run:
        return
    body = served.from_hub({**budget, "status": status})
    place = ObjectReference(target.namespace, name, "status")
    await update(WriteRequest(server, served, place, WriteOptions(manager="kube-apiserver")), body)


async def _mark_and_delete(
    server: Server, resource: Resource, target: ObjectReference, options: DeleteOptions
) -> None:
    if not options.dry_run and resource.release.gates.enabled("PodDisruptionConditions"):
        version = await _mark(server, resource, target, options)
        if options.resource_version is not None:
            options = replace(options, resource_version=version)
    await delete(server, resource, target, replace(options, user=THE_SERVER), asks_admission=False)


async def _mark(server: Server, resource: Resource, target: ObjectReference, options: DeleteOptions) -> str:
    """Sets the condition DisruptionTarget of a pod. Returns the new resourceVersion of the pod.

    Raises ApiError 409 if a precondition fails.
    """
    for _ in range(WRITE_ATTEMPTS):
        entry = server.store.newest_entry(resource, target)
        pod = stored_form.decode(entry, resource.hub_schema)
        meta = pod["metadata"]
        check_preconditions(meta, replace(options, uid=options.uid or None), _POD)
        status = with_condition(
            pod["status"],
            DISRUPTION_TARGET,
            "True",
            server.store.now(),
            reason="EvictionByEvictionAPI",
            message="Eviction API: evicting",
        )
        value = resource.encode(in_wire_order({**pod, "status": status}, resource.hub_schema))
        if value == entry.value:
            return str(entry.revision)
        key = resource.key(target.namespace, target.name)
        try:
            stored = await server.store.commit(
                resource, server.store.storage.update(key, value, entry.revision)
            )
        except (RevisionConflict, KeyNotFound):
            continue
        return str(stored.revision)
    raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)
