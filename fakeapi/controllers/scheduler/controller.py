"""SchedulerController: schedules one pod after the other. Binds each pod, or reports why no node fits.

Follows k8s.io/kubernetes `pkg/scheduler`, with one worker.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.rules import AllocationRules, allocation_rules
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.event_series import EventSeriesRecorder, truncated_note
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.observed_generation import condition_observed
from fakeapi.controllers.scheduler.binding_conditions import (
    TIMEOUT_SECONDS,
    BindingFailure,
    have_conditions,
)
from fakeapi.controllers.scheduler.binding_waits import BindingWaits, Wait
from fakeapi.controllers.scheduler.claim_binding import DEALLOCATED, Binder
from fakeapi.controllers.scheduler.claim_plugin import ClaimPlugin
from fakeapi.controllers.scheduler.classic_binding import ClassicBinder
from fakeapi.controllers.scheduler.classic_drivers import ClassicDrivers, Waiting
from fakeapi.controllers.scheduler.classic_resources import ClassicResources
from fakeapi.controllers.scheduler.cycle import Outcome, attempt
from fakeapi.controllers.scheduler.device_matcher import device_matcher
from fakeapi.controllers.scheduler.dynamic_resources import NAME, DynamicResources
from fakeapi.controllers.scheduler.gang_cycle import GangOutcome, attempt_gang
from fakeapi.controllers.scheduler.gang_preemption import GangPreemption, preempt_for_gang
from fakeapi.controllers.scheduler.gangs import Gangs
from fakeapi.controllers.scheduler.node_answers import KnownAnswers
from fakeapi.controllers.scheduler.node_state import NodeState, NodeStates, with_pods
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView, NotReady
from fakeapi.controllers.scheduler.preemption import best_candidate
from fakeapi.controllers.scheduler.preemptor import Preemptor
from fakeapi.controllers.scheduler.queue import (
    BACKOFF_SECONDS_MAX,
    BACKOFF_SECONDS_MIN,
    NEXT,
    SCHEDULER_NAME,
    SchedulingQueue,
    is_waiting,
    lost_nomination,
    was_changed,
)
from fakeapi.controllers.scheduler.scheduling_contexts import GROUP, PLURAL, SchedulingContexts
from fakeapi.controllers.scheduler.status import PluginError
from fakeapi.controllers.scheduler.victims import Victims
from fakeapi.controllers.workloads.pods import condition, has_ended, priority_of
from fakeapi.machinery.json_types import Object

BINDING = "binding"
"""In the work queue, the first element of the key of a pod that waits for binding conditions."""


class SchedulerController(Controller):
    name = "scheduler"

    async def start(self) -> None:
        context = self.context
        self._api = context.api("kube-scheduler", "scheduler")
        self._events = EventSeriesRecorder(context, self._api, SCHEDULER_NAME)
        self._failures: dict[str, int] = {}
        self._nominations: set[str] = set()
        self._quirks = context.rules.quirks
        self._view = DeviceView(context)
        rules = context.rules
        primary = context.cluster.catalogue.primary
        allocation = self._allocation = allocation_rules(primary.minor, rules.gates)
        self._plugin = self._claim_plugin(allocation)
        binder = ClassicBinder if self._view.is_classic else Binder
        self._binder = binder(context, self._api, self._view, allocation)
        self._pods: Informer = context.informer(context.served("", "pods"))
        self._nodes: Informer = context.informer(context.served("", "nodes"))
        self._namespaces: Informer = context.informer(context.served("", "namespaces"))
        self._gangs = Gangs(context, self._api, self._pods)
        budgets = context.informer(context.served("policy", "poddisruptionbudgets"))
        self._preemptor = Preemptor(context, self._api, self._events, self._pods.resource)
        self._victims = Victims(self._gangs, lambda: list(budgets.objects.values()))
        self._states = NodeStates()
        self._known = KnownAnswers()
        self._waits = BindingWaits(
            self._view,
            self._states,
            context.clock.now,
            names_claim_first=allocation.quirks.binding_errors_name_claim_first,
        )
        self._queue = SchedulingQueue(context, self._pods, self._waits)
        self._view.on_change(self._claim_changed, "resourceclaims")
        self._pods.on_change(self._states.pod_changed)
        self._nodes.on_change(self._states.node_changed)
        self._pods.on_change(self._pod_changed)
        self._nodes.on_change(self._something_changed)
        self._view.on_change(self._something_changed)
        self._gangs.on_change(self._something_changed)

    def _claim_plugin(self, allocation: AllocationRules) -> ClaimPlugin[Any]:
        """Returns the scheduler plugin DynamicResources for the version of claims that the release serves."""
        context, rules = self.context, self.context.rules
        drivers = self._classic_drivers(allocation)
        if self._view.is_classic and drivers is not None:
            return ClassicResources(self._view, drivers, rules.quirks)
        matcher = device_matcher(rules)
        clock = context.clock
        return DynamicResources(self._view, allocation, matcher, clock.uid, clock.now, drivers)

    def _classic_drivers(self, allocation: AllocationRules) -> ClassicDrivers | None:
        """Returns the negotiation with DRA control plane controllers; None if the negotiation is disabled.

        Up to 1.30, the negotiation is always enabled. In 1.31, the feature gate DRAControlPlaneController
        enables it. Later releases have no such controllers.
        """
        resource = self.context.resource(GROUP, PLURAL)
        claims = self.context.resource(GROUP, "resourceclaims")
        if resource is None or claims is None or resource.version != claims.version:
            return None
        if not self._view.is_classic and not self.context.rules.gates.get("DRAControlPlaneController", False):
            return None
        contexts = SchedulingContexts(self.context, self._api, resource)
        contexts.on_change(self._something_changed)
        return ClassicDrivers(contexts, allocation.quirks.classic_drivers)

    # changes of objects ---------------------------------------------------------------------------

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old or {}
        key = key_of(pod)
        if new is not None and is_waiting(new) and new["status"].get("nominatedNodeName"):
            self._nominations.add(key)
        else:
            self._nominations.discard(key)
        retries = self.context.rules.quirks.pods.lost_nominations_retry_pods
        if retries and old is not None and lost_nomination(old, new):
            self._queue.retry_up_to(priority_of(old))
        if new is not None and is_waiting(new):
            if old is None or was_changed(old, new):
                self._queue.add(key)
            return
        if key in self._waits:
            self.context.add((BINDING, key))
        self._queue.remove(key)
        self._failures.pop(key, None)
        if old is not None and old["spec"].get("nodeName") and (new is None or has_ended(new)):
            self._queue.retry_all()
        elif new is not None and new["spec"].get("nodeName") and (old is None or was_changed(old, new)):
            self._queue.retry_topology()

    def _something_changed(self, old: Object | None, new: Object | None) -> None:
        self._queue.retry_all()

    def _claim_changed(self, old: Object | None, new: Object | None) -> None:
        for key in self._waits.users_of(new or old or {}):
            self.context.add((BINDING, key))

    # one pod --------------------------------------------------------------------------------------

    async def reconcile(self, key: Any) -> None:
        if isinstance(key, tuple):
            await self._look_at_devices(key[1])
            return
        if key != NEXT:
            self._queue.add(key)
            return
        pod = self._queue.pop()
        if pod is not None:
            await self._schedule(pod)
        if self._queue:
            self.context.add(NEXT)

    async def _schedule(self, pod: Object) -> None:
        key = key_of(pod)
        if self._gangs.must_wait(pod) or not self._has_claims(pod):
            self._queue.add_unschedulable([key])
            return
        if self._gangs.scheduled(pod) < self._gangs.min_count(pod):
            await self._schedule_gang(pod)
            return
        try:
            changes = self._queue.changes
            states = self._states_for([pod])
            effort = Effort(self.context.cluster.server.heavy)
            outcome = await self._attempt(pod, states, effort)
            if outcome.node:
                await self._bind(pod, outcome)
            else:
                self._queue.add_unschedulable([key], changes, costly=effort.gave_up)
                await self._refuse(pod, outcome)
        except PluginError as error:
            await self._give_up(pod, str(error))

    def _has_claims(self, pod: Object) -> bool:
        """Whether all ResourceClaims of a pod exist and are ready for scheduling."""
        try:
            self._view.claims_of(pod)
        except NotReady:
            return False
        return True

    async def _attempt(self, pod: Object, states: Mapping[str, NodeState], effort: Effort) -> Outcome:
        """Runs one scheduling attempt for a pod. `states`: the nodes by name.

        Raises PluginError for a problem with the pod's claims that ends the attempt.
        """
        return await attempt(
            pod,
            states,
            self._plugin,
            self._quirks,
            self._choose,
            effort,
            self._failures.get(key_of(pod), 0),
            lambda: self._namespaces.objects,
            self._known,
        )

    async def _schedule_gang(self, pod: Object) -> None:
        """Schedules the pods of a gang together: binds at least `minCount` pods of the gang, or none."""
        pods = [each for each in self._gangs.members(pod) if is_waiting(each) and self._has_claims(each)]
        keys = list(map(key_of, pods))
        for key in keys:
            self._queue.remove(key)
        scheduled, min_count = self._gangs.scheduled(pod), self._gangs.min_count(pod)
        if scheduled + len(pods) < min_count:
            self._queue.add_unschedulable(keys)
            return
        changes, effort = self._queue.changes, Effort(self.context.cluster.server.heavy)

        async def try_gang(states: Mapping[str, NodeState]) -> GangOutcome:
            return await attempt_gang(
                pods,
                states,
                lambda each, states: self._attempt(each, states, effort),
                self._binder.reserved,
                self._view,
                min_count=min_count,
                scheduled=scheduled,
            )

        states = self._states_for(pods)
        preemption = GangPreemption("")
        try:
            result = await try_gang(states)
            if result.message and self._gangs.preempt_together:
                group = self._gangs.group(pod)
                assert group is not None, "a gang has a PodGroup"
                gates = self.context.rules.gates
                preemption = await preempt_for_gang(group, pods, states, self._victims, gates, try_gang)
        except PluginError as error:
            for each in pods:
                await self._give_up(each, str(error))
            return
        bound = () if result.message else result.fitting
        bound_keys = {key_of(each) for each, _ in bound}
        left = [key for key in keys if key not in bound_keys]
        self._queue.add_unschedulable(left, changes, costly=effort.gave_up)
        for victim in preemption.victims:
            await self._preemptor.delete(victim, "podgroup", self._gangs.group(pod) or pod, "cluster")
        await self._report_gang(pod, result, preemption)
        for each, outcome in bound:
            try:
                await self._bind(each, outcome)
            except PluginError as error:
                await self._give_up(each, str(error))

    async def _report_gang(self, pod: Object, result: GangOutcome, preemption: GangPreemption) -> None:
        """Writes the result of a gang's attempt into the conditions of the PodGroup and its pods."""
        message = ", ".join(filter(None, (result.message, preemption.message)))
        messages = [(each, outcome.message(None)) for each, outcome in result.refused]
        if result.message:
            messages += [(each, message) for each, _ in result.fitting]
            messages += [(each, result.message) for each in result.untried]
        await self._gangs.report(pod, message)
        for each, text in messages:
            node = preemption.nominated.get(each["metadata"]["uid"])
            await self._report(each, "Unschedulable", text, node or None)

    def _states_for(self, pods: Sequence[Object]) -> dict[str, NodeState]:
        """Returns the states of all nodes by name, with the nominated pods added to their nominated nodes.

        Does not add `pods` themselves, or pods with a lower priority than the first pod in `pods`.
        """
        states, own = self._states.by_name(), set(map(key_of, pods))
        for key in self._nominations - own:
            other = self._pods.objects.get(key)
            node = "" if other is None else other["status"].get("nominatedNodeName", "")
            if other is None or node not in states:
                continue
            if priority_of(other) >= priority_of(pods[0]):
                states[node] = with_pods(states[node], [*states[node].pods, other])
        return states

    def _choose(self, names: list[str]) -> str:
        """Returns a random name out of `names`, the nodes with the best score, like kube-scheduler."""
        return names[int(self.context.clock.fraction() * len(names))]

    async def _bind(self, pod: Object, outcome: Outcome) -> None:
        async def failed(problem: str) -> None:
            await self._give_up(pod, f'running PreBind plugin "{NAME}": {problem}')

        try:
            if not await self._reserve(pod, outcome):
                return
            claims = await self._binder.reserve(pod, outcome, failed)
        except StatusError as problem:
            await self._give_up(pod, problem.message)
            return
        if claims is None:
            return
        if self._allocation.binding_conditions and have_conditions(claims):
            await self._wait_for_devices(pod, outcome, claims)
        else:
            await self._finish(pod, outcome)

    async def _finish(self, pod: Object, outcome: Outcome) -> None:
        """Binds a pod. Its claims are reserved, and the binding conditions of its devices are True."""
        try:
            await self._binder.bind(pod, outcome.node)
        except StatusError as problem:
            if not problem.is_not_found:
                await self._give_up(pod, problem.message)
            return
        await self._plugin.after_binding(outcome.claims, pod)
        self._failures.pop(key_of(pod), None)

    async def _wait_for_devices(self, pod: Object, outcome: Outcome, claims: list[Object]) -> None:
        key = key_of(pod)
        note = f"waiting for binding conditions for device on node {outcome.node}"
        await self._events.record(pod, "Normal", "BindingConditionsPending", "Scheduling", note)
        self._waits.add(key, Wait(pod, outcome, tuple(claim["metadata"]["name"] for claim in claims)))
        self.context.add((BINDING, key))
        self.context.add_after((BINDING, key), TIMEOUT_SECONDS)

    async def _look_at_devices(self, key: str) -> None:
        """Binds the waiting pod `key` (NAMESPACE/NAME) if the binding conditions of its devices are True.

        Removes the reservations of the pod if it was deleted, or if the conditions failed or timed out.
        Reports a failure or timeout in the pod's status.
        """
        if key not in self._waits:
            return
        try:
            if key in self._pods.objects and not self._waits.is_over(key):
                return
            failure = ""
        except BindingFailure as problem:
            failure = str(problem)
        wait = self._waits.take(key)
        assert wait is not None, "the key was there"
        if key not in self._pods.objects or failure:
            claims = [self._view.claim(wait.pod["metadata"]["namespace"], name) for name in wait.claims]
            await self._binder.unreserve(wait.pod, [claim for claim in claims if claim is not None])
        if key not in self._pods.objects:
            return
        if failure:
            await self._give_up(wait.pod, f'running PreBind plugin "{NAME}": {failure}')
        else:
            await self._finish(wait.pod, wait.outcome)

    async def _reserve(self, pod: Object, outcome: Outcome) -> bool:
        """Calls the extension point Reserve of the plugin DynamicResources.

        Returns False if the pod must wait for a DRA control plane controller. Raises StatusError if a request
        fails, and PluginError if the allocation fails.
        """
        try:
            await self._plugin.reserve(outcome.claims, pod, outcome.node, list(outcome.feasible))
        except Waiting as wait:
            await self._binder.unreserve(pod, outcome.claims.claims)
            self._queue.add_unschedulable([key_of(pod)])
            await self._report(pod, wait.reason, str(wait), "")
            return False
        except PluginError:
            await self._binder.unreserve(pod, outcome.claims.claims)
            raise
        return True

    async def _refuse(self, pod: Object, outcome: Outcome) -> None:
        of_claims: str | None = await self._post_filter(pod, outcome)
        candidate = None if of_claims == DEALLOCATED else await best_candidate(pod, outcome, self._victims)
        if candidate is not None:
            of_claims = None
            for victim in candidate.victims:
                await self._preemptor.delete(victim, "pod", pod, candidate.node)
            await self._clear_nominations(pod, candidate.node)
        nominated = candidate.node if candidate is not None else ""
        keeps = of_claims == DEALLOCATED or outcome.ineligible
        await self._report(pod, "Unschedulable", outcome.message(of_claims), None if keeps else nominated)

    async def _clear_nominations(self, pod: Object, node: str) -> None:
        """Clears the nominations of pods with a lower priority to a node on which `pod` preempts pods.

        Follows getLowerPriorityNominatedPods of k8s.io/kubernetes `pkg/scheduler/framework/preemption`.
        """
        for key in sorted(self._nominations):
            other = self._pods.objects.get(key)
            if other is None or other["status"].get("nominatedNodeName") != node:
                continue
            if priority_of(other) < priority_of(pod):
                await self._patch_status(other, {"nominatedNodeName": None})

    async def _post_filter(self, pod: Object, outcome: Outcome) -> str:
        """Deallocates a claim so that the pod may become schedulable, if such a claim exists.

        Returns the message about claims for the pod's condition PodScheduled.
        """
        if not self._view.serves_claims:
            return ""
        if not outcome.claims.claims:
            return "no new claims to deallocate"
        deallocation = await self._plugin.post_filter(outcome.claims, pod)
        if deallocation is None:
            return "still not schedulable"
        return await self._binder.deallocate(deallocation)

    async def _give_up(self, pod: Object, message: str) -> None:
        key = key_of(pod)
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.context.add_after(key, min(BACKOFF_SECONDS_MIN * 2 ** min(failures, 10), BACKOFF_SECONDS_MAX))
        await self._report(pod, "SchedulerError", message, "")

    async def _report(self, pod: Object, reason: str, message: str, nominated: str | None = None) -> None:
        """Records the event FailedScheduling, and updates the pod's status if it changes.

        Writes the condition PodScheduled, and `nominated` as nominatedNodeName. The value "" clears this
        field, and None keeps it.
        """
        await self._events.record(pod, "Warning", "FailedScheduling", "Scheduling", truncated_note(message))
        known = condition(pod, "PodScheduled")
        fields = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}
        was_nominated = pod["status"].get("nominatedNodeName", "")
        is_known = known is not None and all(known.get(name) == value for name, value in fields.items())
        if is_known and nominated in {None, was_nominated}:
            return
        since = self.context.now()
        if known is not None and known["status"] == "False":
            since = known["lastTransitionTime"]
        new = {"lastProbeTime": None, "lastTransitionTime": since, **fields}
        new = condition_observed(self.context.rules.gates, pod, new)
        status: Object = {"conditions": [new]}
        if nominated is not None and nominated != was_nominated:
            status["nominatedNodeName"] = nominated or None
        await self._patch_status(pod, status)

    async def _patch_status(self, pod: Object, status: Object) -> None:
        """Patches the status of a pod. Does nothing if the pod no longer exists."""
        path = self._pods.resource.path_of(pod, "status")
        try:
            await self._api.patch(path, {"status": status}, "strategic")
        except StatusError as problem:
            if not problem.is_not_found:
                raise
