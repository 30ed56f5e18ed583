"""The plugin ResourceQuota: charges the quotas of a namespace for what is written to it.

Quotas are enforced by their status, which a controller fills in; one without a status lets everything pass.
"""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.resource_quota.charges import charges
from fakeapi.admission.plugins.resource_quota.evaluators import Evaluator, evaluator_of
from fakeapi.kinds.common.pod_resources import Resources
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.updating import update

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

ATTEMPTS = 4
"""Number of attempts to write a status on conflict; after the last one the conflict is raised."""

_RESOURCE = "resourcequotas"


class ResourceQuota(AdmissionPlugin):
    """Charges one write of a namespace after the other."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._evaluators: WeakKeyDictionary[Resource, Evaluator] = WeakKeyDictionary()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 403 for a write that exceeds a quota, 409 where a quota changes all the time."""
        evaluator = self._evaluator(attributes.resource)
        if not evaluator.handles(attributes) or not self._quotas(attributes.namespace):
            return None
        return self._charge(attributes, evaluator)

    def _evaluator(self, resource: "Resource") -> Evaluator:
        found = self._evaluators.get(resource)
        if found is None:
            found = self._evaluators[resource] = evaluator_of(resource, self.objects)
        return found

    def _quotas(self, namespace: str) -> list[Object]:
        return list(self.objects.list("", _RESOURCE, namespace))

    async def _charge(self, attributes: Attributes, evaluator: Evaluator) -> None:
        lock = self._locks.setdefault(attributes.namespace, asyncio.Lock())
        async with lock:
            await self._charge_alone(attributes, evaluator)

    async def _charge_alone(self, attributes: Attributes, evaluator: Evaluator) -> None:
        """Quotas whose status was written are not looked at again; one that is gone no longer counts."""
        quotas, failed = self._quotas(attributes.namespace), None
        for _ in range(ATTEMPTS):
            new = charges(quotas, attributes, evaluator)
            if attributes.dry_run:
                return
            failed, again = None, set()
            for quota in quotas:
                name = quota["metadata"]["name"]
                if name not in new:
                    continue
                try:
                    await self._write(quota, new[name])
                except ApiError as error:
                    failed = error
                    again.add(name)
            if failed is None:
                return
            quotas = [
                each for each in self._quotas(attributes.namespace) if each["metadata"]["name"] in again
            ]
        if failed is not None:
            raise failed

    async def _write(self, quota: Object, used: Resources) -> None:
        """Raises ApiError."""
        resource = self.objects.find("", "v1", _RESOURCE)
        assert resource is not None, "there are quotas"
        status = {**quota["status"], "used": dict(sorted(used.items()))}
        body = resource.from_hub({**quota, "status": status})
        meta = quota["metadata"]
        target = ObjectReference(meta["namespace"], meta["name"], "status")
        options = WriteOptions(manager="kube-apiserver")
        await update(self.server, resource, target, body, options, Warnings())
