"""Reads the revisions, annotations and replicas of ReplicaSets, and computes how they grow and shrink.

Follows k8s.io/kubernetes `pkg/controller/deployment/util`.
"""

from collections.abc import Iterable
from math import floor

from fakeapi.controllers.deployment.surge import is_rolling, max_surge, replicas_of
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.json_types import Object

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"
_NOT_COPIED = frozenset(
    (
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        HISTORY,
        DESIRED,
        MOST,
        "deprecated.deployment.rollback.to",
    )
)
HISTORY_CHARACTERS_MAX = 2000
"""Maximum length in characters of the annotation with earlier revisions.

Longer texts lose the oldest revisions.
"""
UNLIMITED = 2**31 - 1
"""Value of progressDeadlineSeconds and revisionHistoryLimit for "no limit"."""


def annotations_of(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}


def total(replica_sets: Iterable[Object]) -> int:
    """Returns the sum of `spec.replicas` of ReplicaSets."""
    return sum(map(replicas_of, replica_sets))


def counted(replica_sets: Iterable[Object], field: str) -> int:
    """Returns the sum of a number in the statuses of ReplicaSets, such as readyReplicas."""
    return sum((each.get("status") or {}).get(field) or 0 for each in replica_sets)


def by_age(replica_sets: Iterable[Object]) -> list[Object]:
    """Returns ReplicaSets sorted by age, the oldest first."""
    return sorted(replica_sets, key=_age)


def by_size(replica_sets: Iterable[Object], *, newest_first: bool) -> list[Object]:
    """Returns ReplicaSets sorted by replicas, the largest first. Sorts ReplicaSets of equal size by age."""
    in_order = sorted(replica_sets, key=_age, reverse=newest_first)
    return sorted(in_order, key=replicas_of, reverse=True)


def by_revision(replica_sets: Iterable[Object]) -> list[Object]:
    """Returns ReplicaSets sorted by revision, the smallest first."""
    return sorted(by_age(replica_sets), key=revision)


def _age(obj: Object) -> tuple[str, str]:
    return obj["metadata"]["creationTimestamp"], obj["metadata"]["name"]


def has_same_template(deployment: Object, replica_set: Object) -> bool:
    """Whether a ReplicaSet has the pod template of a Deployment, apart from the label pod-template-hash."""
    return _without_hash(deployment["spec"]["template"]) == _without_hash(replica_set["spec"]["template"])


def _without_hash(template: Object) -> Object:
    metadata = dict(template.get("metadata") or {})
    labels = {key: value for key, value in (metadata.pop("labels", None) or {}).items() if key != HASH}
    return {"metadata": metadata, "labels": labels, "spec": template["spec"]}


def split(deployment: Object, replica_sets: Iterable[Object]) -> tuple[Object | None, list[Object]]:
    """Returns the ReplicaSet with the Deployment's current pod template, and all other ReplicaSets.

    Returns the oldest match, or None if no ReplicaSet has this template.
    """
    in_order = by_age(replica_sets)
    new = next((each for each in in_order if has_same_template(deployment, each)), None)
    return new, [each for each in in_order if each is not new]


def revision(obj: Object) -> int:
    """Returns the revision of a ReplicaSet; 0 if its annotation is missing or invalid."""
    try:
        return parse_int(annotations_of(obj).get(REVISION, "0"))
    except ValueError:
        return 0


def new_replicas(deployment: Object, replica_sets: Iterable[Object], new: Object) -> int:
    """Returns the number of replicas that the newest ReplicaSet may have now."""
    replicas = replicas_of(deployment)
    if not is_rolling(deployment):
        return replicas
    most = replicas + max_surge(deployment)
    current = total(replica_sets)
    if current >= most:
        return replicas_of(new)
    return replicas_of(new) + min(most - current, replicas - replicas_of(new))


def is_saturated(deployment: Object, new: Object | None) -> bool:
    """Whether the newest ReplicaSet has all replicas of its Deployment, and all of them are available."""
    if new is None:
        return False
    replicas = replicas_of(deployment)
    available = (new.get("status") or {}).get("availableReplicas", 0)
    return replicas_of(new) == replicas == available and desired_replicas(new) == replicas


def active_or_latest(new: Object | None, old: list[Object]) -> Object | None:
    """Returns the only ReplicaSet with replicas.

    Returns the latest ReplicaSet if no ReplicaSet has replicas, and None if several ReplicaSets have replicas
    or no ReplicaSet exists.
    """
    everything = [*old, *([] if new is None else [new])]
    active = [each for each in everything if replicas_of(each) > 0]
    if not everything or len(active) > 1:
        return None
    if active:
        return active[0]
    return new if new is not None else by_age(old)[-1]


def desired_replicas(replica_set: Object) -> int | None:
    """Returns the Deployment's replicas at the last scaling of the ReplicaSet; None without this
    annotation.
    """
    return _annotated_number(replica_set, DESIRED)


def _annotated_number(replica_set: Object, name: str) -> int | None:
    text = annotations_of(replica_set).get(name, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) <= UNLIMITED else None


def scaled_annotations(deployment: Object) -> dict[str, str]:
    """Returns the annotations for a scaled ReplicaSet: the Deployment's replicas, and the maximum with
    maxSurge.
    """
    replicas = replicas_of(deployment)
    return {DESIRED: str(replicas), MOST: str(replicas + max_surge(deployment))}


def new_annotations(deployment: Object, replica_set: Object, number: int, *, exists: bool) -> dict[str, str]:
    """Returns the annotations of the newest ReplicaSet.

    - `number`: the new revision, one more than the highest revision of the other ReplicaSets.
    - `exists`: whether the ReplicaSet is already stored.
    """
    old = annotations_of(replica_set)
    copied = {key: value for key, value in annotations_of(deployment).items() if key not in _NOT_COPIED}
    annotations = {**old, **copied}
    known = old.get(REVISION)
    if revision(replica_set) < number:
        annotations[REVISION] = str(number)
        if known is not None:
            annotations[HISTORY] = _history(old.get(HISTORY, ""), known)
    return annotations if exists else {**annotations, **scaled_annotations(deployment)}


def _history(history: str, known: str) -> str:
    """Appends a revision to a list of earlier revisions.

    Drops the oldest revisions if the text becomes too long.
    """
    revisions = [*filter(None, history.split(",")), known]
    while len(revisions) > 1 and len(",".join(revisions)) > HISTORY_CHARACTERS_MAX:
        del revisions[0]
    return ",".join(revisions)


def proportion(deployment: Object, replica_set: Object, to_add: int, added: int) -> int:
    """Returns the replicas to add to a ReplicaSet if its Deployment is scaled during a rollout.

    `to_add`: the replicas to add to all ReplicaSets; negative to remove replicas. `added`: the replicas
    already added to other ReplicaSets.
    """
    if not replicas_of(replica_set) or not to_add or to_add == added:
        return 0
    fraction, allowed = _fraction(deployment, replica_set), to_add - added
    return min(fraction, allowed) if to_add > 0 else max(fraction, allowed)


def _fraction(deployment: Object, replica_set: Object) -> int:
    size, replicas = replicas_of(replica_set), replicas_of(deployment)
    if not replicas:
        return -size
    before = _annotated_number(replica_set, MOST) or (deployment.get("status") or {}).get("replicas") or 0
    if not before:
        return 0
    exact = size * (replicas + max_surge(deployment)) / before
    return floor(exact + 0.5) - size
