"""Explains objects of any cluster, through its API."""

import time

from fakeapi.clients.remote import ReadOnlyClient
from fakeapi.clients.target import Target
from fakeapi.explaining.cluster_objects import NAMESPACED
from fakeapi.explaining.explain import explain, target_of
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.remote_objects import AGENT, read_objects
from fakeapi.registry.offloading.heavy_steps import HeavySteps


async def explain_remote(
    target: Target, resource: str, namespace: str, name: str, feature_gates: str = ""
) -> Explanation:
    """Explains an object of a cluster with GET requests, by the rules of the cluster's release.

    - `target`: the server of the cluster.
    - `resource`: the plural of the resource, such as "pods".
    - `feature_gates`: the gates of the cluster that differ from the defaults of its release.

    Raises StatusError if the server refuses a needed request, TargetError if the server does not answer or
    has too many objects, and UnknownGateError or GateError for invalid gates.
    """
    namespace = namespace if resource in NAMESPACED else ""
    api = ReadOnlyClient(target, AGENT)
    try:
        cluster = await read_objects(api, target_of(resource, namespace, name), time.time(), feature_gates)
    finally:
        await api.close()
    return await explain(cluster, resource, namespace, name, HeavySteps())
