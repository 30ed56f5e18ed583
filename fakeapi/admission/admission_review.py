"""AdmissionReview: the JSON that the server sends to admission webhooks, and receives from them.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook/request` and `pkg/admission/plugin/webhook/errors`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.base64_decoding import decode_base64
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.webhooks.answers import ReviewType, error_of
from fakeapi.registry.webhooks.types import admission_review_type
from fakeapi.releases.quirks import Quirks

GROUP = "admission.k8s.io"
JSON_PATCH = "JSONPatch"
_KIND = "AdmissionReview"
_VERSIONS = ("v1", "v1beta1")


class UnacceptableReview(Exception):
    """Raised if the response of a webhook contains no valid verdict. Has upstream's message."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict in the response of an admission webhook.

    `status`: the Status that explains a denial; None if the webhook sent no Status. `patch`: the JSON patch
    of a mutating webhook; b"" for no patch.
    """

    allowed: bool
    status: Object | None = None
    patch: bytes = b""
    patch_type: str = ""
    warnings: Sequence[str] = ()


def review_version(versions: Sequence[str]) -> str:
    """Returns the first version of AdmissionReview that a webhook accepts and the server supports.

    Returns "" if the server supports none of `versions`.
    """
    return next((version for version in versions if version in _VERSIONS), "")


def review_type(version: str, quirks: Quirks) -> ReviewType:
    """Returns the expected type of the response to an AdmissionReview of this version."""
    return ReviewType(GROUP, version, _KIND, admission_review_type(version), quirks.webhook_scheme_line)


def review_of(version: str, request: Mapping[str, Any]) -> Object:
    """Returns the AdmissionReview that contains an AdmissionRequest."""
    return {"kind": _KIND, "apiVersion": f"{GROUP}/{version}", "request": request}


def verdict_of(review: Object, version: str, uid: str, *, mutating: bool) -> Verdict:
    """Returns the verdict in a webhook's response.

    Raises UnacceptableReview if the response has no valid verdict.

    - `version`: the version of the AdmissionReview that the webhook received.
    - `uid`: the uid of the request. A v1 response must repeat the uid.
    - `mutating`: whether the webhook is a mutating webhook.
    """
    response = review.get("response")
    if response is None:
        raise UnacceptableReview("webhook response was absent")
    if version == "v1":
        _check(review, response, uid, mutating=mutating)
    patch = decode_base64(response.get("patch") or "") if mutating else b""
    patch_type = (response.get("patchType") or "") if version == "v1" else JSON_PATCH
    return Verdict(
        allowed=response.get("allowed") or False,
        status=response.get("status"),
        patch=patch,
        patch_type=patch_type if patch else "",
        warnings=[text or "" for text in response.get("warnings") or ()],
    )


def _check(review: Object, response: Object, uid: str, *, mutating: bool) -> None:
    """Checks a webhook's response to a v1 AdmissionReview.

    Raises UnacceptableReview if the uid, apiVersion, kind, patch or patchType of the response is wrong. Like
    upstream, the server does not check responses to a v1beta1 AdmissionReview.

    - `response`: the field `response` of `review`
    - `uid`: the uid of the AdmissionRequest, which the response must repeat
    - `mutating`: whether the webhook is a mutating webhook; only a mutating webhook may return a patch
    """
    response_uid = response.get("uid") or ""
    if response_uid != uid:
        raise UnacceptableReview(f"expected response.uid={quote(uid)}, got {quote(response_uid)}")
    stated = f"{review.get('apiVersion') or '/'}, Kind={review.get('kind') or ''}"
    if stated != f"{GROUP}/v1, Kind={_KIND}":
        raise UnacceptableReview(f"expected webhook response of {GROUP}/v1, Kind={_KIND}, got {stated}")
    patch, patch_type = response.get("patch") or "", response.get("patchType")
    if not mutating:
        for name, value in (("patch", patch or None), ("patchType", patch_type)):
            if value is not None:
                raise UnacceptableReview(f"validating webhook may not return response.{name}")
    elif patch and patch_type is None:
        raise UnacceptableReview("webhook returned response.patch but not response.patchType")
    elif not patch and patch_type is not None:
        raise UnacceptableReview("webhook returned response.patchType but not response.patch")
    elif patch_type is not None and not patch_type:
        raise UnacceptableReview('webhook returned invalid response.patchType of ""')


def refusal(name: str, status: Object | None) -> ApiError:
    """Returns the error for a write that a webhook denies. The status code of the error is at least 400.

    `name`: the name of the webhook. `status`: the Status in the response of the webhook; None without a
    Status.
    """
    error = error_of(status or {})
    why = error.message or error.reason
    explained = f": {why}" if why else " without explanation"
    return ApiError(
        max(error.code, 400),
        error.reason,
        f"admission webhook {quote(name)} denied the request{explained}",
        error.details,
    )
