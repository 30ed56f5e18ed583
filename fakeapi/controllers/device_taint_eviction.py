"""DeviceTaintEvictionController: evicts pods whose devices have NoExecute taints.

Keeps a pod if its claims tolerate all these taints.

Follows k8s.io/kubernetes `pkg/controller/devicetainteviction`, since 1.33.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.allocation.model import Slice
from fakeapi.controllers.allocation.taints import tolerates
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.device_taint_status import Counts, condition_of
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.pod_claims import (
    ClaimNameUnknown,
    claim_of_pod,
    claim_source,
    is_for_pod,
    reserved_for,
)
from fakeapi.controllers.scheduler.device_matcher import device_matcher
from fakeapi.controllers.scheduler.device_taint_rules import applies_to, applies_to_names
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object

NAME = "device-taint-eviction-controller"
NO_EXECUTE = "NoExecute"
REASON = "DeviceTaintManagerEviction"
RULE_STATUS_SECONDS = 10.0
"""Shortest time, in seconds, between two updates of a DeviceTaintRule's status."""

POD, RULE = "pod", "rule"


class DeviceTaintEvictionController(Controller):
    name = "devicetainteviction"

    async def start(self) -> None:
        context = self.context
        if not context.rules.gates.get("DRADeviceTaints", False):
            return
        self._api = context.api("kube-controller-manager", NAME)
        self._events = EventRecorder(context, self._api, NAME)
        self._view = DeviceView(context)
        self._matcher = device_matcher(context.rules)
        self._pods: Informer = context.informer(context.served("", "pods"))
        self._marked: set[str] = set()
        self._evicts: bool | None = None
        self._evicted: dict[str, int] = {}
        self._rules = context.resource("resource.k8s.io", "devicetaintrules")
        self._rules_have_status = context.has_field("resource.k8s.io", "devicetaintrules", "status")
        self._pods.on_change(self._pod_changed)
        self._view.on_change(self._devices_changed, "resourceslices", "deviceclasses", "devicetaintrules")
        self._view.on_change(self._claim_changed, "resourceclaims")
        if self._rules is not None and self._rules_have_status:
            context.informer(self._rules).on_change(self._rule_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        if new is None:
            self._marked.discard((old or {})["metadata"]["uid"])
        elif new["spec"].get("resourceClaims") and new["spec"].get("nodeName"):
            self.context.add((POD, new["metadata"]["namespace"], new["metadata"]["name"]))

    def _claim_changed(self, old: Object | None, new: Object | None) -> None:
        claim = new or old or {}
        for user in claim["status"].get("reservedFor") or ():
            pod = self._pods.get(claim["metadata"]["namespace"], user["name"])
            if pod is not None:
                self._pod_changed(None, pod)

    def _devices_changed(self, old: Object | None, new: Object | None) -> None:
        self._evicts = None
        for pod in self._pods.objects.values():
            self._pod_changed(None, pod)

    def _rule_changed(self, old: Object | None, new: Object | None) -> None:
        if new is None:
            self._evicted.pop((old or {})["metadata"]["uid"], None)
        elif old is None or old["spec"] != new["spec"]:
            self.context.add((RULE, "", new["metadata"]["name"]))

    async def reconcile(self, key: Any) -> None:
        kind, namespace, name = key
        if kind == RULE:
            await self._report(name)
            return
        pod = self._pods.get(namespace, name)
        if pod is None or "deletionTimestamp" in pod["metadata"]:
            return
        eviction = self._eviction(pod)
        uid = pod["metadata"]["uid"]
        if eviction is None:
            if uid in self._marked:
                self._marked.discard(uid)
                await self._events.record(pod, "Normal", REASON, "Cancelling deletion")
            return
        when, rules = eviction
        self._marked.add(uid)
        if self._rules_have_status:
            for rule in rules:
                self.context.add_after((RULE, "", rule["metadata"]["name"]), RULE_STATUS_SECONDS)
        left = when - self.context.clock.now()
        if left > 0:
            self.context.add_after(key, left)
            return
        await self._evict(pod)
        self._marked.discard(uid)
        for rule in rules:
            self._evicted[rule["metadata"]["uid"]] = self._evicted.get(rule["metadata"]["uid"], 0) + 1

    async def _evict(self, pod: Object) -> None:
        await self._events.record(pod, "Normal", REASON, "Marking for deletion")
        condition: Object = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByDeviceTaintManager",
            "message": "Device Taint manager: deleting due to NoExecute taint",
            "lastTransitionTime": self.context.now(),
        }
        uid = pod["metadata"]["uid"]
        patch = {"metadata": {"uid": uid}, "status": {"conditions": [condition]}}
        try:
            await self._api.patch(self._pods.resource.path_of(pod, "status"), patch, "strategic")
            await self._api.delete(self._pods.resource.path_of(pod), uid=uid)
        except StatusError as problem:
            if not (problem.is_not_found or problem.is_conflict):
                raise

    # when to evict a pod --------------------------------------------------------------------------

    def _eviction(self, pod: Object) -> tuple[float, list[Object]] | None:
        """Returns when to delete a pod (seconds since the epoch), and the DeviceTaintRules that cause it.

        Returns None if the pod stays.
        """
        if not self._any_taint():
            return None
        reasons = [reason for claim in self._claims_of(pod) for reason in self._reasons(claim)]
        if not reasons:
            return None
        rules = {rule["metadata"]["uid"]: rule for _, rule in reasons if rule is not None}
        return min(when for when, _ in reasons), list(rules.values())

    def _any_taint(self) -> bool:
        """Whether any ResourceSlice or DeviceTaintRule has a NoExecute taint.

        The result is cached until ResourceSlices, DeviceClasses or DeviceTaintRules change.
        """
        if self._evicts is None:
            taints = [rule["spec"]["taint"] for rule in self._view.objects("devicetaintrules")]
            for resource_slice in self._view.slices():
                for device in resource_slice.spec.get("devices") or ():
                    taints += device.get("taints") or ()
            self._evicts = any(taint.get("effect") == NO_EXECUTE for taint in taints)
        return self._evicts

    def _claims_of(self, pod: Object) -> Iterator[Object]:
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            try:
                name = claim_of_pod(pod, pod_claim)
            except ClaimNameUnknown:
                continue
            claim = self._view.claim(pod["metadata"]["namespace"], name) if name else None
            if claim is None or "allocation" not in claim["status"]:
                continue
            if claim_source(pod_claim).get("resourceClaimTemplateName") and not is_for_pod(pod, claim):
                continue
            if reserved_for(pod, claim):
                yield claim

    def _reasons(self, claim: Object) -> Iterator[tuple[float, Object | None]]:
        """Yields (eviction time, DeviceTaintRule) for each NoExecute taint on a device of a claim.

        The eviction time is in seconds since the epoch. The DeviceTaintRule is None if the taint is in a
        ResourceSlice. Skips taints that the claim tolerates without a time limit.
        """
        for result in (claim["status"]["allocation"].get("devices") or {}).get("results") or ():
            for taint, rule in self._taints(result):
                when = self._time_of(taint)
                tolerating = [
                    toleration
                    for toleration in result.get("tolerations") or ()
                    if toleration.get("effect") == NO_EXECUTE and tolerates(toleration, taint)
                ]
                if any("tolerationSeconds" not in toleration for toleration in tolerating):
                    continue
                seconds = [max(int(toleration["tolerationSeconds"]), 0) for toleration in tolerating]
                yield when + min(seconds, default=0), rule

    def _time_of(self, taint: Object) -> float:
        added = taint.get("timeAdded")
        return seconds_of(added) if added else self.context.clock.now()

    def _taints(self, result: Object) -> Iterator[tuple[Object, Object | None]]:
        """Yields each NoExecute taint of an allocated device, with its DeviceTaintRule.

        The rule is None for a taint in the ResourceSlice. `result`: the allocation result of the device.
        """
        place = self._find(result)
        for taint in (place[1].get("taints") or ()) if place is not None else ():
            if taint.get("effect") == NO_EXECUTE:
                yield taint, None
        for rule in self._view.objects("devicetaintrules"):
            if rule["spec"]["taint"].get("effect") == NO_EXECUTE and self._applies(rule, result, place):
                yield rule["spec"]["taint"], rule

    def _applies(self, rule: Object, result: Object, place: tuple[Slice, Object] | None) -> bool:
        if place is not None:
            return applies_to(rule["spec"], place[0], place[1], self._view.classes(), self._matcher)
        return applies_to_names(rule["spec"], result["driver"], result["pool"], result["device"])

    def _find(self, result: Object) -> tuple[Slice, Object] | None:
        """Returns the slice and the device of an allocation result, in the newest generation of the pool.

        Returns None if this generation lacks the device.
        """
        pool = [
            resource_slice
            for resource_slice in self._view.slices()
            if resource_slice.pool_id == (result["driver"], result["pool"])
        ]
        newest = max((resource_slice.generation for resource_slice in pool), default=0)
        for resource_slice in pool:
            for device in resource_slice.spec.get("devices") or ():
                if resource_slice.generation == newest and device["name"] == result["device"]:
                    return resource_slice, device
        return None

    # status of DeviceTaintRules -------------------------------------------------------------------

    async def _report(self, name: str) -> None:
        """Updates the condition EvictionInProgress in the status of the DeviceTaintRule `name`."""
        rule = next(
            (candidate for candidate in self._view.objects("devicetaintrules") if _is_named(candidate, name)),
            None,
        )
        if rule is None or self._rules is None:
            return
        known = condition_of(rule)
        now = self.context.clock.now()
        generation = rule["metadata"].get("generation", 0)
        if known is not None and known.get("observedGeneration") == generation:
            since = now - seconds_of(known["lastTransitionTime"])
            if since < RULE_STATUS_SECONDS:
                self.context.add_after((RULE, "", name), RULE_STATUS_SECONDS - since)
                return
        condition = {**self._counts(rule).condition(rule), "observedGeneration": generation}
        if known is not None and all(known.get(key) == value for key, value in condition.items()):
            return
        condition["lastTransitionTime"] = self.context.now()
        metadata = {"name": name, "uid": rule["metadata"]["uid"]}
        kind = {"kind": self._rules.kind, "apiVersion": self._rules.api_version}
        body = {**kind, "metadata": metadata, "status": {"conditions": [condition]}}
        path = self._rules.path(name=name, subresource="status")
        await self._api.patch(path, body, "apply", fieldManager=NAME, force="true")

    def _counts(self, rule: Object) -> Counts:
        """Counts the devices selected by a DeviceTaintRule, and the pods with these devices.

        Counts only pods that the taint would evict with the effect NoExecute.
        """
        spec = rule["spec"]
        allocated, pods = 0, []
        for claim in self._view.objects("resourceclaims"):
            allocation = claim["status"].get("allocation") or {}
            for result in (allocation.get("devices") or {}).get("results") or ():
                names = result["driver"], result["pool"], result["device"]
                allocated += applies_to_names(spec, *names)
        for pod in self._pods.objects.values():
            if "deletionTimestamp" in pod["metadata"] or not pod["spec"].get("nodeName"):
                continue
            if any(self._is_affected(claim, spec) for claim in self._claims_of(pod)):
                pods.append(pod["metadata"]["namespace"])
        published = sum(
            applies_to_names(spec, *resource_slice.pool_id, device["name"])
            for resource_slice in self._view.slices()
            for device in resource_slice.spec.get("devices") or ()
        )
        evicted = self._evicted.get(rule["metadata"]["uid"], 0)
        return Counts(published, allocated, len(pods), len(set(pods)), evicted)

    def _is_affected(self, claim: Object, spec: Object) -> bool:
        taint = {**spec["taint"], "effect": NO_EXECUTE}
        return any(
            applies_to_names(spec, result["driver"], result["pool"], result["device"])
            and not any(
                toleration.get("effect") == NO_EXECUTE
                and tolerates(toleration, taint)
                and "tolerationSeconds" not in toleration
                for toleration in result.get("tolerations") or ()
            )
            for result in (claim["status"]["allocation"].get("devices") or {}).get("results") or ()
        )


def _is_named(obj: Object, name: str) -> bool:
    return bool(obj["metadata"]["name"] == name)
