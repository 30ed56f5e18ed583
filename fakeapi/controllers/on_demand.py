"""OnDemand: starts a controller when the first object of its kind exists.

A server without Deployments then has no informer of them, and does not import the code of their controller.
"""

from importlib import import_module
from typing import Any, cast

from fakeapi.controllers.controller import Controller, ControllerContext, MakeController
from fakeapi.controllers.inventory import has_objects
from fakeapi.controllers.place import Place
from fakeapi.controllers.served import find_resource


def imported(place: Place) -> MakeController:
    """Imports the module of a controller and returns the class."""
    return cast("MakeController", getattr(import_module(place.module), place.member))


class OnDemand(Controller):
    """Stands for a controller, and starts it when the first object of one of its resources is stored."""

    def __init__(self, context: ControllerContext, place: Place) -> None:
        super().__init__(context)
        self._place = place
        self._controller: Controller | None = None
        self._is_stopped = False

    async def start(self) -> None:
        cluster = self.context.cluster
        found = (find_resource(cluster.catalogue, *name) for name in self._place.needs)
        resources = [resource for resource in found if resource is not None]
        if any(has_objects(cluster, resource) for resource in resources):
            await self._begin()
            return
        for resource in resources:
            cluster.store.on_first_change(resource.prefix, self._wake, self.context.name)

    def _wake(self) -> None:
        if self._controller is None and not self._is_stopped:
            self.context.spawn(self._begin())

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
