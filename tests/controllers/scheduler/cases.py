"""Plays generated clusters with ResourceClaims and pods on fakeapi's scheduler.

fixtures/allocator contains the clusters and the results of Kubernetes' own schedulers.
"""

import copy
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.scheduler.controller import SchedulerController
from fakeapi.controllers.scheduler.cycle import Outcome

Object = dict[str, Any]

RECORDINGS = Path("fixtures/allocator")
GATES = {
    "1.31": (),
    "1.33": ("DRAAdminAccess", "DRAPrioritizedList", "DRADeviceTaints", "DRAPartitionableDevices"),
    "1.36": (
        "DRADeviceTaintRules",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAResourcePoolStatus",
        "DRAWorkloadResourceClaims",
        "GenericWorkload",
    ),
}
"""The feature gates of generated cases with `gates: all`, by release."""
MERGE = "application/merge-patch+json"
ROUNDS, SECONDS = 2, 1.5
"""The number of clock advances after each pod, and the seconds of one advance.

The scheduler retries meanwhile. The tool that recorded the results also waited for retries.
"""


@dataclass(frozen=True)
class Recorded:
    """A generated case and the recorded outcome of Kubernetes' scheduler.

    - `is_unique`: whether the scheduler had only one choice
    - `agrees_on_nodes`: whether the feasible nodes were the same each time the case was recorded
    """

    case: Object
    outcome: Object
    is_unique: bool
    agrees_on_nodes: bool

    @property
    def name(self) -> str:
        return f"{self.case['id']}-{self.case['theme']}"


def recorded_cases() -> Iterator[Recorded]:
    for path in sorted(RECORDINGS.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            yield Recorded(
                row["case"],
                row["outcome"],
                row["unique"],
                row["sameFeasible"],
            )


@dataclass(frozen=True)
class Stage:
    """A running server of a release, with its adjustable clock."""

    api: FakeAPI
    clock: AdjustableClock


@cache
def stage(release: str, gates: str) -> Stage:
    """Starts a server of a release; all cases with the same release and gates share the server.

    `gates`: "all" enables the optional feature gates of the release.
    """
    chosen = dict.fromkeys(GATES[release], True) if gates == "all" else {}
    clock = AdjustableClock(frozen_at=1_800_000_000)
    api = FakeAPI(
        release=release,
        feature_gates={"DynamicResourceAllocation": True, **chosen},
        controllers="resourceclaim,scheduler",
        clock=SeededClockAndNames(1, clock),
    )
    return Stage(api.start(), clock)


def stop_stages() -> None:
    """Stops the servers that `stage` has started for the recorded cases."""
    for release in GATES:
        for gates in ("default", "all"):
            stage(release, gates).api.stop()
    stage.cache_clear()


def play(case: Object) -> Object:
    """Resets the server, runs a generated scheduling case on it, and returns the outcome.

    The outcome has the format of the recorded kube-scheduler outcomes.
    """
    own_stage = stage(case["release"], case["gates"])
    own_stage.api.reset()
    decisions: dict[str, Mapping[str, int]] = {}
    bind = SchedulerController._bind

    async def bind_and_record(scheduler: SchedulerController, pod: Object, outcome: Outcome) -> None:
        decisions[key_of(pod)] = outcome.feasible
        await bind(scheduler, pod, outcome)

    with patch.object(SchedulerController, "_bind", bind_and_record):
        return _Play(own_stage, case, decisions).run()


class _Play:
    def __init__(self, found: Stage, case: Object, decisions: Mapping[str, Mapping[str, int]]) -> None:
        """Prepares a case. `decisions`: the feasible nodes with their scores, by the key of a bound pod."""
        self.stage, self.api, self.case, self.decisions = found, found.api, case, decisions
        self.namespace = case["id"]
        self.group = f"/apis/{case['apiVersion']}"
        self.own = f"{self.group}/namespaces/{self.namespace}"
        self.pods = f"/api/v1/namespaces/{self.namespace}/pods"

    def run(self) -> Object:
        self.set_up()
        awaited = {}
        for pod in self.case["pods"]:
            if not _is_holder(pod):
                self.api.request("POST", self.pods, pod)
                self.api.settle()
                for _ in range(ROUNDS):
                    self.stage.clock.advance(SECONDS)
                    self.api.settle()
                awaited[pod["metadata"]["name"]] = self.api.request(
                    "GET", f"{self.pods}/{pod['metadata']['name']}"
                )
        return self.outcome(awaited)

    def set_up(self) -> None:
        api, case = self.api, self.case
        namespace = {"metadata": {"name": self.namespace, "labels": case["namespaceLabels"]}}
        api.request("POST", "/api/v1/namespaces", namespace)
        for node in case["nodes"]:
            api.request("POST", "/api/v1/nodes", node)
            taints = {"spec": {"taints": node["spec"].get("taints")}}
            api.request("PATCH", f"/api/v1/nodes/{node['metadata']['name']}", taints, content_type=MERGE)
        for key, resource in (("deviceClasses", "deviceclasses"), ("resourceSlices", "resourceslices")):
            for obj in case[key]:
                api.request("POST", f"{self.group}/{resource}", obj)
        for obj in case["deviceTaintRules"]:
            api.request("POST", f"/apis/{obj['apiVersion']}/devicetaintrules", obj)
        for obj in case["resourceClaimTemplates"]:
            api.request("POST", f"{self.own}/resourceclaimtemplates", obj)
        for obj in case["resourceClaims"]:
            body = {**obj, "status": {}, "metadata": {"name": obj["metadata"]["name"]}}
            api.request("POST", f"{self.own}/resourceclaims", body)
        uids = {
            pod["metadata"]["name"]: api.request("POST", self.pods, pod)["metadata"]["uid"]
            for pod in case["pods"]
            if _is_holder(pod)
        }
        for obj in case["resourceClaims"]:
            if "status" in obj:
                self.set_status(obj, uids)
        api.settle()

    def set_status(self, claim: Object, uids: dict[str, str]) -> None:
        path, status = (
            f"{self.own}/resourceclaims/{claim['metadata']['name']}",
            copy.deepcopy(claim["status"]),
        )
        for user in status.get("reservedFor", ()):
            user["uid"] = user["uid"] or uids[user["name"]]
        self.api.request("PATCH", f"{path}/status", {"status": status}, content_type=MERGE)
        finalizers = {"metadata": {"finalizers": claim["metadata"].get("finalizers")}}
        self.api.request("PATCH", path, finalizers, content_type=MERGE)

    def outcome(self, awaited: Object) -> Object:
        pods = self.api.request("GET", self.pods)["items"]
        claims = self.api.request("GET", f"{self.own}/resourceclaims")["items"]
        events = self.api.request("GET", f"/api/v1/namespaces/{self.namespace}/events")["items"]
        names = {obj["metadata"]["name"]: short for obj in claims if (short := _short_name(obj))}
        return {
            "pods": {
                pod["metadata"]["name"]: self.of_pod(pod, awaited.get(pod["metadata"]["name"], pod), names)
                for pod in pods
            },
            "claims": {
                names.get(claim["metadata"]["name"], claim["metadata"]["name"]): _of_claim(claim)
                for claim in claims
            },
            "events": sorted({_of_event(event, names) for event in events}),
        }

    def of_pod(self, pod: Object, awaited: Object, names: dict[str, str]) -> Object:
        name, node = pod["metadata"]["name"], pod["spec"].get("nodeName")
        decision, early = _decision(pod, names), _decision(awaited, names)
        if (not node and early != decision) or (node and not early["node"]):
            decision["awaited"] = early
        claims = [
            each["spec"].get("nodeName") for each in self.case["pods"] if each["metadata"]["name"] == name
        ]
        if node and claims == [None]:
            scores = self.decisions.get(f"{self.namespace}/{name}") or {node: 0}
            best = max(scores.values())
            decision["feasible"] = sorted(scores)
            decision["best"] = sorted(each for each, score in scores.items() if score == best)
        status = pod["status"].get("extendedResourceClaimStatus")
        if status:
            claim = names.get(status["resourceClaimName"], status["resourceClaimName"])
            decision["extendedResourceClaimStatus"] = {**status, "resourceClaimName": claim}
        return decision


def _is_holder(pod: Object) -> bool:
    return bool(pod["metadata"]["name"].startswith("holder-"))


def _short_name(claim: Object) -> str:
    """Returns POD/NAME for a ResourceClaim that was created for a pod, "" for other claims.

    NAME is the claim's name in the pod's spec, or `extended` for a claim of extended resources.
    """
    metadata = claim["metadata"]
    owners = metadata.get("ownerReferences")
    if not owners:
        return ""
    of_pod = metadata.get("annotations", {}).get("resource.kubernetes.io/pod-claim-name", "extended")
    return f"{owners[0]['name']}/{of_pod}"


def _decision(pod: Object, names: dict[str, str]) -> Object:
    conditions = [each for each in pod["status"].get("conditions", ()) if each["type"] == "PodScheduled"]
    condition = None
    if conditions:
        condition = {
            key: conditions[0][key] for key in ("status", "reason", "message") if key in conditions[0]
        }
        if "message" in condition:
            condition["message"] = _plain(condition["message"], names)
    return {"node": pod["spec"].get("nodeName"), "condition": condition}


def _plain(text: str, names: dict[str, str]) -> str:
    for name, short in names.items():
        text = text.replace(name, short)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    return re.sub(r"0x?c[0-9a-f]{8,}", "0x0", text)


def _of_claim(claim: Object) -> Object:
    status = claim.get("status", {})
    users = sorted(each["name"] for each in status.get("reservedFor", ()))
    allocation = status.get("allocation")
    outcome = {
        "allocation": allocation,
        "reservedFor": users if len(users) <= 8 else [f"{len(users)} others"],
    }
    if allocation:
        allocation.pop("allocationTimestamp", None)
        shares: dict[str, str] = {}
        for result in allocation.get("devices", {}).get("results", ()):
            if "shareID" in result:
                result["shareID"] = shares.setdefault(result["shareID"], f"share-{len(shares)}")
    if _short_name(claim).endswith("/extended"):
        outcome["spec"] = claim["spec"]
    return outcome


def _of_event(event: Object, names: dict[str, str]) -> str:
    involved = event["involvedObject"]
    return f"{involved['kind']}/{names.get(involved['name'], involved['name'])} {event['reason']}"
