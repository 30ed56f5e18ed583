"""OnDemand: starts a controller when the first object of its kind exists.

For example, a server without Deployments has no informer of Deployments, and does not import the controller
of Deployments.
"""

from importlib import import_module
from typing import Any, cast

from fakeapi.controllers.controller import Controller, ControllerContext, MakeController
from fakeapi.controllers.place import Place
from fakeapi.controllers.served import find_resource
from fakeapi.registry.model.resource import Resource


def imported(place: Place) -> MakeController:
    """Imports the module of a controller and returns the class."""
    return cast("MakeController", getattr(import_module(place.module), place.member))


class OnDemand(Controller):
    """Replaces a controller until the first object of one of its resources is stored; then starts the
    controller.
    """

    def __init__(self, context: ControllerContext, place: Place) -> None:
        super().__init__(context)
        self._place = place
        self._controller: Controller | None = None
        self._is_stopped = False

    async def start(self) -> None:
        if self._is_needed():
            await self._begin()
        else:
            self._wait()

    def _resources(self) -> list[Resource]:
        catalogue = self.context.cluster.catalogue
        resources = (find_resource(catalogue, *name) for name in self._place.needs)
        return [resource for resource in resources if resource is not None]

    def _is_needed(self) -> bool:
        """Whether the cluster has more objects of the controller's resources than every new cluster has."""
        inventory, initial = self.context.cluster.inventory, self._place.initial
        return any(inventory.has_objects(resource, more_than=initial) for resource in self._resources())

    def _wait(self) -> None:
        for resource in self._resources():
            store = self.context.cluster.store
            store.on_first_change(resource.prefix, self._wake, self.context.name)

    def _wake(self) -> None:
        if self._controller is not None or self._is_stopped:
            return
        if self._is_needed():
            self.context.spawn(self._begin())
        else:
            self._wait()

    async def _begin(self) -> None:
        if self._controller is None:
            self._controller = imported(self._place)(self.context)
            await self._controller.start()

    async def reconcile(self, key: Any) -> None:
        if self._controller is not None:
            await self._controller.reconcile(key)

    async def stop(self) -> None:
        self._is_stopped = True
        if self._controller is not None:
            await self._controller.stop()
