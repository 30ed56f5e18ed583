"""DriverStarter: adds the simulated drivers of the option `drivers` at each start and reset of a server."""

from collections.abc import Sequence

from fakeapi.cluster import Attachment, Cluster
from fakeapi.devices.model import DriverSpec
from fakeapi.devices.nodes import Nodes, node_specs
from fakeapi.settings import Settings


def driver_specs(settings: Settings) -> list[DriverSpec]:
    """Returns the drivers of the option `drivers`. Raises DeviceError, a ValueError, if one is invalid."""
    if isinstance(settings.drivers, tuple) and not settings.drivers:
        return []
    from fakeapi.devices.reading import specs_of  # noqa: PLC0415 - loaded only for simulated drivers

    return specs_of(settings.drivers)


def check_nodes(settings: Settings) -> None:
    """Raises DeviceError, a ValueError, if the option `nodes` is invalid."""
    if settings.nodes != "node":
        node_specs(settings.nodes)


class DriverStarter(Attachment):
    """Adds simulated drivers before the controllers start. Attach it before the controllers."""

    def __init__(self, cluster: Cluster, specs: Sequence[DriverSpec], nodes: Nodes) -> None:
        """Stores the drivers to start at the next start or reset of the server.

        `nodes`: the value of the option `nodes`, for drivers without their own nodes.
        """
        self._cluster = cluster
        self._specs = specs
        self._nodes = nodes

    async def start(self) -> None:
        if self._specs:
            nodes = [node.name for node in node_specs(self._nodes)]
            for spec in self._specs:
                self._cluster.drivers.add(spec, nodes)

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            self._cluster.drivers.clear()
            await self.start()
