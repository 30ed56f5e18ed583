"""Explains problems of a pod's claims that concern all nodes: missing claims, classes and templates."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod, claim_source, is_for_pod
from fakeapi.explaining.finalizers import finalizer_lines
from fakeapi.explaining.model import Change, Reason, Reference
from fakeapi.explaining.world import World, consumers_of, reference
from fakeapi.machinery.json_types import Object

_LISTED = 6


def claim_reasons(world: World, pod: Object) -> list[Reason]:
    """Returns the reasons why claims of a pod are not ready: missing, not created, or being deleted."""
    reasons = []
    for index, pod_claim in enumerate(pod["spec"].get("resourceClaims") or ()):
        reason = _claim_reason(world, pod, pod_claim)
        if reason is not None:
            reason.object = reason.object or reference("Pod", pod)
            reason.path = reason.path or f"spec.resourceClaims[{index}]"
            reasons.append(reason)
    return reasons


def _claim_reason(world: World, pod: Object, pod_claim: Object) -> Reason | None:
    namespace = pod["metadata"]["namespace"]
    template = claim_source(pod_claim).get("resourceClaimTemplateName") or ""
    try:
        name = claim_of_pod(pod, pod_claim, by_pod=world.view.order_in_1_27)
    except ClaimNameUnknown:
        return _not_created(world, namespace, template)
    if name is None:
        return None
    claim = world.get("resourceclaims", namespace, name)
    if claim is None:
        return _missing(world, namespace, name, template)
    if "deletionTimestamp" in claim["metadata"]:
        return _being_deleted(claim)
    if template and not is_for_pod(pod, claim):
        text = f"claim {namespace}/{name} exists, but belongs to another owner than the pod"
        change = Change(f"delete claim {namespace}/{name}", "delete", [reference("ResourceClaim", claim)])
        return Reason("ClaimOfOtherOwner", text, blame=[reference("ResourceClaim", claim)], changes=[change])
    return None


def _not_created(world: World, namespace: str, template: str) -> Reason:
    if world.get("resourceclaimtemplates", namespace, template) is None:
        text = f"template {namespace}/{template} does not exist, so no claim is created for the pod"
        found = _elsewhere(world, "resourceclaimtemplates", namespace, template, "template")
        target = Reference("ResourceClaimTemplate", template, namespace)
        change = Change(f"create template {namespace}/{template}", "create", [target])
        return Reason("TemplateMissing", text, found, changes=[change])
    errors = [event for event in world.events if event.get("reason") == "FailedResourceClaimCreation"]
    if errors:
        return Reason(
            "ClaimCreationFailed", f"no claim from template {template}: {errors[-1].get('message')}"
        )
    text = f"no claim has been created from template {namespace}/{template} yet"
    if world.controllers is not None and "resourceclaim" not in world.controllers:
        text = f"no claim is created from template {template}: the controller resourceclaim does not run"
        change = Change("start the server with the controller resourceclaim", "create")
        return Reason("ControllerNotRunning", text, changes=[change])
    return Reason("ClaimNotCreated", text, changes=[Change("wait for the resourceclaim controller", "wait")])


def _missing(world: World, namespace: str, name: str, template: str) -> Reason:
    text = f"claim {namespace}/{name} does not exist"
    target = Reference("ResourceClaim", name, namespace)
    if template:
        text = f"{text} any more; it was created from template {template}, and pods keep the name"
        return Reason("ClaimDeleted", text, changes=[Change("delete the pod and create it again", "delete")])
    change = Change(f"create claim {namespace}/{name}", "create", [target])
    found = _elsewhere(world, "resourceclaims", namespace, name, "claim")
    others = [
        one["metadata"]["namespace"] for one in world.of("resourceclaims") if one["metadata"]["name"] == name
    ]
    if world.get("resourceclaimtemplates", namespace, name) is not None:
        found.insert(0, f"template {namespace}/{name} exists: use resourceClaimTemplateName for it")
        text = f"{text}, but a template of this name does"
    elif others:
        text = f"{text}; namespace {others[0]} has a claim of this name"
    return Reason("ClaimMissing", text, found, changes=[change])


def _elsewhere(world: World, resource: str, namespace: str, name: str, noun: str) -> list[str]:
    """Says where an object of this name exists, or which names are similar."""
    others = [obj["metadata"]["namespace"] for obj in world.of(resource) if obj["metadata"]["name"] == name]
    if others:
        where = ", ".join(others[:_LISTED])
        return [f"{noun} {name} exists in other namespaces: {where}; a pod can use only its own namespace"]
    own = [obj["metadata"]["name"] for obj in world.of(resource) if obj["metadata"]["namespace"] == namespace]
    return similar_lines(name, own, f"{noun}s in namespace {namespace}")


def similar_lines(name: str, names: Iterable[str], nouns: str) -> list[str]:
    """Returns one line with the most similar name, or with all names; [] without names."""
    known = sorted(names)
    close = get_close_matches(name, known, 1)
    if close:
        return [f"did you mean {close[0]}?"]
    listed = ", ".join(known[:_LISTED])
    return [f"{nouns}: {listed}" if known else f"there are no {nouns}"]


def _being_deleted(claim: Object) -> Reason:
    own = reference("ResourceClaim", claim)
    users = consumers_of(claim)
    text = f"{own} is being deleted"
    lines = finalizer_lines(claim)
    if users:
        lines.append(f"reserved for {', '.join(map(str, users))}")
    return Reason("ClaimBeingDeleted", text, lines, own, "metadata.finalizers", blame=users)


_CLASS_MISSING = re.compile(r"request (?P<request>\S+): device class (?P<name>\S+) does not exist")


def problem_reason(world: World, problem: str, claims: Iterable[Object]) -> Reason:
    """Returns the reason for a problem that concerns all nodes, from the scheduler's message."""
    match = _CLASS_MISSING.fullmatch(problem)
    if match is None:
        return Reason("CannotSchedule", problem)
    name, request = match["name"], match["request"]
    names = [obj["metadata"]["name"] for obj in world.of("deviceclasses")]
    owner = next((claim for claim in claims if _names_class(claim, name)), None)
    claim = None if owner is None else reference("ResourceClaim", owner)
    return Reason(
        "ClassMissing",
        f"request {request} names class {name}, which does not exist",
        similar_lines(name, names, "device classes"),
        claim,
        _class_path(owner, name) if owner is not None else "",
        claim=claim,
        request=request,
        changes=[
            Change(f"create the DeviceClass {name}", "create", [Reference("DeviceClass", name)]),
        ],
    )


def _names_class(claim: Object, name: str) -> bool:
    return bool(_class_path(claim, name))


def _class_path(claim: Object, name: str) -> str:
    for number, request in enumerate((claim["spec"].get("devices") or {}).get("requests") or ()):
        place = f"spec.devices.requests[{number}]"
        if (request.get("exactly") or {}).get("deviceClassName") == name:
            return f"{place}.exactly.deviceClassName"
        for index, choice in enumerate(request.get("firstAvailable") or ()):
            if choice["deviceClassName"] == name:
                return f"{place}.firstAvailable[{index}].deviceClassName"
    return ""
