"""resource.k8s.io/v1alpha2, "classic" DRA, as Kubernetes 1.27 to 1.30 have it. It no longer changes.

Its objects are not those of newer versions, which a release never serves beside it, so they have a hub of
their own.
"""

CLASSIC_VERSIONS = frozenset(("v1alpha2",))
