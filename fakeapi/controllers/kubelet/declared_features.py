"""Declared features: the features that a kubelet reports in `status.declaredFeatures` of its Node.

Follows k8s.io/component-helpers `nodedeclaredfeatures/features`, since 1.35.
"""

from fakeapi.releases.gates import Gates

GATE = "NodeDeclaredFeatures"


def declared_features(gates: Gates, known: tuple[str, ...], always: tuple[str, ...] = ()) -> list[str]:
    """Returns the names of the features that a kubelet declares, sorted.

    Returns an empty list if the release has no such features, or if the gate NodeDeclaredFeatures is off.

    - `known`: features that are declared if the gate of the same name is on.
    - `always`: features that are declared independently of a gate of their own.
    """
    if not gates.enabled(GATE):
        return []
    return sorted([*always, *(name for name in known if gates.enabled(name))])
