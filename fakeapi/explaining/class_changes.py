"""Finds changes for a request whose class selects a driver that publishes no devices."""

from collections.abc import Sequence
from dataclasses import dataclass

from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.device_changes import recreate_text, start_change
from fakeapi.explaining.harms import harm_to_class_users
from fakeapi.explaining.model import Change, Reference
from fakeapi.explaining.similar import nearest
from fakeapi.explaining.tally import RequestTally
from fakeapi.explaining.trial import Case, Trial

NODES_TRIED = 3
"""Maximum number of nodes on which another class or driver is tried.

Nodes that lack the fewest devices come first.
"""


@dataclass(frozen=True, slots=True)
class ClassChanges:
    """Finds changes of a DeviceClass, and other DeviceClasses that the claim could name.

    Suggests only classes and drivers with a similar name, because other names mean other hardware.

    - `places`: the tally of the request on each node, with the case of the node; the best node first.
    """

    cluster: ClusterObjects
    trial: Trial
    places: Sequence[tuple[Case, RequestTally]]

    async def for_silent_driver(self, driver: str, expression: str, path: str) -> list[Change]:
        """Returns the changes for a class that selects a driver without devices; sufficient changes first.

        `expression` and `path`: the expression of the class's selector with the driver's name, and its field
        path.
        """
        changes = [
            start_change(driver),
            await self._correct_driver(driver, expression, path),
            await self._other_class(),
        ]
        return sorted(changes, key=lambda change: change.rank)

    async def _correct_driver(self, driver: str, expression: str, path: str) -> Change:
        """Returns the change that corrects the driver name in the selector of a DeviceClass."""
        device_class = self.places[0][1].request.device_class
        owner = Reference("DeviceClass", device_class["metadata"]["name"])
        near = nearest(driver, self._drivers)
        harm = harm_to_class_users(self.cluster, owner, self.places[0][1].claim)
        text = f"correct the driver {driver} in {path} of {owner}"
        if not near:
            return Change(f"{text}, if the name is wrong", "edit", [owner], path, harm=harm)
        corrected = {"cel": {"expression": expression.replace(driver, near)}}
        selectors = [
            corrected if one["cel"]["expression"] == expression else one
            for one in device_class["spec"].get("selectors") or ()
        ]
        spec = {**device_class["spec"], "selectors": selectors}
        works = await self._first_node(
            [self.trial.with_class(case, owner.name, spec) for case, _ in self.places[:NODES_TRIED]]
        )
        text = f"write {near} instead of {driver} in {path} of {owner}"
        return Change(
            text, "edit", [owner], path, node=works or "", sufficient=works is not None, value=near, harm=harm
        )

    async def _other_class(self) -> Change:
        tally = self.places[0][1]
        path = f"{tally.place}.deviceClassName"
        claim = reference("ResourceClaim", tally.claim)
        names = [one["metadata"]["name"] for one in self.cluster.of("deviceclasses")]
        own = tally.request.device_class["metadata"]["name"]
        near = nearest(own, names)
        if not near:
            return Change(recreate_text(tally.claim, f"another class in {path}"), "edit", [claim], path)
        works = await self._first_node(
            [case.with_edit(one.claim, path, near) for case, one in self.places[:NODES_TRIED]]
        )
        text = recreate_text(tally.claim, f"{near} instead of {own} in {path}")
        return Change(text, "edit", [claim], path, node=works or "", sufficient=works is not None, value=near)

    async def _first_node(self, cases: Sequence[Case]) -> str | None:
        """Returns the first node on which the claims of a case can be allocated; None without such a node."""
        for case in cases:
            if await self.trial.allocates(case):
                return str(case.node["metadata"]["name"])
        return None

    @property
    def _drivers(self) -> list[str]:
        """The drivers that publish devices."""
        return sorted(
            {one["spec"]["driver"] for one in self.cluster.of("resourceslices") if one["spec"].get("devices")}
        )
