"""The core group, API version `v1`.

A server imports the kinds one by one, because every server needs namespaces and few servers need all kinds.
"""

KINDS = {
    "bindings": "binding.BINDING",
    "componentstatuses": "component_status.COMPONENT_STATUS",
    "configmaps": "config_map.CONFIG_MAP",
    "endpoints": "endpoints.ENDPOINTS",
    "events": "event.EVENT",
    "limitranges": "limit_range.LIMIT_RANGE",
    "namespaces": "namespace.definition.NAMESPACE",
    "nodes": "node.definition.NODE",
    "persistentvolumeclaims": "persistent_volume_claim.definition.PERSISTENT_VOLUME_CLAIM",
    "persistentvolumes": "persistent_volume.definition.PERSISTENT_VOLUME",
    "pods": "pod.definition.POD",
    "podtemplates": "pod_template.POD_TEMPLATE",
    "replicationcontrollers": "replicationcontroller.REPLICATION_CONTROLLER",
    "resourcequotas": "resource_quota.RESOURCE_QUOTA",
    "secrets": "secret.SECRET",
    "serviceaccounts": "service_account.definition.SERVICE_ACCOUNT",
    "services": "service.definition.SERVICE",
}
"""Maps each resource to the module and the name of its KindDefinition."""
