"""Plays a recorded cluster on kube-apiserver, while kube-scheduler places its pods."""

import copy
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tests.differential.explanations.comparing import Decision
from tests.differential.explanations.scheduler import Scheduler
from tests.differential.rbac.servers import Server, connection_to

Object = dict[str, Any]

MERGE = "application/merge-patch+json"
DECISION_SECONDS = 20.0
"""Maximum seconds to wait for the first decision about a pod."""

AGAIN_SECONDS = 3.0
"""Seconds to wait for another decision, if the newest decision differs."""

INFORMERS_SECONDS = 0.3
"""Seconds between the objects of a cluster and its pods, in which the scheduler's informers receive them."""

OF_CLAIM = "resource.k8s.io/pod-claim-name"
_ATTEMPT = re.compile(r'"Attempting to schedule pod" pod="([^"]+)"')
_SCORE = re.compile(r'"Calculated node\'s final score for pod" pod="([^"]+)" node="([^"]+)"')


class Refused(Exception):
    """Raised if the server refuses an object of a recorded cluster. The message is the server's."""


@dataclass(frozen=True)
class Kubernetes:
    """A running kube-apiserver with a kube-scheduler, whose log names the feasible nodes of each attempt."""

    server: Server
    token: str
    scheduler: Scheduler

    def decisions(self, path: str, name: str, version: str) -> Iterator[Callable[[float], Object | None]]:
        """Yields one function, which waits for the next version of a pod with a decision of the scheduler.

        The function takes the maximum seconds to wait. It returns None after this time.
        """
        with closing(connection_to(self.server.url, DECISION_SECONDS)) as watch:
            query = f"watch=1&resourceVersion={version}&fieldSelector=metadata.name%3D{name}"
            watch.request("GET", f"{path}?{query}", headers={"Authorization": f"Bearer {self.token}"})
            with watch.getresponse() as events:

                def next_pod(seconds: float) -> Object | None:
                    end = time.monotonic() + seconds
                    while (left := end - time.monotonic()) > 0:
                        assert watch.sock is not None
                        watch.sock.settimeout(left)
                        try:
                            line = events.readline()
                        except TimeoutError:
                            return None
                        if not line:
                            return None
                        pod: Object = json.loads(line)["object"]
                        if _is_decided(pod):
                            return pod
                    return None

                yield next_pod

    def decision(self, pod: Object, mark: int) -> Decision:
        """Returns the decision of the scheduler about a pod. `mark`: the size of the log before the pod."""
        node = pod["spec"].get("nodeName", "")
        if not node:
            return Decision(message=_condition(pod).get("message", ""))
        key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        return Decision(node, frozenset(self._scored(key, mark)) or frozenset((node,)))

    def _scored(self, key: str, mark: int) -> set[str]:
        """Returns the nodes of the last attempt for a pod. Only an attempt with several feasible nodes logs
        their scores.
        """
        names: set[str] = set()
        with self.scheduler.log.open("rb") as file:
            file.seek(mark)
            for line in file.read().decode(errors="replace").splitlines():
                if (attempt := _ATTEMPT.search(line)) and attempt[1] == key:
                    names = set()
                elif (score := _SCORE.search(line)) and score[1] == key:
                    names.add(score[2])
        return names


def nodes_with_unclear_pools(slices: Iterable[Object]) -> set[str]:
    """Returns the nodes with a pool whose ResourceSlices have different values of resourceSliceCount."""
    counts: dict[tuple[str, str], set[int]] = {}
    for spec in (each["spec"] for each in slices):
        pool = (spec.get("nodeName", ""), f"{spec['driver']}/{spec['pool']['name']}")
        counts.setdefault(pool, set()).add(spec["pool"]["resourceSliceCount"])
    return {node for (node, _), several in counts.items() if node and len(several) > 1}


class Cluster:
    """A recorded cluster on a running Kubernetes: creates the objects and the pods, and deletes them."""

    def __init__(self, kubernetes: Kubernetes, case: Object) -> None:
        self._server = kubernetes.server
        self.case = case
        self.namespace: str = case["id"]
        self._group = f"/apis/{case['apiVersion']}"
        self._own = f"{self._group}/namespaces/{self.namespace}"
        self.pods = f"/api/v1/namespaces/{self.namespace}/pods"

    @property
    def nodes(self) -> list[str]:
        return [node["metadata"]["name"] for node in self.case["nodes"]]

    def _lists(self) -> Iterator[tuple[str, Object]]:
        """Yields the path of the list and the object, for all objects except nodes, claims and pods."""
        for obj in self.case["deviceClasses"]:
            yield f"{self._group}/deviceclasses", obj
        for obj in self.case["resourceSlices"]:
            yield f"{self._group}/resourceslices", obj
        for obj in self.case["deviceTaintRules"]:
            yield f"/apis/{obj['apiVersion']}/devicetaintrules", obj
        for obj in self.case["resourceClaimTemplates"]:
            yield f"{self._own}/resourceclaimtemplates", obj

    def _create(self, path: str, obj: Object) -> Object:
        answer = self._server.admin("POST", path, obj)
        if answer.code >= 300:
            raise Refused(answer.message)
        created: Object = answer.body
        return created

    def create(self) -> None:
        """Creates all objects except the pods that the scheduler must place. Raises Refused."""
        labels = {"metadata": {"name": self.namespace, "labels": self.case["namespaceLabels"]}}
        answer = self._server.admin("POST", "/api/v1/namespaces", labels)
        if answer.code not in {201, 409}:
            raise Refused(answer.message)
        for node in self.case["nodes"]:
            self._create("/api/v1/nodes", node)
        for path, obj in self._lists():
            self._create(path, obj)
        for claim in self.case["resourceClaims"]:
            body = {**claim, "status": {}, "metadata": {"name": claim["metadata"]["name"]}}
            self._create(f"{self._own}/resourceclaims", body)
        held = {
            pod["metadata"]["name"]: self._create(self.pods, pod)["metadata"]["uid"]
            for pod in self.case["pods"]
            if is_holder(pod)
        }
        for claim in self.case["resourceClaims"]:
            if "status" in claim:
                self._set_status(claim, held)
        time.sleep(INFORMERS_SECONDS)

    def _set_status(self, claim: Object, held: dict[str, str]) -> None:
        path = f"{self._own}/resourceclaims/{claim['metadata']['name']}"
        status = copy.deepcopy(claim["status"])
        for user in status.get("reservedFor", ()):
            user["uid"] = user["uid"] or held[user["name"]]
        finalizers = {"metadata": {"finalizers": claim["metadata"].get("finalizers")}}
        for at, patch in ((f"{path}/status", {"status": status}), (path, finalizers)):
            answer = self._server.admin("PATCH", at, patch, MERGE)
            if answer.code >= 300:
                raise Refused(answer.message)

    def create_pod(self, pod: Object) -> Object:
        """Creates a pod, and its claims from templates like the resourceclaim controller. Raises Refused."""
        created = self._create(self.pods, pod)
        statuses = [self._claim_of(created, own) for own in pod["spec"].get("resourceClaims", ())]
        statuses = [status for status in statuses if status]
        if statuses:
            path = f"{self.pods}/{created['metadata']['name']}/status"
            self._server.must("PATCH", path, {"status": {"resourceClaimStatuses": statuses}}, MERGE)
        return created

    def _claim_of(self, pod: Object, pod_claim: Object) -> Object:
        """Creates the claim of a template; returns the entry of the pod's status, {} without a template."""
        wanted = pod_claim.get("resourceClaimTemplateName")
        templates = [
            each for each in self.case["resourceClaimTemplates"] if each["metadata"]["name"] == wanted
        ]
        if not templates:
            return {}
        owner = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": pod["metadata"]["name"],
            "uid": pod["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        metadata = {
            **templates[0]["spec"].get("metadata", {}),
            "generateName": f"{pod['metadata']['name']}-{pod_claim['name']}-",
            "ownerReferences": [owner],
        }
        metadata["annotations"] = {**metadata.get("annotations", {}), OF_CLAIM: pod_claim["name"]}
        claim = {
            "apiVersion": self.case["apiVersion"],
            "kind": "ResourceClaim",
            "metadata": metadata,
            "spec": templates[0]["spec"]["spec"],
        }
        created = self._create(f"{self._own}/resourceclaims", claim)
        return {"name": pod_claim["name"], "resourceClaimName": created["metadata"]["name"]}

    def run_pod(self, name: str) -> None:
        """Makes a pod Running. Explanations of pods that still start name no nodes."""
        self._server.must("PATCH", f"{self.pods}/{name}/status", {"status": {"phase": "Running"}}, MERGE)

    def delete(self) -> None:
        """Deletes all objects of the cluster except its namespace."""
        server = self._server
        server.admin("DELETE", f"{self.pods}?gracePeriodSeconds=0")
        claims = f"{self._own}/resourceclaims"
        for claim in server.admin("GET", claims).body.get("items", ()):
            path = f"{claims}/{claim['metadata']['name']}"
            server.admin("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
            server.admin("DELETE", path)
        for path, obj in self._lists():
            server.admin("DELETE", f"{path}/{obj['metadata']['name']}")
        for name in self.nodes:
            server.admin("DELETE", f"/api/v1/nodes/{name}")


def is_holder(pod: Object) -> bool:
    """Whether a pod has a node from the start, and only holds claims."""
    return bool(pod["metadata"]["name"].startswith("holder-"))


def _condition(pod: Object) -> Object:
    conditions: list[Object] = pod["status"].get("conditions") or []
    return next((each for each in conditions if each["type"] == "PodScheduled"), {})


def _is_decided(pod: Object) -> bool:
    return bool(pod["spec"].get("nodeName")) or _condition(pod).get("status") == "False"
