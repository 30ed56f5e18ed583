"""Lists the e2e specs that need a feature which fakeapi lacks, such as a program that runs in a container.

These specs run only with `--all`, because most of them wait five minutes for a container that never responds.
If a pattern in this module is wrong and the spec passes, the spec counts as passed.
"""

import re

from tests.kubernetes_e2e.areas import DRA, area_of, short

COMMAND = "a command that runs in a container"
OUTPUT = "the output of a container"
EXIT = "containers that exit by themselves"
PROBE = "containers that are probed, stopped or restarted"
NETWORK = "a network between pods"
VOLUME = "volumes that are mounted"
WEBHOOK = "a webhook or API server that runs in a pod"
NODE = "a node's machine, or the kubelet's own API"
PROVISIONER = "a storage system that provisions volumes"
PLUGIN = "a device plugin that runs in a pod"
IMAGE = "an image that cannot be pulled"
OFF = "a feature that the release has off by default"
RESTART = "components that are restarted or upgraded"

_OFF_BY_DEFAULT = re.compile(r"OffByDefault|\[Alpha\]")
"""Matches e2e specs of features that are off by default. Features of ResourceClaims are always enabled."""

RULES: dict[str, tuple[tuple[str, str], ...]] = {
    DRA: (
        (r".*DRANodeAllocatableResources", COMMAND),
        (r".*\bmetadata\b", VOLUME),
        (r".*when pods? (?:is done|is restarting|complete|fail)", EXIT),
        (r".*device plugin|.*supports extended resources together", PLUGIN),
    ),
    "api-machinery": (
        (
            r"AdmissionWebhook|CustomResourceConversionWebhook|Aggregator|CustomResourceFieldSelectors",
            WEBHOOK,
        ),
        (r"OpenAPIV3 should contain OpenAPI V3 for Aggregated|.*sample-apiserver|.*\bwebhook", WEBHOOK),
        (r"Etcd failure|.*control plane node", RESTART),
    ),
    "apps": (
        (r"DaemonRestart|.*\[Feature:StatefulUpgrade\]", RESTART),
        (r"Deployment should not disrupt a cloud load-balancer|StatefulSet Deploy clustered", NETWORK),
        (r"(?:ReplicaSet|ReplicationController) should serve a basic image", NETWORK),
        (r"CronJob should (?:delete|remove from active|not emit)|TTLAfterFinished", EXIT),
        (r"Job with successPolicy", EXIT),
        (r"Job should (?:run a job to completion|fail to exceed|execute all indexes|mark indexes)", EXIT),
        (r"Job should (?:terminate job|record the failure|recreate pods only|manage the lifecycle)", EXIT),
        (r"Job should (?:create pods (?:for an Indexed|with completion)|allow to use|not create pods)", EXIT),
        (r"Job should allow updating pod resources for a suspended job", EXIT),
        (r"Deployment .*proportional scaling|Daemon set .*rollback without", IMAGE),
        (r"Job containers restarted by", PROBE),
        (r"DisruptionController .*unready pods", PROBE),
        (r"StatefulSet .*(?:unhealthy|predecessor fails|rolling updates and roll backs|canary)", PROBE),
    ),
    "auth": (
        (r".*FeatureGate:ClusterTrustBundleProjection", VOLUME),
        (r".*\[Feature:BoundServiceAccountTokenVolume\]", RESTART),
        (r".*(?:InClusterConfig|mount|OIDC discovery|ownership and permission)", OUTPUT),
        (r"ValidatingAdmissionPolicy can restrict access by-node", COMMAND),
        (r"NodeAuthenticator", NODE),
        (r".*(?:Projected PodCertificate|ClusterTrustBundleProjection)", VOLUME),
    ),
    "node": (
        (r"Events should be sent by kubelets", OUTPUT),
        (r"Pods Extended .*observedGeneration field set", IMAGE),
        (r"(?:ConfigMap|Secrets) should be consumable|Containers |Downward API|Variable Expansion", OUTPUT),
        (r"\[Feature:Example\]|Kubelet when", OUTPUT),
        (r"Security Context|Sysctls|AppArmor|PrivilegedPod|Kubelet with pods|User Namespaces", COMMAND),
        (r"KubeletManagedEtcHosts|Ephemeral Containers|Mount propagation|ImageCredential", COMMAND),
        (r".*(?:over websockets|environment variables for services)", COMMAND),
        (r".*(?:InPlace|Resize)|Pod Level Resources", COMMAND),
        (r".*ContainerRestartRules|Lifecycle [Ss]leep", PROBE),
        (r"FileKeyRef|Override hostname of Pod .* will have", OUTPUT),
        (r"Override hostname of Pod .* DNS subdomain", OUTPUT),
        (r"Kubelet (?:regular|experimental|running)|ContainerTerminationMetrics", NODE),
        (r"ImageVolume", VOLUME),
        (r".*Probing|Container Lifecycle Hook|Container Runtime|PreStop|.*StopSignal", PROBE),
        (r"InitContainer|.*Restartable Init|.*PodLifecycleSleep|.*back-off|.*restart", PROBE),
        (r"Pods Extended (?:Pod Container|Delete Grace|Pod TerminationGrace)", PROBE),
        (r"kubelet |crictl|SSH|NodeProblem|Kubelet \[Serial\]|.*GPU|specific log stream", NODE),
        (r".*(?:KubeletFineGrainedAuthz|RuntimeHandler|DevicePlugin|kubelet API|Swap|NodeLogQuery)", NODE),
        (r"Pod garbage collector", NODE),
    ),
    "scheduling": ((r".*GPU", NODE),),
    "storage": (
        (r".*(?:Testpattern|Volume type)", VOLUME),
        (r"CSI Mock|(?:\[Serial\] )?Volume metrics|MutableCSINode|Retroactive", PROVISIONER),
        (r"Dynamic Provisioning|Mounted volume", PROVISIONER),
        (r"CSI Volumes|CSIInlineVolumes should run|.*NonGracefulNodeShutdown|Multi-AZ", PROVISIONER),
        (r".*(?:volume limits|\[Driver|[Dd]etach)", PROVISIONER),
        (r".*[Ff]lexvolume|.*NFS|HostPath|GenericPersistentVolume|Subpath|Volumes|Pod Disks", VOLUME),
        (r"PersistentVolumes(?:-local|-expansion| Default)|StaticPods", VOLUME),
        (r"(?:ConfigMap|Secrets) (?!should be immutable)", VOLUME),
        (r"Projected|Downward API|EmptyDir volumes|Ephemeralstorage", VOLUME),
    ),
}
"""The missing features that e2e specs need: pairs (pattern, feature), by area.

A pattern must match the start of the spec's name without its SIG. The first matching pattern counts.
"""

_COMPILED = {area: [(re.compile(pattern), what) for pattern, what in rules] for area, rules in RULES.items()}


def need_of(spec: str) -> str | None:
    """Returns the missing feature that an e2e spec needs, or None if the spec can run on fakeapi."""
    area = area_of(spec)
    if area != DRA and _OFF_BY_DEFAULT.search(spec):
        return OFF
    return next((need for pattern, need in _COMPILED.get(area, ()) if pattern.match(short(spec))), None)
