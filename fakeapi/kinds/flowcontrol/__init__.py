"""The group flowcontrol.apiserver.k8s.io: API Priority and Fairness."""

from fakeapi.kinds.flowcontrol.flow_schema import FLOW_SCHEMA
from fakeapi.kinds.flowcontrol.priority_level import PRIORITY_LEVEL

KINDS = (
    FLOW_SCHEMA,
    PRIORITY_LEVEL,
)
