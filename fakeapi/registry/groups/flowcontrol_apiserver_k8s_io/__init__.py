"""The group flowcontrol.apiserver.k8s.io: API Priority and Fairness."""

from fakeapi.registry.groups.flowcontrol_apiserver_k8s_io.flow_schema import FLOW_SCHEMA
from fakeapi.registry.groups.flowcontrol_apiserver_k8s_io.priority_level import PRIORITY_LEVEL

KINDS = (
    FLOW_SCHEMA,
    PRIORITY_LEVEL,
)
