"""Repeats the scheduling attempt of one pod, and explains its outcome node by node."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import msgspec

from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import SearchTooLong
from fakeapi.controllers.scheduler import extended_resources
from fakeapi.controllers.scheduler.claim_plugin import PodClaims
from fakeapi.controllers.scheduler.cycle import Filtering, Outcome, attempt
from fakeapi.controllers.scheduler.dynamic_resources import DynamicResources
from fakeapi.controllers.scheduler.node_filters import Wants
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.scoring import scores_by_plugin
from fakeapi.controllers.scheduler.status import CannotSchedule, PluginError
from fakeapi.explaining.briefs import node_brief
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.device_reasons import DeviceReasons
from fakeapi.explaining.dropped import Describer
from fakeapi.explaining.error_reasons import error_reason
from fakeapi.explaining.kubelet_facts import volume_reasons
from fakeapi.explaining.model import NAMES_SHOWN, Change, NodeResult, Reason, RequestOnNode
from fakeapi.explaining.node_reasons import NodeReasons
from fakeapi.explaining.pinned_pods import PinnedPod
from fakeapi.explaining.pod_facts import claim_reasons, problem_reason
from fakeapi.explaining.pool_facts import drivers_of_class
from fakeapi.explaining.renames import after_rename
from fakeapi.explaining.shared_claims import after_release, can_use, is_allocated_by_scheduler, released
from fakeapi.explaining.tally import NodeTally, RequestTally, tally_node
from fakeapi.explaining.trial import NO_SHARE, Case, Trial
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.offloading.turns import Turns

NO_NODES = "NoNodes"
"""The code of the reason that the cluster has no nodes."""
NODES_LISTED = 100
"""Maximum number of nodes with details of each device request. Further nodes have no details."""


@dataclass(eq=False, slots=True)
class Scheduled:
    """The explained outcome of a scheduling attempt.

    `node`: the node that the scheduler would choose; "" if no node is feasible.
    """

    node: str = ""
    reasons: list[Reason] = field(default_factory=list)
    nodes: list[NodeResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    outcome: Outcome | None = None

    @property
    def needs(self) -> str:
        """The first reason why the pod does not fit on any node; "" if the pod fits."""
        return "" if self.node or not self.reasons else self.reasons[0].text


class PodScheduling:
    """Explains the scheduling of one pod."""

    def __init__(
        self, cluster: ClusterObjects, pod: Object, heavy: HeavySteps, *, tries: bool = True
    ) -> None:
        """Prepares the scheduling of `pod`.

        `tries`: whether to schedule the pod again after changes of names that an explanation offers.
        """
        self._tries = tries
        self._cluster = cluster
        self._pod = pod
        self._heavy = heavy
        self._matcher = cluster.matcher
        self._describer = Describer(cluster, self._matcher, heavy)
        self._plugin = DynamicResources(
            cluster.view, cluster.allocation, self._matcher, lambda: NO_SHARE, lambda: cluster.now
        )

    async def explain(self) -> Scheduled:
        """Explains why a pod has no node. Sets `node` of the result if the pod fits on a node now."""
        cluster, pod = self._cluster, self._pod
        await cluster.compute_indexes()
        reasons = await claim_reasons(cluster, pod)
        if reasons:
            await self._try_renames(reasons)
            return Scheduled(reasons=reasons)
        if cluster.has_v1alpha2_claims and pod["spec"].get("resourceClaims"):
            return self._v1alpha2_claims()
        states = cluster.node_states
        if not states:
            return Scheduled(reasons=[self._no_nodes()])
        try:
            outcome = await self._attempt(pod, states)
        except PluginError as error:
            return await self._failed(str(error))
        if outcome.node:
            results = await self._feasible(outcome)
            return Scheduled(outcome.node, [*volume_reasons(cluster, pod)], results, [], outcome)
        if outcome.problem:
            reason = problem_reason(cluster, outcome.problem, cluster.claims_of(pod))
            await self._try_renames([reason])
            return Scheduled(reasons=[reason], outcome=outcome)
        return await self._refused(outcome)

    def _no_nodes(self) -> Reason:
        create = "create a Node"
        if self._cluster.controllers is not None:
            create += ": apply a manifest, start the server with --nodes or --driver, or call add_driver"
        change = Change(create, "create")
        return Reason(
            NO_NODES, "the cluster has no nodes", object=reference("Pod", self._pod), changes=[change]
        )

    async def _feasible(self, outcome: Outcome) -> list[NodeResult]:
        """Returns the results of all nodes for a pod that fits: the score, or the reason why a node is
        excluded.
        """
        states, claims = self._cluster.node_states, outcome.claims
        wants = Wants(self._pod, self._cluster.rules.quirks, claims.by_class)
        on_nodes = NodeReasons(self._cluster, self._pod, outcome, wants, self._fits)
        await on_nodes.examine()
        tallies: dict[str, NodeTally] = {}
        if claims.inventory is not None:
            cases = {
                name: Case(own, states[name].node, claims.inventory)
                for name in sorted(on_nodes.by_claims)[:NODES_LISTED]
                if (own := claims_on(claims, name))
            }
            with suppress(SearchTooLong):
                tallies = await self._tallies(cases)
        results = await self._results(outcome, tallies, on_nodes)
        if len(outcome.feasible) > 1:
            fitting = [states[name] for name in outcome.feasible]
            of_claims = [self._plugin.score(claims, name) for name in outcome.feasible]
            by_plugin = scores_by_plugin(self._pod, fitting, of_claims)
            parts = dict(zip(outcome.feasible, by_plugin, strict=True))
            for result in results:
                result.scores = parts.get(result.name, {})
        await _clear(tallies)
        return results

    async def explain_placement(self) -> Scheduled:
        """Explains the node of a scheduled pod. Schedules the pod again, as if its claims were not allocated.

        Claims that are reserved for other pods stay allocated. The claim for the pod's extended resources did
        not exist then.
        """
        pod, cluster = self._pod, self._cluster
        uid = pod["metadata"]["uid"]
        own = {claim["metadata"]["uid"] for claim in self._only_own_claims()}
        freed = replace(
            cluster,
            objects={
                **cluster.objects,
                "pods": [other for other in cluster.of("pods") if other["metadata"]["uid"] != uid],
                "resourceclaims": [
                    released(claim) if claim["metadata"]["uid"] in own else claim
                    for claim in cluster.of("resourceclaims")
                    if not extended_resources.is_for(claim, pod)
                ],
            },
        )
        spec = {name: value for name, value in pod["spec"].items() if name != "nodeName"}
        again = PodScheduling(freed, {**pod, "spec": spec}, self._heavy)
        scheduled = await again.explain()
        for node in scheduled.nodes:
            node.chosen = node.name == pod["spec"]["nodeName"]
        scheduled.reasons = []
        return scheduled

    async def _try_renames(self, reasons: Sequence[Reason]) -> None:
        """Tries the changes that rename an object; sets their `sufficient` and `needs`, and sorts them by
        rank.
        """
        for reason in reasons:
            for number, change in enumerate(reason.changes):
                is_rename = change.value and change.objects[0].kind in {"Pod", "ResourceClaim"}
                if not self._tries or not is_rename or len(reasons) > NAMES_SHOWN:
                    continue
                reason.changes[number] = await self._tried(
                    change, *after_rename(self._cluster, self._pod, change)
                )
            reason.changes.sort(key=lambda change: change.rank)

    async def _try_releases(self, reasons: Sequence[Reason]) -> None:
        """Tries the changes for a claim that is allocated to another node; sets their `sufficient` and
        `needs`. Names the node on which the pod then fits.
        """
        for reason in reasons:
            if reason.code != "ClaimElsewhere" or not self._tries or not reason.blame:
                continue
            for number, change in enumerate(reason.changes):
                changed = after_release(self._cluster, self._pod, reason.blame[0], change)
                tried = await self._tried(change, *changed)
                fits = f"; the pod then fits on node {tried.node}" if tried.sufficient else ""
                reason.changes[number] = msgspec.structs.replace(tried, text=f"{tried.text}{fits}")
            reason.changes.sort(key=lambda change: change.rank)

    async def _tried(self, change: Change, cluster: ClusterObjects, pod: Object) -> Change:
        """Schedules the changed pod in the changed cluster. Sets `sufficient` and `needs` of the change."""
        again = await PodScheduling(cluster, pod, self._heavy, tries=False).explain()
        return msgspec.structs.replace(
            change, sufficient=bool(again.node), needs=again.needs, node=again.node or change.node
        )

    def _only_own_claims(self) -> list[Object]:
        """Returns the claims that the scheduler allocated for this pod only.

        Leaves out claims that are reserved for another pod, and claims that another program allocated.
        """
        uid = self._pod["metadata"]["uid"]
        return [
            claim
            for claim in self._cluster.claims_of(self._pod)
            if all(user.get("uid") == uid for user in claim["status"].get("reservedFor") or ())
            and is_allocated_by_scheduler(claim, self._pod)
        ]

    async def _attempt(self, pod: Object, states: dict[str, NodeState]) -> Outcome:
        return await attempt(
            pod,
            states,
            self._plugin,
            self._cluster.rules.quirks,
            lambda names: names[0],
            Effort(self._heavy),
            0,
            self._namespaces,
        )

    def _v1alpha2_claims(self) -> Scheduled:
        """Explains a pod with claims of v1alpha2.

        Assumes that a driver's controller allocates these claims.
        """
        reasons = []
        for claim in self._cluster.claims_of(self._pod):
            if not claim["status"].get("allocation"):
                own = reference("ResourceClaim", claim)
                class_name = claim["spec"].get("resourceClassName", "")
                text = f"{own} waits for the controller of class {class_name} to allocate it"
                reasons.append(Reason("WaitsForDriverController", text, object=own, path="status.allocation"))
        if not reasons:
            reasons = [Reason("Pending", "its claims are allocated; see the message of the scheduler")]
        return Scheduled(reasons=reasons)

    # refused on all nodes -----------------------------------------------------------------------

    async def _refused(self, outcome: Outcome) -> Scheduled:
        states, claims = self._cluster.node_states, outcome.claims
        wants = Wants(self._pod, self._cluster.rules.quirks, claims.by_class)
        on_nodes = NodeReasons(self._cluster, self._pod, outcome, wants, self._fits)
        await on_nodes.examine()
        notes: list[str] = []
        tallies: dict[str, NodeTally] = {}
        cases: dict[str, Case] = {}
        trial = Trial(self._cluster, self._matcher, self._heavy)
        if claims.inventory is not None:
            cases = {
                name: Case(own, states[name].node, claims.inventory)
                for name in outcome.refusals
                if (own := claims_on(claims, name))
            }
            try:
                tallies = await self._tallies(cases)
            except SearchTooLong:
                notes.append("the selectors take too long, so not every device was checked")
        on_nodes.tallies = tallies
        able = await self._able(trial, on_nodes, tallies, cases)
        device_nodes = [tally for name, tally in tallies.items() if name in on_nodes.by_claims]
        rest = [tally for name, tally in tallies.items() if name not in on_nodes.by_claims]
        needs = ""
        if not device_nodes and not able and tallies:  # filters exclude all nodes, and devices are missing
            device_nodes, rest = [*tallies.values()], []
            needs = on_nodes.needs(tallies)
        reasons: list[Reason] = []
        if device_nodes:
            explaining = DeviceReasons(
                self._cluster, trial, self._describer, device_nodes, cases, len(claims.claims) == 1, rest
            )
            lacking = await explaining.lacks_class() if able or explaining.is_elsewhere() else None
            reasons += [lacking] if lacking is not None else await explaining.reasons()
        if needs:
            for reason in reasons:
                reason.changes = [_with_needs(change, needs) for change in reason.changes]
        if claims.inventory is None and claims.claims:
            able = {
                name
                for name in outcome.refusals
                if all(can_use(claim, states[name].node) for claim in claims.claims)
            }
        others = await on_nodes.reasons(able)
        await self._try_releases(others)
        hopeless = all(not one.selected for node in device_nodes for part in node.requests for one in part)
        is_first = needs or (able and hopeless) or (reasons and reasons[0].code == "NoDevicesOfClass")
        reasons = [*others, *reasons] if is_first else [*reasons, *others]
        pinning = await on_nodes.pinning()
        if pinning is not None:
            pinned = PinnedPod(self._pod, pinning, self._fits, trial, self._describer, tallies, cases)
            reasons = await pinned.sorted(reasons)
        reasons += [*volume_reasons(self._cluster, self._pod)]
        results = await self._results(outcome, tallies, on_nodes)
        await _clear(tallies)
        return Scheduled("", reasons, results, notes, outcome)

    async def _tallies(self, cases: dict[str, Case]) -> dict[str, NodeTally]:
        effort = Effort(self._heavy)
        tallies = {}
        for name, case in cases.items():
            tallies[name] = await tally_node(
                case.claims, case.node, case.inventory, self._cluster.allocation, self._matcher, effort
            )
            await effort.give_turn_if_over()
        return tallies

    async def _able(
        self, trial: Trial, on_nodes: NodeReasons, tallies: dict[str, NodeTally], cases: dict[str, Case]
    ) -> set[str]:
        """Returns the nodes that have the devices of all claims, but that other scheduler filters exclude."""
        able: set[str] = set()
        for name, tally in tallies.items():
            if name in on_nodes.by_claims or tally.short or len(able) >= NODES_LISTED:
                continue
            if await trial.allocates(cases[name]):
                able.add(name)
        return able

    async def _fits(
        self, pod: Object, changed: Sequence[NodeState], names: Sequence[str]
    ) -> dict[str, Sequence[str]]:
        """Returns the reasons that exclude each node after a change; [] for a node on which the pod fits.

        `changed`: the nodes that the change affects. Affinity and topology spread count pods on all nodes.
        """
        states = {**self._cluster.node_states, **{state.name: state for state in changed}}
        effort = Effort(self._heavy)
        await effort.give_turn()
        results: dict[str, Sequence[str]] = {}
        try:
            claims = await self._plugin.pre_filter(pod, effort)
            filtering = Filtering(
                pod, states, self._plugin, claims, self._cluster.rules.quirks, self._namespaces, effort
            )
            async for state, refusal in filtering.refusals(names):
                results[state.name] = [] if refusal is None else refusal.reasons
        except (CannotSchedule, PluginError) as error:
            return {name: results.get(name, [str(error)]) for name in names}
        return results

    def _namespaces(self) -> Mapping[str, Object]:
        return self._cluster.namespaces

    async def _failed(self, message: str) -> Scheduled:
        """Explains an error that ends the scheduling attempt, such as a failed CEL selector."""
        bare = {
            **self._pod,
            "spec": {name: value for name, value in self._pod["spec"].items() if name != "resourceClaims"},
        }
        try:
            feasible = [*(await self._attempt(bare, self._cluster.node_states)).feasible]
            claims = await self._plugin.pre_filter(self._pod, Effort(self._heavy))
        except PluginError:
            return Scheduled(reasons=[Reason("SchedulingFailed", message)])
        tallies: list[RequestTally] = []
        trial = Trial(self._cluster, self._matcher, self._heavy)
        case: Case | None = None
        for name in sorted(feasible)[:NODES_LISTED]:
            if claims.inventory is None:
                break
            node = self._cluster.node_states[name].node
            own = claims_on(claims, name)
            try:
                tally = await tally_node(
                    own, node, claims.inventory, self._cluster.allocation, self._matcher, Effort(self._heavy)
                )
            except SearchTooLong:
                break
            tallies = [one for choices in tally.requests for one in choices]
            case = Case(own, node, claims.inventory)
            if any(refused.error for one in tallies for refused in one.refused):
                break
        reason = await error_reason(message, tallies, self._describer, trial, case)
        return Scheduled(reasons=[reason])

    # nodes --------------------------------------------------------------------------------------

    async def _results(
        self, outcome: Outcome, tallies: dict[str, NodeTally], on_nodes: NodeReasons | None = None
    ) -> list[NodeResult]:
        turns = Turns()
        results = [
            NodeResult(name, True, score=score, chosen=name == outcome.node)
            for name, score in sorted(outcome.feasible.items(), key=lambda item: (-item[1], item[0]))
        ]
        for name, refusal in sorted(outcome.refusals.items()):
            text = on_nodes.text_of(name) if on_nodes is not None else ""
            if not text and name in tallies:
                text = node_brief(tallies[name])
            result = NodeResult(name, False, ", ".join(refusal.reasons), reason=text)
            if name in tallies and len(results) < NODES_LISTED:
                result.requests = await self._requests(tallies[name])
            results.append(result)
            await turns.give_turn_if_over()
        return results

    async def _requests(self, tally: NodeTally) -> list[RequestOnNode]:
        return [await self._request(one) for choices in tally.requests for one in choices]

    async def _request(self, tally: RequestTally) -> RequestOnNode:
        drivers = drivers_of_class(tally.request.device_class)
        published = tally.published_by(drivers)
        if published < tally.in_class:  # the class also selects devices of other drivers
            drivers = []
        return RequestOnNode(
            reference("ResourceClaim", tally.claim),
            tally.request.full_name,
            tally.request.device_class["metadata"]["name"],
            tally.selected if tally.request.takes_all else tally.needed,
            published if drivers else tally.published,
            tally.in_class,
            tally.selected,
            len(tally.usable),
            await self._describer.dropped(tally),
            drivers,
        )


async def _clear(tallies: Mapping[str, NodeTally]) -> None:
    """Frees the devices of tallies that are no longer used, and lets other tasks run meanwhile.

    Freeing the devices of 1,000 nodes at once would take up to 20 ms.
    """
    turns = Turns()
    for tally in tallies.values():
        tally.clear()
        await turns.give_turn_if_over()


def _with_needs(change: Change, needs: str) -> Change:
    return msgspec.structs.replace(change, sufficient=False, needs=needs)


def claims_on(claims: PodClaims, node: str) -> Sequence[Object]:
    """Returns the claims to allocate on a node, including the claim for extended resources."""
    on_node = []
    for claim in claims.unallocated:
        if claim is claims.extended:
            wanted = claims.wanted.get(node)
            if wanted is not None and wanted.requests:
                on_node.append({**claim, "spec": {"devices": {"requests": wanted.requests}}})
        else:
            on_node.append(claim)
    return on_node
