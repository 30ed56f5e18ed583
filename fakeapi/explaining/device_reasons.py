"""Explains why no node has the devices of a pod's claims."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.explaining.briefs import (
    brief_of,
    claim_name,
    counted,
    lacking_nodes,
    no_nodes_have,
    node_names,
)
from fakeapi.explaining.change_plans import adding_steps, freeing_steps, plan_of
from fakeapi.explaining.class_changes import ClassChanges
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.combinations import combination_reason
from fakeapi.explaining.device_changes import Changes, model_of
from fakeapi.explaining.device_counts import OF_SELECTORS, OnNode, count_lines, free_text, with_devices
from fakeapi.explaining.dropped import Describer, SelectorGroup, selector_name, selector_place, unread_lines
from fakeapi.explaining.error_reasons import corrections, error_lines, error_summary
from fakeapi.explaining.first_available import first_available
from fakeapi.explaining.model import NAMES_SHOWN, Change, Dropped, Reason, devices_text, distinct, listed
from fakeapi.explaining.obstacles import Obstacle, Refused
from fakeapi.explaining.pool_facts import RULE, drivers_of_class, pool_problems, pool_problems_by_pool
from fakeapi.explaining.present_facts import where
from fakeapi.explaining.redundant_changes import without_redundant
from fakeapi.explaining.selector_text import HEADLINE_LENGTH, SUMMARY_LENGTH, fitted, shortened
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.explaining.trial import Case, Trial

NODES_TRIED = 3
"""Maximum number of nodes on which changes are tried. Nodes that lack the fewest devices come first."""


@dataclass(frozen=True, slots=True)
class DeviceReasons:
    """Explains why nodes lack the devices of a pod's claims.

    - `nodes`: the tallies of the nodes to explain, at least one.
    - `cases`: the case of each node, by node name.
    - `one_claim`: whether the pod has only one claim, so that texts need not name it.
    - `others`: the tallies of the other nodes, which are refused for other reasons than devices.
    """

    cluster: ClusterObjects
    trial: Trial
    describer: Describer
    nodes: Sequence[NodeTally]
    cases: dict[str, Case]
    one_claim: bool
    others: Sequence[NodeTally] = ()

    async def reasons(self) -> list[Reason]:
        """Returns one reason for each request that no node can serve.

        If each request can be served by some node, returns one reason why no node can serve all requests.
        """
        short = []
        for number in range(self._request_count):
            await self.describer.turns.give_turn_if_over()
            if self._is_short(number):
                short.append(number)
        if short:
            reasons = [await self._of_request(number) for number in short]
            if not any(change.sufficient for reason in reasons for change in reason.changes):
                await self._add_plans(reasons[0])
            return reasons
        best = await self._best()
        if best[0].short:
            return [await self._no_single_node(best)]
        tally = best[0]
        reason = await combination_reason(self.trial, self.describer, self.cases[tally.name], tally)
        tally.problem = reason.text
        return [self._placed(reason, [tally])]

    def is_elsewhere(self) -> bool:
        """Whether another node has devices for the DeviceClass of each request."""
        return any(
            node.requests and all(any(one.in_class for one in choices) for choices in node.requests)
            for node in self.others
        )

    async def lacks_class(self) -> Reason | None:
        """Returns a reason if no node has a device of the class of a request; otherwise None.

        Nodes with other hardware usually have such a reason. The only suggested change adds such devices to
        the best node.
        """
        for number in range(self._request_count):
            tallies = [tally for node in self.nodes for tally in node.requests[number]]
            if not any(tally.in_class for tally in tallies):
                names = dict.fromkeys(tally.request.device_class["metadata"]["name"] for tally in tallies)
                noun = "class" if len(names) == 1 else "classes"
                lead = f"{len(self.nodes)} nodes pass the other filters, but have"
                if len(self.nodes) == 1:
                    lead = f"node {self.nodes[0].name} passes the other filters, but has"
                text = f"{lead} no device of {noun} {', '.join(names)}"
                reason = Reason("NoDevicesOfClass", text, claim=reference("ResourceClaim", tallies[0].claim))
                reason.changes = await self._add_hardware()
                return self._placed(reason, self.nodes)
        return None

    async def _add_hardware(self) -> list[Change]:
        """Returns the change that adds copies of other nodes' devices to the best node; [] if that does not
        suffice.
        """
        node = (await self._best())[0]
        models = {
            tally.request.device_class["metadata"]["name"]: model
            for other in reversed(self.others)
            for choices in other.requests
            for tally in choices
            if (model := model_of(tally)) is not None
        }
        steps = adding_steps(self.describer, node, models)
        plan = await plan_of(self.trial, self.cases[node.name], steps)
        return [] if plan is None else [plan]

    async def _add_plans(self, reason: Reason) -> None:
        """Adds combined changes to a reason, because no single change suffices."""
        for node in (await self._best())[:NODES_TRIED]:
            plans = [
                plan
                for steps in (freeing_steps, adding_steps)
                if (plan := await plan_of(self.trial, self.cases[node.name], steps(self.describer, node)))
            ]
            if plans:
                reason.changes[:0] = plans
                return

    async def _best(self) -> list[NodeTally]:
        """Returns the nodes, sorted by the number of missing devices, the smallest number first."""
        keys = []
        for number, tally in enumerate(self.nodes):
            keys.append((tally.missing, len(tally.short), tally.name, number))
            await self.describer.turns.give_turn_if_over()
        return [self.nodes[number] for *_, number in sorted(keys)]

    @property
    def _request_count(self) -> int:
        return len(self.nodes[0].requests)

    def _is_short(self, number: int) -> bool:
        return not any(any(one.is_enough for one in node.requests[number]) for node in self.nodes)

    # one request --------------------------------------------------------------------------------

    async def _of_request(self, number: int) -> Reason:
        choices = self.nodes[0].requests[number]
        if len(choices) == 1:
            return await self._of_choice(number, 0)
        parts = [await self._of_choice(number, index) for index in range(len(choices))]
        briefs = [self._brief(number, index) for index in range(len(choices))]
        reason = first_available(parts, self._named(choices[0], choices[0].request.parent), briefs)
        reason.path, reason.request = choices[0].place.rpartition("[")[0], choices[0].request.parent
        return reason

    def _brief(self, number: int, index: int) -> str:
        """Returns a short reason why a subrequest does not fit, such as "big needs 4, a has 1 free"."""
        pairs = [(node, node.requests[number][index]) for node in self.nodes]
        node, best = max(pairs, key=lambda pair: (len(pair[1].usable), pair[1].selected, pair[1].in_class))
        name = best.request.full_name.rpartition("/")[2]
        if not best.in_class:
            return f"{name}: {brief_of(best, node.pools)}"
        if not best.selected:
            return f"{name} matches none of {devices_text(sum(tally.in_class for _, tally in pairs))}"
        needs = "all" if best.request.takes_all else best.needed
        return f"{name} needs {needs}, {node.name} has {len(best.usable)} free"

    async def _of_choice(self, number: int, index: int) -> Reason:
        turns = self.describer.turns
        await turns.give_turn_if_over()
        pairs = [(node, node.requests[number][index]) for node in self.nodes]
        pairs.sort(key=lambda pair: (pair[1].missing, -pair[1].selected, -pair[1].in_class, pair[0].name))
        tallies = [tally for _, tally in pairs]
        await turns.give_turn_if_over()
        best_node, best = pairs[0]
        if not any(tally.published for tally in tallies):
            reason = self._no_devices(best)
        elif not any(tally.in_class for tally in tallies) and (problem := await self._pool_problem(best)):
            reason = self._reason(problem[0], f"{self._named(best)}: {problem[1]}", best)
        elif not any(tally.in_class for tally in tallies):
            reason = await self._no_match(tallies + self._on_others(number, index), Obstacle.CLASS_SELECTOR)
        elif not any(tally.selected for tally in tallies):
            reason = await self._no_match(tallies, Obstacle.REQUEST_SELECTOR)
        elif max(tally.selected for tally in tallies) < best.needed:
            most = max(pairs, key=lambda pair: (pair[1].selected, len(pair[1].usable)))
            reason = await self._too_few(most, pairs)
        else:
            reason = await self._not_free(await with_devices(pairs, turns))
        await turns.give_turn_if_over()
        problems = [*pool_problems(self.cluster, best_node, best.request.device_class)]
        reason.details += [text for _, text in problems if text not in reason.text]
        reason.details += [RULE] if any(code == "PoolIncomplete" for code, _ in problems) else []
        await turns.give_turn_if_over()
        reason.changes = [await self._tried(change, pairs) for change in reason.changes]
        for node, tally in pairs[:NODES_TRIED]:
            await turns.give_turn_if_over()
            changes = Changes(self.trial, self.describer, self.cases[node.name])
            reason.changes += await changes.for_request(tally, node)
        reason.changes.sort(key=lambda change: change.rank)
        reason.changes = without_redundant(distinct(reason.changes))
        driver = await self._silent_driver(best) if reason.code == Obstacle.CLASS_SELECTOR else ""
        if driver:
            tries = ClassChanges(
                self.cluster, self.trial, [(self.cases[one.name], own) for one, own in pairs]
            )
            reason.changes = await tries.for_silent_driver(driver, reason.expression, reason.path)
        concerned = [node for node, tally in pairs if tally.in_class] or self.nodes
        if len(concerned) < len(self.nodes):
            class_name = best.request.device_class["metadata"]["name"]
            others = node_names([node.name for node, tally in pairs if not tally.in_class])
            reason.details.append(f"no device of class {class_name}: {others}")
        return self._placed(reason, concerned)

    async def _tried(self, change: Change, pairs: Sequence[tuple[NodeTally, RequestTally]]) -> Change:
        """Tries the change of a failing expression.

        Returns the change, marked as sufficient if a node then serves the requests.
        """
        for node, tally in pairs[:NODES_TRIED] if change.value else ():
            refused = next((one for one in tally.refused if one.error), None)
            if refused is None:
                continue
            case = self.trial.with_expression(self.cases[node.name], tally, refused, change.value)
            if await self.trial.allocates(case):
                return msgspec.structs.replace(change, sufficient=True, node=node.name)
        return change

    def _no_devices(self, tally: RequestTally) -> Reason:
        slices = self.cluster.of("resourceslices")
        name = self._named(tally)
        problem = next(
            (
                problem
                for node in self.nodes
                for problem in pool_problems(self.cluster, node, tally.request.device_class)
            ),
            None,
        )
        if problem is not None:
            return self._reason(problem[0], f"{name}: {problem[1]}", tally)
        if slices:
            places = sorted({where(one["spec"]) for one in slices})
            text = f"{name}: {no_nodes_have(self.nodes)} devices; slices are for {', '.join(places[:3])}"
        else:
            text = f"{name}: no driver has published a ResourceSlice, so the cluster has no devices"
        return self._reason("NoDevices", text, tally)

    async def _no_match(self, tallies: Sequence[RequestTally], obstacle: Obstacle) -> Reason:
        """Explains that a DeviceClass or a request does not match any device on any node."""
        refused: dict[tuple[Obstacle, int], list[tuple[RequestTally, Refused]]] = {}
        total = sum(tally.published for tally in tallies)
        for tally in tallies:
            await self.describer.turns.give_turn_if_over()
            for one in tally.refused:
                refused.setdefault((one.obstacle, one.selector), []).append((tally, one))
        matching_keys = [key for key in refused if key[0] is obstacle]
        if not matching_keys:
            return await self._not_free([(self.nodes[0], tallies[0])])
        key = max(matching_keys, key=lambda one: len(refused[one]))
        tally, first = refused[key][0]
        groups = await self.describer.selector_groups(tally, [one for _, one in refused[key]])
        group = groups[0]
        of_class = obstacle is Obstacle.CLASS_SELECTOR
        class_name = tally.request.device_class["metadata"]["name"]
        candidates = total if of_class else sum(one.in_class for one in tallies)
        whose = f"class {class_name}" if of_class else self._named(tally)
        matches = f"{whose} matches none of {devices_text(candidates)}"
        options = [group.dissected.error] if group.dissected.error else group.shorts
        elsewhere = self._elsewhere(tally) if of_class else ""
        if elsewhere:
            matches, options = f"{lacking_nodes(self.nodes)} of class {class_name}", [elsewhere]
        driver = group.silent_driver(self.cluster) if of_class else ""
        if driver:
            matches, options = f"class {class_name}", [f"driver {driver} publishes no devices"]
        length = SUMMARY_LENGTH if group.dissected.wanted and not (elsewhere or driver) else HEADLINE_LENGTH
        reason = self._reason(str(obstacle), fitted(matches, options, length), tally)
        case = f"{whose} {group.case_text}" if group.case_text and len(groups) == 1 else ""
        reason.text = case if case and len(case) <= SUMMARY_LENGTH else reason.text
        reason.expression = group.expression
        reason.seen = list(group.seen)
        owner, path = selector_place(tally, first)
        reason.object, reason.path = owner, path
        reason.details = [
            f"{selector_name(tally, first)}: {shortened(group.expression, 300)}",
            *(f"{devices_text(one.devices)}: {one.dissected.error or one.text}" for one in groups[:4]),
            *unread_lines(refused[key], groups),
            *error_lines(group),
        ]
        if not of_class:
            reason.details += self._left_out(tally)
        if group.mismatch is not None:
            reason.text = error_summary(group, selector_name(tally, first)) or reason.text
        if group.dissected.error:
            reason.code = Obstacle.SELECTOR_ERROR
            reason.text = error_summary(group, selector_name(tally, first)) or reason.text
            reason.changes += corrections(self.cluster, group, owner, path, tally.claim)
        return reason

    def _on_others(self, number: int, index: int) -> list[RequestTally]:
        """Returns the tallies of a request on the other nodes; [] if the request's class matches a device of
        another node.
        """
        shape = [len(choices) for choices in self.nodes[0].requests]
        tallies = [
            node.requests[number][index]
            for node in self.others
            if [len(choices) for choices in node.requests] == shape
        ]
        return [] if any(tally.in_class for tally in tallies) else tallies

    def _elsewhere(self, tally: RequestTally) -> str:
        """Returns a text about other nodes that have devices of a request's class; "" without such nodes."""
        on = {
            node.name: one.in_class
            for node in self.others
            for choices in node.requests
            for one in choices
            if one.in_class and one.place == tally.place and one.claim["metadata"] == tally.claim["metadata"]
        }
        return ", ".join(f"node {name} has {count}" for name, count in [*on.items()][:3])

    def _left_out(self, tally: RequestTally) -> list[str]:
        """Returns a line about the devices of a request's class that the counts leave out; [] without any.

        These devices are on nodes that are refused for other reasons than devices.
        """
        parts = []
        for node in self.others:
            own = (one for choices in node.requests for one in choices if one.place == tally.place)
            count = next((one.in_class for one in own if one.claim["metadata"] == tally.claim["metadata"]), 0)
            if count:
                obj = self.cluster.get("nodes", "", node.name) or {"spec": {}}
                state = "cordoned" if obj["spec"].get("unschedulable") else "refused"
                parts.append(f"{devices_text(count)} on {state} node {node.name}")
        return [f"left out of the count: {listed(parts, NODES_TRIED)}"] if parts else []

    async def _pool_problem(self, tally: RequestTally) -> tuple[str, str] | None:
        """Returns the code and text of a problem with a pool of the driver that the class selects.

        Returns None without a problem. Ignores slices of outdated pool generations.
        """
        drivers = {group.wanted_driver for group in await self._class_groups(tally)} - {""}
        for node in self.nodes:
            for pool, code, text in pool_problems_by_pool(self.cluster, node):
                if pool.id.driver in drivers and code != "SliceOutdated":
                    return code, text
        return None

    async def _silent_driver(self, tally: RequestTally) -> str:
        """Returns the driver that the class selects if this driver publishes no devices; otherwise ""."""
        groups = await self._class_groups(tally)
        return groups[0].silent_driver(self.cluster) if groups else ""

    async def _class_groups(self, tally: RequestTally) -> list[SelectorGroup]:
        refused = [one for one in tally.refused if one.obstacle is Obstacle.CLASS_SELECTOR]
        return await self.describer.selector_groups(tally, refused[:1]) if refused else []

    async def _too_few(self, best: OnNode, pairs: Sequence[OnNode]) -> Reason:
        """Explains that no node has as many devices as a request needs, even if all of them were free."""
        node, tally = best
        free = len(tally.usable)
        equal = [one.name for one, own in pairs if (own.selected, len(own.usable)) == (tally.selected, free)]
        most = f"no node has more than {tally.selected} ({free} free on {listed(sorted(equal), 3)})"
        text = f"{self._named(tally)} needs {devices_text(tally.needed)} on one node; {most}"
        reason = self._reason("TooFewDevices", text, tally)
        reason.details = [line for line in await self._details(node, tally) if ": in use" not in line]
        turns = self.describer.turns
        having = await with_devices(pairs, turns)
        if len(having) > NODES_TRIED:
            reason.details += await count_lines(having, turns)
            return reason
        for other, own in having:
            used = [one for one in await self.describer.dropped(own) if one.code == Obstacle.IN_USE]
            reason.details += [f"node {other.name}: {devices_text(one.devices)} {one.text}" for one in used]
        return reason

    async def _not_free(self, pairs: Sequence[OnNode]) -> Reason:
        """Explains that nodes have enough devices for a request, but too few of them are free.

        `pairs`: the nodes with devices for the request; the best node comes first.
        """
        node, tally = pairs[0]
        dropped = await self._not_usable(tally)
        code = dropped[0].code if len(dropped) == 1 else "NotEnoughDevices"
        needs = "all devices" if tally.request.takes_all else devices_text(tally.needed)
        reason = self._reason(
            code, f"{self._named(tally)} needs {needs}; {await free_text(pairs, self.describer.turns)}", tally
        )
        reason.details = await self._details(node, tally)
        for other, own in pairs[1:NODES_TRIED]:
            parts = await self._not_usable(own)
            reason.details += [f"node {other.name}: {devices_text(one.devices)}: {one.text}" for one in parts]
            dropped += parts
        reason.blame = list(dict.fromkeys(one for part in dropped for one in part.blame))
        return reason

    async def _not_usable(self, tally: RequestTally) -> list[Dropped]:
        return [one for one in await self.describer.dropped(tally) if one.code not in OF_SELECTORS]

    async def _details(self, node: NodeTally, tally: RequestTally) -> list[str]:
        class_name = tally.request.device_class["metadata"]["name"]
        drivers = drivers_of_class(tally.request.device_class)
        own = tally.published_by(drivers)
        of = f" of driver {drivers[0]}" if len(drivers) == 1 and own < tally.published else ""
        counts = (
            f"node {node.name} publishes {devices_text(own if of else tally.published)}{of}; "
            f"{counted(tally.in_class, 'match')} class {class_name}, "
            f"{counted(tally.selected, 'match')} the request's selectors, "
            f"{counted(len(tally.usable), 'are')} free"
        )
        dropped = [one for one in await self.describer.dropped(tally) if not one.is_by_driver]
        return [counts, *(f"{devices_text(one.devices)}: {one.text}" for one in dropped)]

    # several requests ---------------------------------------------------------------------------

    async def _no_single_node(self, best: Sequence[NodeTally]) -> Reason:
        """Explains that each request is possible on some node, but no node can serve all requests."""
        details = []
        for number in range(self._request_count):
            on = [node.name for node in self.nodes if any(one.is_enough for one in node.requests[number])]
            details.append(f"{self._named(self.nodes[0].requests[number][0])}: possible on {node_names(on)}")
        tally = best[0].short[0][0]
        text = f"no node can serve all {self._request_count} requests; each is possible on some node"
        reason = self._reason("NoNodeForAllRequests", text, tally)
        reason.details = details
        for node in best[:NODES_TRIED]:
            changes = Changes(self.trial, self.describer, self.cases[node.name])
            for choices in node.short:
                reason.changes += await changes.for_request(choices[0], node)
        reason.changes = distinct(sorted(reason.changes, key=lambda change: change.rank))
        return self._placed(reason, self.nodes)

    # parts --------------------------------------------------------------------------------------

    def _reason(self, code: str, text: str, tally: RequestTally) -> Reason:
        claim = reference("ResourceClaim", tally.claim)
        request = tally.request.full_name
        return Reason(str(code), text, object=claim, path=tally.place, claim=claim, request=request)

    def _placed(self, reason: Reason, nodes: Sequence[NodeTally]) -> Reason:
        reason.nodes = sorted(node.name for node in nodes)[:NAMES_SHOWN]
        reason.node_count = len(nodes)
        return reason

    def _named(self, tally: RequestTally, name: str = "") -> str:
        request = f"request {name or tally.request.full_name}"
        return request if self.one_claim else f"{request} of {claim_name(tally.claim)}"
