"""The group apps: workloads that keep pods running, and the revisions of their templates."""

from fakeapi.registry.groups.apps.controllerrevision import CONTROLLER_REVISION
from fakeapi.registry.groups.apps.daemonset import DAEMON_SET
from fakeapi.registry.groups.apps.deployment import DEPLOYMENT
from fakeapi.registry.groups.apps.replicaset import REPLICA_SET
from fakeapi.registry.groups.apps.statefulset import STATEFUL_SET

KINDS = (
    CONTROLLER_REVISION,
    DAEMON_SET,
    DEPLOYMENT,
    REPLICA_SET,
    STATEFUL_SET,
)
