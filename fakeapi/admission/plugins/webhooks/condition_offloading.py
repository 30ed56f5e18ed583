"""Matches webhooks to writes. Evaluates match conditions with a high CEL cost in a thread."""

import asyncio
from functools import partial

from fakeapi.admission.plugins.webhooks.configurations import Webhook
from fakeapi.admission.plugins.webhooks.matching import Invocation, invocation_of
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.admission.policies.authority import is_asked, prepare
from fakeapi.machinery.cel.allowance import AllowanceSpent
from fakeapi.registry.objects import reading_on
from fakeapi.registry.offloading.rerun import completed, completed_by
from fakeapi.registry.server import Server


async def matched_invocation(webhook: Webhook, write: VersionedWrite, server: Server) -> Invocation | None:
    """Returns the Invocation of a webhook for a write; None if the webhook does not match.

    Prepares the authorizer if a match condition uses the CEL variable `authorizer`.

    Raises ApiError:

    - 403: the evaluation of a match condition fails, and the failurePolicy is not Ignore
    - 404: a namespaceSelector needs the labels of a namespace that does not exist
    - 500: a conversion fails
    """
    step = partial(invocation_of, webhook, write, server)
    conditions = webhook.settings.get("matchConditions") or ()
    if not conditions:
        return await completed(step)
    if is_asked(conditions, server):
        await prepare(server)
    try:
        return await completed(partial(server.heavy.on_event_loop, step))
    except AllowanceSpent:
        reading = partial(reading_on, asyncio.get_running_loop(), step)
        return await completed_by(partial(server.heavy.in_thread, reading))
