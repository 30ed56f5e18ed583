"""MutatingAdmissionWebhook: calls webhooks one after the other. A webhook may change or deny the write.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook/mutating`. After a webhook has changed the object, all
mutating plugins run a second time. In the second round, the plugin calls only webhooks with the
reinvocationPolicy IfNeeded that it called in the first round.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from fakeapi.admission.admission_review import JSON_PATCH, Verdict
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.webhooks.calling import WebhookFailed, ask
from fakeapi.admission.plugins.webhooks.condition_offloading import matched_invocation
from fakeapi.admission.plugins.webhooks.configurations import Configurations, Webhook
from fakeapi.admission.plugins.webhooks.matching import Invocation, is_exempt
from fakeapi.admission.plugins.webhooks.new_times import has_new_times
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite, plain
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch import json_patch
from fakeapi.machinery.schema.decoding import DecodeError
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.reinvocation import Reinvocation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.offloading.rerun import completed_by
from fakeapi.registry.server import Server


@dataclass(slots=True)
class _Round:
    """The data that the plugin keeps for a write between the two rounds of mutating admission.

    - `asked`: the uids of webhooks to call again if the object changes.
    - `due`: the uids of webhooks to call again in the second round.
    - `result`: the object after the last round.
    - `has_new_times`: whether the next patch counts as a change because of `new_times`.
    """

    asked: set[str] = field(default_factory=set)
    due: set[str] = field(default_factory=set)
    result: Object | None = None
    has_new_times: bool = False

    def object_changed(self) -> None:
        self.due |= self.asked
        self.asked = set()


class MutatingWebhooks(AdmissionPlugin):
    operations: ClassVar[frozenset[Operation]] = frozenset(Operation)

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._configurations = Configurations(server.objects, "mutatingwebhookconfigurations")

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Calls all matching webhooks, and applies their patches.

        Raises ApiError if a webhook denies the write, and ApiError 500 if a patch cannot be applied. If the
        call of a webhook fails or the response is invalid, raises ApiError 500 unless the failurePolicy is
        Ignore.
        """
        webhooks = [] if is_exempt(attributes.resource) else self._configurations.webhooks()
        return self._ask_in_turn(webhooks, attributes) if webhooks else None

    async def _ask_in_turn(self, webhooks: list[Webhook], attributes: Attributes) -> None:
        again = attributes.reinvocation
        if again is None:
            again = attributes.reinvocation = Reinvocation()
        state = again.states.setdefault(MutatingWebhooks, _Round())
        if again.is_second and not _same(state.result, attributes.obj):
            state.object_changed()
        if not again.is_second:
            state.has_new_times = has_new_times(attributes, self.server.store.now())
        write = VersionedWrite(attributes, in_hub=False)
        for webhook in webhooks:
            invocation = await matched_invocation(webhook, write, self.server)
            if invocation is None or (again.is_second and webhook.uid not in state.due):
                continue
            if await self._ask(invocation, write, state):
                state.object_changed()
                again.is_wanted = True
            if webhook.can_be_asked_again:
                state.asked.add(webhook.uid)
        state.result = plain(attributes.obj)

    async def _ask(self, invocation: Invocation, write: VersionedWrite, state: _Round) -> bool:
        """Calls a webhook and applies its patch; returns whether the patch counts as a change of the object.

        Raises ApiError if the webhook denies the write. Raises ApiError 500 if the patch cannot be applied.
        If the call fails or the response is invalid, raises ApiError 500 unless the failurePolicy is Ignore.
        """
        try:
            verdict = await ask(self.server.webhooks, invocation, write, mutating=True)
            if not verdict.patch:
                return False
            run = partial(self.server.heavy.run, len(verdict.patch))
            obj, is_same = await completed_by(partial(run, partial(_patched, verdict, invocation, write)))
            if obj is not None:
                await completed_by(partial(run, partial(write.put, obj, invocation.resource)))
                is_same = is_same and not state.has_new_times
                state.has_new_times = False
            return not is_same
        except WebhookFailed as error:
            if invocation.webhook.ignores_failures:
                return False
            raise errors.internal(str(error)) from error


def _same(one: Any, other: Any) -> bool:
    return bool(semantically_equal(one, plain(other)))


def _patched(verdict: Verdict, invocation: Invocation, write: VersionedWrite) -> tuple[Object | None, bool]:
    """Returns the object after a webhook's patch, and whether the patch left the object unchanged.

    The object is in the API version that the webhook received. If the patch has no operations, returns (None,
    True). `verdict`: the verdict of the webhook, with the patch.

    - Raises WebhookFailed if the patch type is not JSONPatch.
    - Raises ApiError 500 if the patch cannot be applied, or if the write has no new object.
    - Raises WebhookFailed or, in other releases, ApiError 500 if the patch cannot be decoded.
    """
    resource, name = invocation.resource, invocation.webhook.name
    operations = _operations(verdict.patch, invocation)
    if not operations:
        return None, True
    obj = write.new_in(resource)
    if obj is None:
        why = f"admission webhook {quote(name)} attempted to modify the object"
        raise errors.internal(f"{why}, which is not supported for this operation")
    if verdict.patch_type != JSON_PATCH:
        raise WebhookFailed(name, f"unsupported patch type {quote(verdict.patch_type)}")
    try:
        patched = write.read(json_patch.apply(operations, write.document(obj, resource)), resource)
        return patched, _same(plain(obj), patched)
    except ApiError as error:
        raise errors.internal(str(error.__cause__ or error)) from error
    except DecodeError as error:
        raise errors.internal(str(error)) from error


def _operations(patch: bytes, invocation: Invocation) -> list[json_patch.Operation]:
    try:
        return json_patch.decode_operations(patch, checked=False)
    except ApiError as error:
        if invocation.resource.release.quirks.webhook_patch_belongs_to_call:
            why = f"received undecodable patch in webhook response: {error}"
            raise WebhookFailed(invocation.webhook.name, why) from error
        raise errors.internal(str(error)) from error
