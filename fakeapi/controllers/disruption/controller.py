"""DisruptionController: writes the status of PodDisruptionBudgets, and so limits evictions.

Follows k8s.io/kubernetes `pkg/controller/disruption`, with one difference. If several budgets select a pod,
this controller updates all these budgets. Kubernetes updates only one budget.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.disruption.expected import Expected, ExpectedPods, ExpectedPodsUnknown
from fakeapi.controllers.disruption.status import (
    count_healthy,
    disrupted_pods,
    failed_status,
    status_of,
)
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.observed_generation import condition_observed
from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.counts import scaled
from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.controllers.workloads.pods import condition, has_ended, is_deleted, seconds_of
from fakeapi.kinds.common.int_or_percent import percent_of
from fakeapi.kinds.common.printing.selectors import selector_string
from fakeapi.kinds.core.pod.conditions import DISRUPTION_TARGET
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

STALE_SECONDS = 120.0
"""Age in seconds at which the condition DisruptionTarget of an undeleted pod becomes False."""

_BY_KUBELET = "TerminationByKubelet"
_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. "
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined "
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer '
    "value."
)


@dataclass(frozen=True, slots=True)
class StaleKey:
    """Key for checking whether a pod's condition DisruptionTarget is stale. `pod`: the key of the pod."""

    pod: str


@dataclass(frozen=True, slots=True)
class SeveralKey:
    """Key for reporting that several PodDisruptionBudgets select a pod. `pod`: the key of the pod."""

    pod: str


class DisruptionController(WorkloadController):
    name = "disruption"
    group: ClassVar[str] = "policy"
    plural: ClassVar[str] = "poddisruptionbudgets"
    agent: ClassVar[str] = "disruption-controller"
    component: ClassVar[str] = "controllermanager"

    async def start(self) -> None:
        await super().start()
        self._expected = ExpectedPods(self.context, self.api)
        self._pods: Informer = self.context.informer(self.context.served("", "pods"))
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old
        assert pod is not None, "a change has an old or a new object"
        budgets = self._budgets_of(pod)
        for budget in budgets:
            self.context.add(key_of(budget))
        left = None if new is None else self._stale_in(new)
        if left is not None:
            self.context.add_after(StaleKey(key_of(pod)), left)
        if new is not None and len(budgets) > 1:
            self.context.add(SeveralKey(key_of(pod)))

    def _budgets_of(self, pod: Object) -> list[Object]:
        namespace, labels = pod["metadata"]["namespace"], labels_of(pod)
        return [
            budget
            for budget in self.owners.objects.values()
            if budget["metadata"]["namespace"] == namespace and self.selector(budget).matches(labels)
        ]

    def _stale_in(self, pod: Object) -> float | None:
        """Returns the seconds until a pod's condition DisruptionTarget becomes stale; None if the condition
        cannot become stale.
        """
        target = condition(pod, DISRUPTION_TARGET)
        if target is None or target["status"] != "True" or is_deleted(pod) or has_ended(pod):
            return None
        if target.get("reason") == _BY_KUBELET:
            return None
        since = seconds_of(target.get("lastTransitionTime"))
        return max(since + STALE_SECONDS - self.context.clock.now(), 0.0)

    async def reconcile(self, key: Any) -> None:
        if not isinstance(key, StaleKey | SeveralKey):
            await super().reconcile(key)
            return
        pod = self._pods.objects.get(key.pod)
        if pod is None:
            return
        if isinstance(key, StaleKey):
            await self._clear_stale(pod)
        else:
            await self._report_several(pod)

    async def _report_several(self, pod: Object) -> None:
        budgets = self._budgets_of(pod)
        if len(budgets) > 1:
            metadata, chosen = pod["metadata"], budgets[0]["metadata"]["name"]
            message = (
                f"Pod {quote(metadata['namespace'])}/{quote(metadata['name'])} matches multiple "
                f"PodDisruptionBudgets.  Chose {quote(chosen)} arbitrarily."
            )
            await self.events.record(pod, "Warning", "MultiplePodDisruptionBudgets", message)

    async def _clear_stale(self, pod: Object) -> None:
        """Sets a stale condition DisruptionTarget to False, because the pod was not deleted."""
        left = self._stale_in(pod)
        if left is None:
            return
        if left > 0:
            self.context.add_after(StaleKey(key_of(pod)), left)
            return
        cleared = {
            "type": DISRUPTION_TARGET,
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": self.context.now(),
        }
        cleared = condition_observed(self.context.rules.gates, pod, cleared)
        conditions = [
            cleared if each["type"] == DISRUPTION_TARGET else each for each in pod["status"]["conditions"]
        ]
        status = {**pod["status"], "conditions": conditions}
        await self.api.update(self._pods.resource.path_of(pod, "status"), {**pod, "status": status})

    async def sync(self, owner: Object) -> None:
        """Writes the status of a PodDisruptionBudget.

        If the numbers of pods are unknown, allows no disruption.
        """
        pods = self._pods_of(owner)
        if not pods:
            await self.events.record(owner, "Normal", "NoPods", "No matching pods found")
        try:
            expected, desired = await self._wanted(owner, pods)
        except ExpectedPodsUnknown as problem:
            text = f"Failed to calculate the number of expected pods: {problem}"
            await self.events.record(owner, "Warning", "CalculateExpectedPodCountFailed", text)
            await self._write(owner, failed_status(owner, str(problem), self.context.now()))
            return
        if expected.unmanaged:
            text = _UNMANAGED.format(selector=selector_string(owner["spec"].get("selector")))
            await self.events.record(owner, "Warning", "UnmanagedPods", text)
        await self._sync_numbers(owner, pods, expected.count, desired)

    async def _sync_numbers(self, owner: Object, pods: list[Object], expected: int, desired: int) -> None:
        now = self.context.clock.now()
        disrupted = disrupted_pods(owner, pods, now)
        namespace = owner["metadata"]["namespace"]
        for pod in disrupted.late:  # upstream names the namespace twice
            text = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
            await self.events.record(pod, "Warning", "NotDeleted", text)
        status = status_of(
            owner,
            healthy=count_healthy(pods, disrupted, now),
            desired=desired,
            expected=expected,
            disrupted=disrupted.pods,
            now=self.context.now(),
        )
        if status is not None:
            await self._write(owner, status)
        if disrupted.recheck is not None:
            self.context.add_after(key_of(owner), disrupted.recheck + 1)

    def _pods_of(self, budget: Object) -> list[Object]:
        namespace, selector = budget["metadata"]["namespace"], self.selector(budget)
        return [
            pod
            for pod in self._pods.objects.values()
            if pod["metadata"]["namespace"] == namespace and selector.matches(labels_of(pod))
        ]

    async def _wanted(self, budget: Object, pods: list[Object]) -> tuple[Expected, int]:
        """Returns the expected pods of a PodDisruptionBudget, and how many of them must be healthy.

        Raises ExpectedPodsUnknown if the owners of the pods do not define a number of replicas.
        """
        least, most = budget["spec"].get("minAvailable"), budget["spec"].get("maxUnavailable")
        if most is not None:
            expected = await self._expected.of(pods)
            return expected, max(expected.count - scaled(most, expected.count, up=True), 0)
        if least is None:
            return Expected(0, []), 0
        if percent_of(least) is None:
            return Expected(len(pods), []), scaled(least, len(pods), up=True)
        expected = await self._expected.of(pods)
        return expected, scaled(least, expected.count, up=True)

    async def _write(self, budget: Object, status: Object) -> None:
        try:
            await self.api.update(self.resource.path_of(budget, "status"), {**budget, "status": status})
        except StatusError as problem:
            if not problem.is_not_found:
                raise
