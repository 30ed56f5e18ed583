"""Observed generations in the status of a pod, which a writer that does not know them keeps.

Follows preserveOldObservedGeneration of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
"""

from collections import defaultdict, deque

from fakeapi.machinery.json_types import Object

FIELD = "observedGeneration"


def keep_observed_generations(new: Object, old: Object) -> Object:
    """`new` with the observed generations of `old` where it has none: its own, and those of its conditions.

    Conditions of the same type are matched in their order.
    """
    found = dict(new)
    if not new.get(FIELD) and old.get(FIELD):
        found[FIELD] = old[FIELD]
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
    return {**found, "conditions": conditions} if conditions else found
