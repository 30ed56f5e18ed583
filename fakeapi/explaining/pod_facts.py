"""Explains problems of a pod's claims on all nodes: missing claims, classes and templates."""

from collections.abc import Iterable

import msgspec

from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod, claim_source, is_for_pod
from fakeapi.explaining.cluster_objects import ClusterObjects, class_path, consumers_of, reference
from fakeapi.explaining.device_changes import recreate_text
from fakeapi.explaining.dropped import users_text
from fakeapi.explaining.finalizers import finalizer_changes, finalizer_lines
from fakeapi.explaining.harms import pods_of
from fakeapi.explaining.model import Change, Reason, Reference, listed
from fakeapi.explaining.node_offers import AGAIN
from fakeapi.explaining.quota_reasons import EXCEEDED, quota_reason
from fakeapi.explaining.renames import NAMESPACE
from fakeapi.explaining.similar import nearest
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.registry.offloading.turns import Turns

_LISTED = 6
_OFFERED = 4
"""Maximum number of existing names that the text of a change offers for a missing name."""

_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
_FIELD = "{field}"
"""Stands for the path of a pod's field in the text of a change, until the path is known."""


async def claim_reasons(cluster: ClusterObjects, pod: Object) -> list[Reason]:
    """Returns the reasons why claims of a pod are not ready.

    Such a claim is missing, not created yet, being deleted, or not owned by the pod. Lets other tasks of the
    event loop run meanwhile.
    """
    reasons, turns = [], Turns()
    for index, pod_claim in enumerate(pod["spec"].get("resourceClaims") or ()):
        await turns.give_turn_if_over()
        reason = _claim_reason(cluster, pod, pod_claim)
        if reason is not None:
            reason.object = reason.object or reference("Pod", pod)
            field = next((name for name in _SOURCES if claim_source(pod_claim).get(name)), "")
            reason.path = reason.path or f"spec.resourceClaims[{index}]{_place(pod_claim)}.{field}".rstrip(
                "."
            )
            for number, change in enumerate(reason.changes):
                text = change.text.replace(_FIELD, reason.path)
                path, objects = change.path, change.objects
                if change.action == "delete" and not objects:
                    objects = [reference("Pod", pod)]
                if change.value and not objects:
                    path, objects = path or reason.path, [reference("Pod", pod)]
                reason.changes[number] = msgspec.structs.replace(
                    change, text=text, path=path, objects=objects
                )
            reasons.append(reason)
    return reasons


def _claim_reason(cluster: ClusterObjects, pod: Object, pod_claim: Object) -> Reason | None:
    namespace = pod["metadata"]["namespace"]
    template = claim_source(pod_claim).get("resourceClaimTemplateName") or ""
    try:
        name = claim_of_pod(pod, pod_claim, by_pod=cluster.view.order_in_1_27)
    except ClaimNameUnknown:
        return _not_created(cluster, namespace, template)
    if name is None:
        return None
    claim = cluster.get("resourceclaims", namespace, name)
    if claim is None:
        return _missing(cluster, namespace, name, template)
    if "deletionTimestamp" in claim["metadata"]:
        return _being_deleted(cluster, claim)
    if template and not is_for_pod(pod, claim):
        text = f"claim {namespace}/{name} exists, but the pod does not own it"
        own, users = reference("ResourceClaim", claim), pods_of(cluster, consumers_of(claim))
        harm = f"{users_text([claim])} is in use" if users else ""
        change = Change(f"delete {own}", "delete", [own], harm=harm)
        return Reason("ClaimOfOtherOwner", text, blame=[reference("ResourceClaim", claim)], changes=[change])
    return None


def _place(pod_claim: Object) -> str:
    """Returns the parent field of claim and template names: ".source" in pods up to 1.30, otherwise ""."""
    return ".source" if "source" in pod_claim else ""


def _not_created(cluster: ClusterObjects, namespace: str, template: str) -> Reason:
    if cluster.get("resourceclaimtemplates", namespace, template) is None:
        text = f"ResourceClaimTemplate {namespace}/{template} does not exist, so the pod gets no claim"
        details = _lines_about_namespaces(cluster, "resourceclaimtemplates", namespace, template, "template")
        target = Reference("ResourceClaimTemplate", template, namespace)
        change = Change(f"create ResourceClaimTemplate {namespace}/{template}", "create", [target])
        changes = [change, *_other_changes(cluster, "resourceclaimtemplates", namespace, template)]
        return Reason("TemplateMissing", text, details, changes=changes)
    errors = [event for event in cluster.events if event.get("reason") == "FailedResourceClaimCreation"]
    message = str(errors[-1].get("message")) if errors else ""
    if errors and f'"{template}" not found' not in message:  # the template exists now
        exceeded = quota_reason(cluster, namespace, message)
        if exceeded is not None:
            if exceeded.code == EXCEEDED:
                exceeded.details.insert(0, f"no claim was created from template {template}: {message}")
            else:
                exceeded.details.append(f"the last error: {message}")
            return exceeded
        text = f"no claim was created from template {template}: {message}"
        return Reason("ClaimCreationFailed", text)
    text = f"no claim has been created from template {namespace}/{template} yet"
    if cluster.lacks_controller("resourceclaim"):
        text = f"no claim is created from template {template}: the controller resourceclaim does not run"
        change = Change("start the server with the controller resourceclaim", "create")
        return Reason("ControllerNotRunning", text, changes=[change])
    return Reason("ClaimNotCreated", text, changes=[Change("wait for the resourceclaim controller", "wait")])


def _missing(cluster: ClusterObjects, namespace: str, name: str, template: str) -> Reason:
    text = f"ResourceClaim {namespace}/{name} does not exist"
    target = Reference("ResourceClaim", name, namespace)
    if template:
        text = f"{text} any more; it was created from template {template}, and the pod still names it"
        return Reason("ClaimDeleted", text, changes=[Change("delete the pod and create it again", "delete")])
    changes = [Change(f"create ResourceClaim {namespace}/{name}", "create", [target])]
    details = _lines_about_namespaces(cluster, "resourceclaims", namespace, name, "claim")
    others = cluster.namespaces_with("resourceclaims", name)
    if cluster.get("resourceclaimtemplates", namespace, name) is not None:
        details = ["resourceClaimName takes only claims; resourceClaimTemplateName takes a template"]
        text = f"{text}, but a ResourceClaimTemplate of this name does"
        again = f"{AGAIN} resourceClaimTemplateName {name} instead of {_FIELD}"
        changes.insert(0, Change(again, "edit"))
    elif others:
        text = f"{text}; namespace {others[0]} has a claim of this name"
    changes += _other_changes(cluster, "resourceclaims", namespace, name)
    return Reason("ClaimMissing", text, details, changes=changes)


def _other_changes(cluster: ClusterObjects, resource: str, namespace: str, name: str) -> list[Change]:
    """Returns further changes for a missing object: use its namespace, or name another object.

    Does not guess another name if the name exists in another namespace.
    """
    others = cluster.namespaces_with(resource, name)
    own = cluster.names_in(resource, namespace)
    if others:
        text = f"delete the pod and create it again in namespace {others[0]}"
        return [Change(text, "edit", path=NAMESPACE, value=others[0])]
    if not own:
        return []
    near = nearest(name, own)
    noun = "template" if resource == "resourceclaimtemplates" else "claim"
    what = f"{near} instead of {name}" if near else f"an existing {noun} ({listed(sorted(own), _OFFERED)})"
    return [Change(f"{AGAIN} {what} in {_FIELD}", "edit", value=near)]


def _lines_about_namespaces(
    cluster: ClusterObjects, resource: str, namespace: str, name: str, noun: str
) -> list[str]:
    """Returns a line about other namespaces with an object of this name; without any, a line with similar
    names.
    """
    others = cluster.namespaces_with(resource, name)
    if others:
        where = (
            f"namespaces {', '.join(others[:_LISTED])} have"
            if len(others) > 1
            else f"namespace {others[0]} has"
        )
        return [f"{where} a {noun} {name}; a pod can use only {noun}s of its own namespace"]
    return similar_lines(name, cluster.names_in(resource, namespace), f"{noun}s in namespace {namespace}")


def similar_lines(name: str, names: Iterable[str], nouns: str) -> list[str]:
    """Returns one line: the most similar name, or the first _LISTED names.

    Without names, the line states that there are none.
    """
    known = sorted(names)
    near = nearest(name, known)
    if near:
        return [f"did you mean {near}?"]
    return [f"{nouns}: {listed(known, _LISTED)}" if known else f"there are no {nouns}"]


def _being_deleted(cluster: ClusterObjects, claim: Object) -> Reason:
    own = reference("ResourceClaim", claim)
    users = consumers_of(claim)
    text = f"{own} is being deleted"
    lines = finalizer_lines(cluster, claim)
    if users:
        lines.append(f"reserved for {', '.join(map(str, users))}")
    changes = finalizer_changes(cluster, "ResourceClaim", claim)
    again = f"then create {own} again"
    changes = [msgspec.structs.replace(one, sufficient=False, needs=again) for one in changes]
    return Reason("ClaimBeingDeleted", text, lines, own, "metadata.finalizers", blame=users, changes=changes)


_CLASS_MISSING = lazy_pattern(r"request (?P<request>\S+): device class (?P<name>\S+) does not exist")


def problem_reason(cluster: ClusterObjects, problem: str, claims: Iterable[Object]) -> Reason:
    """Returns the reason for a message of the scheduler about all nodes.

    `claims`: the claims of the pod.
    """
    match = _CLASS_MISSING.fullmatch(problem)
    if match is None:
        return Reason("CannotSchedule", problem)
    name, request = match["name"], match["request"]
    names = [obj["metadata"]["name"] for obj in cluster.of("deviceclasses")]
    owner = next((claim for claim in claims if class_path(claim, name)), None)
    claim = None if owner is None else reference("ResourceClaim", owner)
    path = "" if owner is None else class_path(owner, name)
    create = f"create the DeviceClass {name}, and publish devices that its selectors match"
    if cluster.of("resourceslices"):
        create = f"create the DeviceClass {name} with selectors that match published devices"
    changes = [Change(create, "create", [Reference("DeviceClass", name)])]
    near = nearest(name, names)
    if owner is not None and claim is not None and near:
        text = recreate_text(owner, f"{near} instead of {name} in {path}")
        changes.insert(0, Change(text, "edit", [claim], path, value=near))
    elif owner is not None and claim is not None and names:
        others = f"another class instead of {name} ({listed(sorted(names), _LISTED)}) in {path}"
        changes.append(Change(recreate_text(owner, others), "edit", [claim], path))
    return Reason(
        "ClassMissing",
        f"request {request} names class {name}, which does not exist",
        similar_lines(name, names, "device classes"),
        claim,
        path,
        claim=claim,
        request=request,
        changes=changes,
    )
