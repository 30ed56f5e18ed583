"""The plugin ResourceQuota: adds the usage of new and changed objects to the quotas of their namespace.

The plugin enforces `status.hard` of a quota, which kube-controller-manager writes. A quota without a status
has no limits.
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
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.updating import update

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

ATTEMPTS = 4
"""Maximum number of attempts to write the status of a quota after conflicts.

After the last attempt, the client gets 409.
"""

_RESOURCE = "resourcequotas"


class ResourceQuota(AdmissionPlugin):
    """Adds the usage of writes to the status of ResourceQuotas, for one write at a time in each namespace."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._evaluators: WeakKeyDictionary[Resource, Evaluator] = WeakKeyDictionary()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Adds the usage of the write to the quotas of its namespace.

        Raises ApiError 403 if the write exceeds a quota, and 409 after repeated conflicts.
        """
        evaluator = self._evaluator(attributes.resource)
        if not evaluator.handles(attributes) or not self._quotas(attributes.namespace):
            return None
        return self._charge(attributes, evaluator)

    def _evaluator(self, resource: "Resource") -> Evaluator:
        evaluator = self._evaluators.get(resource)
        if evaluator is None:
            evaluator = self._evaluators[resource] = evaluator_of(resource, self.objects)
        return evaluator

    def _quotas(self, namespace: str) -> list[Object]:
        return list(self.objects.list("", _RESOURCE, namespace))

    async def _charge(self, attributes: Attributes, evaluator: Evaluator) -> None:
        lock = self._locks.setdefault(attributes.namespace, asyncio.Lock())
        async with lock:
            await self._charge_alone(attributes, evaluator)

    async def _charge_alone(self, attributes: Attributes, evaluator: Evaluator) -> None:
        """Adds the usage of the write to all quotas. The caller must hold the namespace's lock.

        After a conflict, tries again with the quotas whose status could not be written. Raises ApiError 403
        if the write exceeds a quota, and 409 after ATTEMPTS attempts.
        """
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
                quota for quota in self._quotas(attributes.namespace) if quota["metadata"]["name"] in again
            ]
        if failed is not None:
            raise failed

    async def _write(self, quota: Object, used: Resources) -> None:
        """Writes the new usage `used` to the status of a quota.

        Raises ApiError 409 if the quota has changed meanwhile.
        """
        resource = self.objects.find("", "v1", _RESOURCE)
        assert resource is not None, "there are quotas"
        status = {**quota["status"], "used": dict(sorted(used.items()))}
        body = resource.from_hub({**quota, "status": status})
        meta = quota["metadata"]
        target = ObjectReference(meta["namespace"], meta["name"], "status")
        options = WriteOptions(manager="kube-apiserver")
        await update(WriteRequest(self.server, resource, target, options), body)
