"""The objects that the server creates in a new cluster, except the initial namespaces.

To start faster, the server creates an object only at the first request for its resource. `MAKERS` names the
module that builds the objects of each resource.
"""

MAKERS = {
    ("", "configmaps"): f"{__name__}.token_tracking",
    ("", "endpoints"): f"{__name__}.kubernetes_service",
    ("", "services"): f"{__name__}.kubernetes_service",
    ("apiregistration.k8s.io", "apiservices"): f"{__name__}.api_services",
    ("discovery.k8s.io", "endpointslices"): f"{__name__}.kubernetes_service",
    ("flowcontrol.apiserver.k8s.io", "flowschemas"): f"{__name__}.flow_control",
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"): f"{__name__}.flow_control",
    ("networking.k8s.io", "ipaddresses"): f"{__name__}.kubernetes_service",
    ("networking.k8s.io", "servicecidrs"): f"{__name__}.kubernetes_service",
    ("rbac.authorization.k8s.io", "clusterrolebindings"): f"{__name__}.rbac",
    ("rbac.authorization.k8s.io", "clusterroles"): f"{__name__}.rbac",
    ("rbac.authorization.k8s.io", "rolebindings"): f"{__name__}.rbac",
    ("rbac.authorization.k8s.io", "roles"): f"{__name__}.rbac",
    ("scheduling.k8s.io", "priorityclasses"): f"{__name__}.priority_classes",
}
"""The module that builds the bootstrap objects of a resource, by (group, resource).

In each module, the function `objects` yields these objects.
"""
