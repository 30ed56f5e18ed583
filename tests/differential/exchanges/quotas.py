"""Namespaces with a ResourceQuota or a LimitRange, and stories about the objects that these limit."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.differential.exchanges.stories import Story, StoryWriter
from tests.differential.exchanges.subjects import Subject
from tests.differential.exchanges.waiting import refused_in

LIMITED = (
    "pods",
    "configmaps",
    "secrets",
    "services",
    "persistentvolumeclaims",
    "resourceclaims",
    "replicationcontrollers",
    "deployments",
)
"""The resources of the stories about quotas."""

RANGED = ("pods", "persistentvolumeclaims")
"""The resources of the stories about limit ranges."""

_PROBED = "count/leases.coordination.k8s.io"
_HARD: Mapping[str, tuple[str, ...]] = {
    "pods": ("0", "1", "2"),
    "count/pods": ("1", "5"),
    "requests.cpu": ("1", "500m", "0"),
    "limits.memory": ("1Gi", "100Mi"),
    "cpu": ("2",),
    "configmaps": ("1", "2", "3"),
    "count/configmaps": ("1", "2"),
    "secrets": ("1",),
    "services": ("1", "2"),
    "services.nodeports": ("0", "1"),
    "services.loadbalancers": ("0",),
    "persistentvolumeclaims": ("1", "2"),
    "requests.storage": ("1Gi", "5Gi"),
    "gold.storageclass.storage.k8s.io/requests.storage": ("1Gi",),
    "count/resourceclaims.resource.k8s.io": ("1", "2"),
    "gpu.example.com.deviceclass.resource.k8s.io/devices": ("1", "4"),
    "replicationcontrollers": ("1",),
    "count/deployments.apps": ("1", "2"),
}
_SCOPES = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort")


class Quota:
    """A ResourceQuota of one story, with a status as the quota controller writes it."""

    def __init__(self, random: Random, number: int) -> None:
        names = random.sample(sorted(_HARD), random.randint(1, 4))
        self._path = f"/api/v1/namespaces/q{number}/resourcequotas"
        self._leases = f"/apis/coordination.k8s.io/v1/namespaces/q{number}/leases"
        spec: dict[str, Any] = {"hard": {name: random.choice(_HARD[name]) for name in names} | {_PROBED: "0"}}
        if random.random() < 0.15:
            spec = {"hard": {"pods": random.choice("01")}, "scopes": [random.choice(_SCOPES)]}
        self._is_scoped = "scopes" in spec
        self._quota: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "quota"},
            "spec": spec,
        }

    def requests(self) -> Story:
        """Returns the requests that create the quota and wait until kube-apiserver applies it."""
        hard = self._quota["spec"]["hard"]
        status = {"hard": hard, "used": dict.fromkeys(hard, "0")}
        second = {
            **self._quota,
            "metadata": {"name": "second"},
            "spec": {"hard": {_PROBED: "0"}},
            "status": {"hard": {_PROBED: "0"}, "used": {_PROBED: "0"}},
        }
        quotas = [{**self._quota, "status": status}, *([second] if self._is_scoped else [])]
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "probe"}}
        made: Story = []
        for quota in quotas:
            path = f"{self._path}/{quota['metadata']['name']}/status"
            made.append({"method": "POST", "target": self._path, "body": quota})
            made.append({"method": "PUT", "target": path, "body": quota})
        return [*made, refused_in(self._leases, lease)]

    def shown(self) -> Story:
        """Returns the requests that show the usage."""
        return [{"method": "GET", "target": f"{self._path}/quota"}]


class Ranges:
    """A LimitRange of one story."""

    def __init__(self, random: Random, number: int) -> None:
        self._random = random
        self._path = f"/api/v1/namespaces/q{number}/limitranges"
        self._claims = f"/api/v1/namespaces/q{number}/persistentvolumeclaims"

    def requests(self) -> Story:
        """Returns the requests that create the LimitRange and wait until kube-apiserver applies it."""
        limits = [{"type": "PersistentVolumeClaim", "max": {"storage": "50Gi"}}, *self._limits()]
        body = {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": {"name": "a"},
            "spec": {"limits": limits},
        }
        claim = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "probe"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "99Gi"}}},
        }
        return [{"method": "POST", "target": self._path, "body": body}, refused_in(self._claims, claim)]

    def _limits(self) -> list[dict[str, Any]]:
        choice, made = self._random.choice, []
        for name in self._random.sample(["Container", "Pod"], choice([1, 1, 2])):
            limit: dict[str, Any] = {"type": name}
            amounts: Mapping[str, Callable[[], dict[str, str]]] = {
                "max": lambda: {"cpu": choice(["1", "2"]), "memory": "1Gi"},
                "min": lambda: {"cpu": choice(["100m", "500m"])},
                "maxLimitRequestRatio": lambda: {"cpu": choice(["1", "2"])},
            }
            if name == "Container":
                amounts = {
                    **amounts,
                    "default": lambda: {"cpu": choice(["500m", "1"]), "memory": "100Mi"},
                    "defaultRequest": lambda: {"cpu": "500m"},
                }
            for field, amount in amounts.items():
                if self._random.random() < 0.5:
                    limit[field] = amount()
            made.append(limit)
        return made


def quota_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story about a kind in a namespace with a ResourceQuota; the last request shows the usage."""
    quota = Quota(random, number)
    return [*quota.requests(), *StoryWriter(random, subject, number).write(), *quota.shown()]


def range_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story about a kind in a namespace with a LimitRange."""
    return [*Ranges(random, number).requests(), *StoryWriter(random, subject, number).write()]
