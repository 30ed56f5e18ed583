"""Sets the conditions of a CustomResourceDefinition, such as NamesAccepted, Established and Terminating.

Follows k8s.io/apiextensions-apiserver `pkg/controller/status` (accepted names), `pkg/controller/establish`,
`pkg/controller/apiapproval`, `pkg/controller/nonstructuralschema` and `pkg/controller/finalizer`.
"""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.custom.bundles import bundle_problem
from fakeapi.registry.custom.names_in_use import NamesInUse

NAMES_ACCEPTED, ESTABLISHED, TERMINATING = "NamesAccepted", "Established", "Terminating"
CONFORMANT = "KubernetesAPIApprovalPolicyConformant"
APPROVED_ANNOTATION = "api-approved.kubernetes.io"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that keeps a deleted CRD until all its custom objects are deleted."""

_PROTECTED_SUFFIXES = (".k8s.io", ".kubernetes.io")
_PROTECTED = ("k8s.io", "kubernetes.io")
_PULL = "see https://github.com/kubernetes/enhancements/pull/1111"


class Condition(msgspec.Struct, frozen=True):
    type: str
    status: str
    reason: str
    message: str


ACCEPTED = Condition(ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted")
BAD_BUNDLE = Condition(ESTABLISHED, "False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
DELETION_PENDING = Condition(
    TERMINATING,
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)
DELETION_IN_PROGRESS = Condition(
    TERMINATING, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"
)
DELETION_COMPLETED = Condition(TERMINATING, "False", "InstanceDeletionCompleted", "removed all instances")
NEVER_ESTABLISHED = Condition(TERMINATING, "False", "NeverEstablished", "resource was never established")
OVERLAPPING = Condition(
    TERMINATING,
    "False",
    "OverlappingBuiltInResource",
    "instances overlap with built-in resources in storage",
)


def condition(definition: Object, kind: str) -> Object | None:
    """Returns the condition of the type `kind` from a CRD's status; None if the status has no such
    condition.
    """
    conditions: list[Object] = (definition.get("status") or {}).get("conditions") or []
    return next((entry for entry in conditions if entry["type"] == kind), None)


def is_true(definition: Object, kind: str) -> bool:
    """Whether a CRD's status has a condition of the type `kind` with the status True."""
    entry = condition(definition, kind)
    return entry is not None and entry["status"] == "True"


def with_condition(definition: Object, new: Condition, now: str) -> Object:
    """Returns the CRD with the condition `new` added or replaced.

    Keeps lastTransitionTime if the status of the condition stays the same.
    """
    conditions = list(definition["status"].get("conditions") or ())
    written: Object = {
        "type": new.type,
        "status": new.status,
        "lastTransitionTime": now,
        "reason": new.reason,
        "message": new.message,
    }
    for index, entry in enumerate(conditions):
        if entry["type"] == new.type:
            if entry["status"] == new.status and entry.get("lastTransitionTime"):
                written["lastTransitionTime"] = entry["lastTransitionTime"]
            conditions[index] = written
            break
    else:
        conditions.append(written)
    return {**definition, "status": {**definition["status"], "conditions": conditions}}


# names ------------------------------------------------------------------------------------------


def with_names(definition: Object, used: NamesInUse, now: str) -> Object | None:
    """Returns the CRD with its accepted names and the conditions NamesAccepted and Established.

    Returns None if nothing changes.

    `used`: the accepted names of all CRDs in the API group, including this CRD.
    """
    names, status = definition["spec"]["names"], definition["status"]
    accepted = status["acceptedNames"]
    if _normal(names) == _normal(accepted):
        return None
    new, problem = _claimed(names, accepted, used)
    names_condition = problem or Condition(NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found")
    before = condition(definition, NAMES_ACCEPTED)
    if _normal(new) == _normal(accepted) and _says(before, names_condition):
        return None
    updated = {**definition, "status": {**status, "acceptedNames": new}}
    return with_condition(
        with_condition(updated, names_condition, now), _established(definition, names_condition), now
    )


def _claimed(names: Object, accepted: Object, in_use: NamesInUse) -> tuple[Object, Condition | None]:
    """Returns the new accepted names of a CRD, and the condition NamesAccepted if a name conflicts.

    The condition is None without a conflict. If several fields conflict, the condition describes the last
    field.

    - `names`: the names in the spec.
    - `accepted`: the names that were accepted before.
    - `in_use`: the accepted names of all CRDs in the API group.
    """
    new, problem = dict(accepted), None
    for field, used, reason in (
        ("plural", in_use.resources, "PluralConflict"),
        ("singular", in_use.resources, "SingularConflict"),
        ("shortNames", in_use.resources, "ShortNamesConflict"),
        ("kind", in_use.kinds, "KindConflict"),
        ("listKind", in_use.kinds, "ListKindConflict"),
    ):
        requested, own = names.get(field), accepted.get(field)
        asked = (
            [name for name in requested or () if name not in (own or ())]
            if field == "shortNames"
            else [requested]
        )
        conflicts = [quote(name) for name in asked if name is not None and name != own and name in used]
        if conflicts:
            texts = [f"{name} is already in use" for name in dict.fromkeys(conflicts)]
            text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
            problem = Condition(NAMES_ACCEPTED, "False", reason, text)
        else:
            new[field] = requested
    new["categories"] = names.get("categories")
    return _in_order(new), problem


def _established(definition: Object, names: Condition) -> Condition:
    old = condition(definition, ESTABLISHED)
    if (old is None or old["status"] != "True") and names.status == "True":
        return Condition(ESTABLISHED, "False", "Installing", "the initial names have been accepted")
    if old is None:
        return Condition(ESTABLISHED, "False", "NotAccepted", "not all names are accepted")
    return Condition(ESTABLISHED, old["status"], old.get("reason", ""), old.get("message", ""))


def _says(before: Object | None, now: Condition) -> bool:
    return before is not None and (before["status"], before.get("reason"), before.get("message")) == (
        now.status,
        now.reason,
        now.message,
    )


_FIELDS = ("plural", "singular", "shortNames", "kind", "listKind", "categories")


def _normal(names: Object) -> tuple[Any, ...]:
    return tuple(names.get(field) or None for field in _FIELDS)


def _in_order(names: Object) -> Object:
    """Returns the names in the field order of Go; omits unset names, except plural and kind."""
    always = ("plural", "kind")
    return {field: names[field] for field in _FIELDS if names.get(field) or field in always}


def with_established(definition: Object, now: str, *, checks_bundles: bool) -> Object | None:
    """Returns the CRD with a new condition Established, at the time `now` (RFC 3339).

    Returns None if the CRD is already established, if its names are not accepted, or if the condition already
    reports the invalid caBundle.

    `checks_bundles`: whether an invalid caBundle of the conversion webhook sets the condition to False.
    """
    if not is_true(definition, NAMES_ACCEPTED) or is_true(definition, ESTABLISHED):
        return None
    webhook = (definition["spec"].get("conversion") or {}).get("webhook") or {}
    bundle = (webhook.get("clientConfig") or {}).get("caBundle") or ""
    if not checks_bundles or not bundle_problem(bundle):
        return with_condition(definition, ACCEPTED, now)
    before = condition(definition, ESTABLISHED)
    return None if _says(before, BAD_BUNDLE) else with_condition(definition, BAD_BUNDLE, now)


# the policy of Kubernetes' own groups -----------------------------------------------------------


def is_protected(group: str) -> bool:
    """Whether an API group is reserved for Kubernetes: k8s.io, kubernetes.io or a subdomain."""
    return group in _PROTECTED or group.endswith(_PROTECTED_SUFFIXES)


def approval(definition: Object) -> tuple[str, str]:
    """Returns (state, reason) of a CRD's annotation `api-approved.kubernetes.io`.

    The state is Missing, Unapproved, Approved or Invalid. The reason is the message for the condition.
    """
    text = (definition["metadata"].get("annotations") or {}).get(APPROVED_ANNOTATION, "")
    must = f"protected groups must have approval annotation {quote(APPROVED_ANNOTATION)}"
    if not text:
        return "Missing", f"{must}, {_PULL}"
    if text.startswith("unapproved"):
        return "Unapproved", f"not approved: {quote(text)}"
    if _is_url(text):
        return "Approved", f"approved in {text}"
    return "Invalid", f'{must} with either a URL or a reason starting with "unapproved", {_PULL}'


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc) and not any(
        character <= " " or character == "\x7f" for character in text
    )


def with_conformance(definition: Object, now: str) -> Object | None:
    """Returns the CRD with the condition KubernetesAPIApprovalPolicyConformant.

    Returns None if nothing changes, or if the group is not reserved for Kubernetes.
    """
    if not is_protected(definition["spec"]["group"]):
        return None
    state, reason = approval(definition)
    conformance = Condition(
        CONFORMANT, "True" if state == "Approved" else "False", f"{state}Annotation", reason
    )
    return (
        None
        if _says(condition(definition, CONFORMANT), conformance)
        else with_condition(definition, conformance, now)
    )
