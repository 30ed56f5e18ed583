"""ValidatingAdmissionWebhook: calls all matching webhooks at the same time. A webhook may deny the write.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook/validating`. The client gets the error of the first
webhook that denies the write.
"""

import asyncio
from collections.abc import Awaitable
from typing import ClassVar

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.webhooks.calling import WebhookFailed, ask
from fakeapi.admission.plugins.webhooks.condition_offloading import matched_invocation
from fakeapi.admission.plugins.webhooks.configurations import Configurations, Webhook
from fakeapi.admission.plugins.webhooks.matching import Invocation, is_exempt
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.server import Server


class ValidatingWebhooks(AdmissionPlugin):
    operations: ClassVar[frozenset[Operation]] = frozenset(Operation)

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._configurations = Configurations(server.objects, "validatingwebhookconfigurations")

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Calls all matching webhooks. Raises ApiError if a webhook denies the write.

        If the call of a webhook fails or the response is invalid, raises ApiError 500 unless the
        failurePolicy is Ignore.
        """
        webhooks = [] if is_exempt(attributes.resource) else self._configurations.webhooks()
        return self._ask_matching(webhooks, attributes) if webhooks else None

    async def _ask_matching(self, webhooks: list[Webhook], attributes: Attributes) -> None:
        write = VersionedWrite(attributes, in_hub=True)
        candidates = [await matched_invocation(webhook, write, self.server) for webhook in webhooks]
        invocations = [invocation for invocation in candidates if invocation is not None]
        if invocations:
            await self._ask_all(invocations, write)

    async def _ask_all(self, invocations: list[Invocation], write: VersionedWrite) -> None:
        refusals: list[ApiError] = []
        async with asyncio.TaskGroup() as group:
            for invocation in invocations:
                group.create_task(self._ask(invocation, write, refusals))
        if refusals:
            raise refusals[0]

    async def _ask(self, invocation: Invocation, write: VersionedWrite, refusals: list[ApiError]) -> None:
        try:
            await ask(self.server.webhooks, invocation, write, mutating=False)
        except ApiError as error:
            refusals.append(error)
        except WebhookFailed as error:
            if not invocation.webhook.ignores_failures:
                refusals.append(errors.internal(str(error)))
