"""The group apps: Deployments, ReplicaSets, StatefulSets, DaemonSets and ControllerRevisions."""

from fakeapi.kinds.apps.controllerrevision import CONTROLLER_REVISION
from fakeapi.kinds.apps.daemonset import DAEMON_SET
from fakeapi.kinds.apps.deployment import DEPLOYMENT
from fakeapi.kinds.apps.replicaset import REPLICA_SET
from fakeapi.kinds.apps.statefulset import STATEFUL_SET

KINDS = (
    CONTROLLER_REVISION,
    DAEMON_SET,
    DEPLOYMENT,
    REPLICA_SET,
    STATEFUL_SET,
)
