"""resource.k8s.io/v1alpha2, "classic" DRA, of Kubernetes 1.27 to 1.30; upstream no longer changes it.

Its objects differ from objects of newer versions, and no release serves both. Therefore v1alpha2 has its own
hub.
"""

CLASSIC_VERSIONS = frozenset(("v1alpha2",))
