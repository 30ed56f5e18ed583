"""Contains valid objects by API group and resource, from which strategy_samples.py generates samples."""

from typing import Any

_CONDITION = {
    "type": "Ready",
    "status": "True",
    "reason": "Done",
    "message": "",
    "lastTransitionTime": "2025-01-01T00:00:00Z",
}

# resource.k8s.io

_EXACT = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
_DEVICES = {
    "requests": [{"name": "a", "exactly": _EXACT}, {"name": "b", "firstAvailable": [{"name": "b", **_EXACT}]}]
}
FLAT_DEVICES = {
    "requests": [{"name": "a", **_EXACT}, {"name": "b", "firstAvailable": [{"name": "b", **_EXACT}]}]
}
"""The field `devices` of a claim in the layout of v1beta1; _DEVICES has the newer layout."""

_SLICE = {
    "driver": "gpu.example.com",
    "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
    "nodeName": "n",
    "devices": [
        {"name": "d", "attributes": {"x": {"string": "a"}}, "capacity": {"a": {"value": "10"}}},
        {"name": "e"},
    ],
}
_RESULT = {"request": "a", "driver": "gpu.example.com", "pool": "p", "device": "d"}
_RESOURCE: dict[str, dict[str, Any]] = {
    "deviceclasses": {"spec": {"selectors": [{"cel": {"expression": "true"}}]}},
    "devicetaintrules": {
        "spec": {
            "deviceSelector": {"driver": "gpu.example.com"},
            "taint": {"key": "a", "effect": "NoSchedule"},
        },
        "status": {},
    },
    "resourceclaims": {
        "spec": {"devices": _DEVICES},
        "status": {
            "allocation": {"devices": {"results": [_RESULT]}},
            "devices": [
                {"driver": "gpu.example.com", "pool": "p", "device": "d", "conditions": [_CONDITION]}
            ],
            "reservedFor": [{"resource": "pods", "name": "a", "uid": "u"}],
        },
    },
    "resourceclaimtemplates": {"spec": {"metadata": {}, "spec": {"devices": _DEVICES}}},
    "resourcepoolstatusrequests": {
        "spec": {"driver": "gpu.example.com"},
        "status": {
            "poolCount": 1,
            "pools": [{"driver": "gpu.example.com", "poolName": "p", "generation": 1}],
            "conditions": [_CONDITION],
        },
    },
    "resourceslices": {"spec": _SLICE},
}

# other groups

_SELECTOR = {"matchLabels": {"app": "a"}}
_POD = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "main", "image": "x"}]}}
_JOB_POD = {
    "metadata": {},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]},
}
_ROLE_REF = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "a"}
_CLIENT_CONFIG = {"url": "https://example.com/x"}
_WEBHOOK = {
    "name": "a.example.com",
    "clientConfig": _CLIENT_CONFIG,
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}],
}
_REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIY01JR0RBZ0VBTUNFeEh6QWRCZ05WQkFN"
    "TUZuTjVjM1JsYlRwdWIyUmxPbTV2WkdVdE1UQVpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJB"
    "PT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=="
)
"""A PEM block of a certificate signing request; its content is invalid."""

_TARGET = {"pod": {"name": "a", "uid": "123e4567-e89b-12d3-a456-426614174000"}}
_RESPONDERS = ("b.example.com/x", "a.example.com/x", "imperative-eviction.k8s.io/evictor")
_EVICTION = {
    "spec": {"target": _TARGET},
    "status": {
        "conditions": [_CONDITION],
        "observedGeneration": 1,
        "requesters": [{"name": "example.com/x", "intent": "Eviction"}],
        "targetResponders": [
            {"name": name, "priority": priority, "state": state}
            for name, priority, state in zip(
                _RESPONDERS, (20000, 10000, 100), ("Completed", "Active", "Inactive"), strict=True
            )
        ],
        "responders": [
            {
                "name": _RESPONDERS[0],
                "startTime": "2024-12-31T23:59:00Z",
                "completionTime": "2024-12-31T23:59:50Z",
            },
            {"name": _RESPONDERS[1], "startTime": "2024-12-31T23:59:59Z"},
            {"name": _RESPONDERS[2]},
        ],
    },
}
BASES: dict[str, dict[str, dict[str, Any]]] = {
    "resource.k8s.io": _RESOURCE,
    "": {
        "configmaps": {"data": {"a": "b"}, "binaryData": {"c": "Yg=="}, "immutable": False},
        "endpoints": {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]},
        "limitranges": {
            "spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}}]}
        },
        "namespaces": {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
        "nodes": {
            "spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"], "providerID": "a"},
            "status": {"capacity": {"cpu": "1"}, "addresses": [{"type": "Hostname", "address": "a"}]},
        },
        "persistentvolumeclaims": {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "volumeMode": "Filesystem",
            },
            "status": {"phase": "Pending"},
        },
        "persistentvolumes": {
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "csi": {"driver": "d.example.com", "volumeHandle": "v"},
            },
            "status": {"phase": "Available"},
        },
        "podtemplates": {"template": _POD},
        "secrets": {"data": {"a": "Yg=="}, "type": "Opaque"},
        "serviceaccounts": {"secrets": [{"name": "a"}], "automountServiceAccountToken": True},
        "replicationcontrollers": {
            "spec": {"replicas": 1, "selector": {"app": "a"}, "template": _POD},
            "status": {},
        },
        "resourcequotas": {"spec": {"hard": {"pods": "1"}}, "status": {}},
    },
    "apps": {
        "controllerrevisions": {"data": {"a": 1}, "revision": 1},
        "daemonsets": {"spec": {"selector": _SELECTOR, "template": _POD}, "status": {}},
        "deployments": {"spec": {"selector": _SELECTOR, "template": _POD}, "status": {}},
        "replicasets": {"spec": {"selector": _SELECTOR, "template": _POD}, "status": {}},
        "statefulsets": {"spec": {"selector": _SELECTOR, "template": _POD, "serviceName": "a"}, "status": {}},
    },
    "autoscaling": {
        "horizontalpodautoscalers": {
            "spec": {
                "scaleTargetRef": {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"},
                "minReplicas": 1,
                "maxReplicas": 3,
            },
            "status": {},
        }
    },
    "batch": {
        "cronjobs": {
            "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": _JOB_POD}}},
            "status": {},
        },
        "jobs": {"spec": {"template": _JOB_POD}, "status": {}},
    },
    "certificates.k8s.io": {
        "certificatesigningrequests": {
            "spec": {"request": _REQUEST, "signerName": "example.com/a", "usages": ["client auth"]},
            "status": {},
        }
    },
    "coordination.k8s.io": {"leases": {"spec": {"holderIdentity": "a", "leaseDurationSeconds": 1}}},
    "discovery.k8s.io": {
        "endpointslices": {
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.0.0.1"]}],
            "ports": [{"port": 80}],
        }
    },
    "flowcontrol.apiserver.k8s.io": {
        "flowschemas": {
            "spec": {"priorityLevelConfiguration": {"name": "a"}, "matchingPrecedence": 1},
            "status": {},
        },
        "prioritylevelconfigurations": {
            "spec": {
                "type": "Limited",
                "limited": {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}},
            },
            "status": {},
        },
    },
    "lifecycle.k8s.io": {
        "evictionrequests": {
            "spec": {"target": _TARGET, "requester": "example.com/x", "intent": "Eviction"},
            "status": {"conditions": [_CONDITION]},
        },
        "evictions": _EVICTION,
    },
    "networking.k8s.io": {
        "ingressclasses": {"spec": {"controller": "example.com/a"}},
        "ingresses": {
            "spec": {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}},
            "status": {},
        },
        "ipaddresses": {"spec": {"parentRef": {"resource": "services", "name": "a"}}},
        "networkpolicies": {"spec": {"podSelector": {}, "ingress": [{}]}},
        "servicecidrs": {"spec": {"cidrs": ["10.0.0.0/24"]}, "status": {}},
    },
    "node.k8s.io": {"runtimeclasses": {"handler": "a"}},
    "policy": {"poddisruptionbudgets": {"spec": {"minAvailable": 1, "selector": _SELECTOR}, "status": {}}},
    "rbac.authorization.k8s.io": {
        "clusterrolebindings": {"subjects": [{"kind": "User", "name": "a"}], "roleRef": _ROLE_REF},
        "clusterroles": {"rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]},
        "rolebindings": {"subjects": [{"kind": "User", "name": "a"}], "roleRef": _ROLE_REF},
        "roles": {"rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]},
    },
    "scheduling.k8s.io": {"priorityclasses": {"value": 1}},
    "storage.k8s.io": {
        "csidrivers": {"spec": {}},
        "csinodes": {"spec": {"drivers": [{"name": "a", "nodeID": "b", "topologyKeys": ["c"]}]}},
        "csistoragecapacities": {"storageClassName": "a", "capacity": "1"},
        "storageclasses": {"provisioner": "example.com/a", "parameters": {"a": "b"}},
        "volumeattachments": {
            "spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "a"}},
            "status": {"attached": False},
        },
        "volumeattributesclasses": {"driverName": "a", "parameters": {"a": "b"}},
    },
    "admissionregistration.k8s.io": {
        "mutatingwebhookconfigurations": {"webhooks": [_WEBHOOK]},
        "validatingwebhookconfigurations": {"webhooks": [_WEBHOOK]},
    },
}
_IN_NAMESPACES = """
configmaps endpoints leases limitranges persistentvolumeclaims podtemplates secrets serviceaccounts
controllerrevisions cronjobs csistoragecapacities daemonsets deployments endpointslices evictionrequests
evictions
horizontalpodautoscalers ingresses jobs networkpolicies poddisruptionbudgets replicasets
replicationcontrollers resourceclaims resourceclaimtemplates resourcequotas rolebindings roles statefulsets
"""
NAMESPACED = frozenset(_IN_NAMESPACES.split())
NAMES = {"ipaddresses": "10.0.0.1"}
"""Object names by resource. Objects of other resources have the name `a`."""
