"""Calls an admission webhook for a write.

Follows `callHook` and `callAttrMutatingHook` in k8s.io/apiserver `pkg/admission/plugin/webhook`.
"""

from functools import partial
from uuid import uuid4

from fakeapi.admission.admission_request import admission_request, options_of
from fakeapi.admission.admission_review import (
    UnacceptableReview,
    Verdict,
    refusal,
    review_of,
    review_type,
    review_version,
    verdict_of,
)
from fakeapi.admission.plugins.webhooks.matching import Invocation
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.machinery import errors
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.webhooks.clients import SECONDS, CallFailed, NoClient, WebhookClients

_QUIET = ("None", "NoneOnDryRun")
_UNKNOWN_VERSION = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"


class WebhookFailed(Exception):
    """Raised if the call of a webhook failed, or if its response is invalid. Has upstream's message.

    The failurePolicy of the webhook decides whether the write fails.
    """

    def __init__(self, name: str, reason: object) -> None:
        super().__init__(f"failed calling webhook {quote(name)}: {reason}")


async def ask(
    clients: WebhookClients, invocation: Invocation, write: VersionedWrite, *, mutating: bool
) -> Verdict:
    """Calls a webhook for a write, adds its warnings to the response, and returns its verdict.

    `mutating`: whether the webhook is a mutating webhook. Raises WebhookFailed if the call fails or the
    webhook's response is invalid. Raises ApiError if the webhook denies the write. Raises ApiError 400 for a
    dry run if the webhook does not support dry runs.
    """
    webhook, settings = invocation.webhook, invocation.webhook.settings
    attributes = write.attributes
    if attributes.dry_run and settings.get("sideEffects") not in _QUIET:
        raise errors.bad_request(f"admission webhook {quote(webhook.name)} does not support dry run")
    version = review_version(settings.get("admissionReviewVersions") or ())
    if not version:
        raise WebhookFailed(webhook.name, f"could not create admission objects: {_UNKNOWN_VERSION}")
    uid = str(uuid4())
    review = review_of(version, await completed(partial(_request, invocation, write, uid)))
    expected = review_type(version, invocation.resource.release.quirks)
    seconds = float(settings.get("timeoutSeconds") or SECONDS)
    try:
        answered = await clients.call(settings["clientConfig"], review, expected, seconds)
    except NoClient as error:
        raise WebhookFailed(webhook.name, f"could not get REST client: {error}") from error
    except CallFailed as error:
        raise WebhookFailed(webhook.name, f"failed to call webhook: {error}") from error
    try:
        verdict = verdict_of(answered, version, uid, mutating=mutating)
    except UnacceptableReview as error:
        raise WebhookFailed(webhook.name, f"received invalid webhook response: {error}") from error
    for text in verdict.warnings:
        attributes.warnings.add(text)
    if not verdict.allowed:
        raise refusal(webhook.name, verdict.status)
    return verdict


def _request(invocation: Invocation, write: VersionedWrite, uid: str) -> Object:
    attributes, resource = write.attributes, invocation.resource
    return {
        **admission_request(attributes, resource, uid),
        "object": write.new_in(resource),
        "oldObject": write.old_in(resource),
        "dryRun": attributes.dry_run,
        "options": options_of(attributes),
    }
