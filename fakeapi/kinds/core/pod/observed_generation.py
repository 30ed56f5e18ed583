"""Keeps observedGeneration in a pod's status if a client that does not know this field writes the status.

Follows preserveOldObservedGeneration of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
"""

from collections import defaultdict, deque

from fakeapi.machinery.json_types import Object

FIELD = "observedGeneration"


def keep_observed_generations(new: Object, old: Object) -> Object:
    """Returns the status `new` with missing observedGeneration values copied from `old`.

    Covers the status and its conditions. Matches several conditions of the same type in order.
    """
    status = dict(new)
    if not new.get(FIELD) and old.get(FIELD):
        status[FIELD] = old[FIELD]
    before: defaultdict[str, deque[int]] = defaultdict(deque)
    for condition in old.get("conditions") or ():
        before[condition.get("type", "")].append(condition.get(FIELD) or 0)
    conditions = []
    for condition in new.get("conditions") or ():
        known = before[condition.get("type", "")]
        generation = known.popleft() if known else 0
        if generation and not condition.get(FIELD):
            kind = {"type": condition["type"]} if "type" in condition else {}
            conditions.append({**kind, FIELD: generation, **condition} | {FIELD: generation})
        else:
            conditions.append(condition)
    return {**status, "conditions": conditions} if conditions else status
