"""resource.k8s.io/v1alpha2, the "classic" DRA of Kubernetes 1.27 to 1.30.

Upstream no longer changes this version.

The objects of v1alpha2 differ from objects of newer versions, and no release serves both. Therefore v1alpha2
objects are not converted to newer versions.
"""

CLASSIC_VERSIONS = frozenset(("v1alpha2",))
