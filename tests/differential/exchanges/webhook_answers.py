"""The responses of the webhook endpoint, by the name of a rule in the URL path.

A rule does not depend on the server that asks, so both servers get the same verdicts.
"""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Review = dict[str, Any]
REVIEW_V1 = "admission.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response of the endpoint.

    `seconds`: how long the endpoint waits before it sends the response.
    """

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    seconds: float = 0.0


Rule = Callable[[Review], Response]


def _verdict(review: Review, fields: Mapping[str, Any], **around: Any) -> bytes:
    """Returns a review with a response. `around`: replaces members of the review; None removes a member."""
    response = {"uid": review["request"]["uid"], **fields}
    members = {"kind": review["kind"], "apiVersion": review["apiVersion"], "response": response, **around}
    return json.dumps({name: value for name, value in members.items() if value is not None}).encode()


def _allow(**fields: Any) -> Rule:
    return lambda review: Response(_verdict(review, {"allowed": True, **fields}))


def _deny(**status: Any) -> Rule:
    return lambda review: Response(
        _verdict(review, {"allowed": False, **({"status": status} if status else {})})
    )


def _patch(*operations: Any, patch_type: str | None = "JSONPatch") -> Rule:
    return _encoded_patch(json.dumps(operations), patch_type)


def _encoded_patch(patch: str, patch_type: str | None = "JSONPatch") -> Rule:
    encoded = base64.b64encode(patch.encode()).decode()
    return _allow(patch=encoded, **({} if patch_type is None else {"patchType": patch_type}))


def _around(**around: Any) -> Rule:
    """Allows the write with a review that has other members; None removes a member."""
    return lambda review: Response(_verdict(review, {"allowed": True}, **around))


def _plain(body: str, status: int = 200, content_type: str = "application/json") -> Rule:
    return lambda _: Response(body.encode(), status, content_type)


def _slow(review: Review) -> Response:
    return Response(_verdict(review, {"allowed": True}), seconds=SLOW_SECONDS)


def _status(code: int, reason: str) -> str:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return json.dumps({**status, "message": f"{reason} of the webhook", "reason": reason, "code": code})


def _label(name: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": f"/metadata/labels/{name}", "value": value}


SLOW_SECONDS = 1.4
"""The seconds that the rule `slow` waits. Webhooks with this rule have a timeout of 1 second."""

_CAUSES = {"causes": [{"reason": "FieldValueInvalid", "message": "bad", "field": "data.a"}]}
VALIDATING: Mapping[str, Rule] = {
    "allow": _allow(),
    "warn": _allow(warnings=["be careful", "be careful", "", "x" * 300]),
    "audit": _allow(auditAnnotations={"a": "b", "c/d": "e"}),
    "allow-with-status": _allow(status={"code": 403, "message": "ignored"}),
    "deny": _deny(),
    "deny-message": _deny(message="not today"),
    "deny-code": _deny(code=409, reason="Conflict", message="not today"),
    "deny-reason": _deny(reason="Forbidden"),
    "deny-low-code": _deny(code=200, message="low"),
    "deny-odd-code": _deny(code=599, message="odd", status="Success"),
    "deny-details": _deny(code=422, reason="Invalid", message="bad", details={"name": "n", **_CAUSES}),
    "deny-retry": _deny(code=429, reason="TooManyRequests", details={"retryAfterSeconds": 2}),
    "deny-with-warning": lambda review: Response(
        _verdict(review, {"allowed": False, "warnings": ["also"], "status": {"message": "no"}})
    ),
}
"""Rules that return a valid verdict, without a patch."""

MUTATING: Mapping[str, Rule] = {
    "label": _patch(_label("mutated", "yes")),
    "other-label": _patch(_label("mutated", "no")),
    "same": _patch({"op": "test", "path": "/kind", "value": "Nothing"}, _label("never", "a")),
    "no-operations": _patch(),
    "annotate": _patch({"op": "add", "path": "/metadata/annotations", "value": {"a": "mutated"}}),
    "finalizer": _patch({"op": "add", "path": "/metadata/finalizers", "value": ["example.com/hook"]}),
    "remove-labels": _patch({"op": "remove", "path": "/metadata/labels"}),
    "rename": _patch({"op": "replace", "path": "/metadata/name", "value": "renamed"}),
    "move": _patch({"op": "add", "path": "/metadata/namespace", "value": "default"}),
    "invalid-label": _patch(_label("mutated", "not valid!")),
    "wrong-type": _patch(_label("mutated", {"a": 1})),
    "unknown-field": _patch({"op": "add", "path": "/unknownField", "value": 1}),
    "missing-path": _patch({"op": "replace", "path": "/none/of/these", "value": 1}),
    "remove-missing": _patch({"op": "remove", "path": "/metadata/labels/none"}),
    "bad-operation": _patch({"op": "paint", "path": "/metadata/labels/a", "value": "b"}),
    "managed-fields": _patch({"op": "add", "path": "/metadata/managedFields", "value": []}),
    "bad-managed-fields": _patch(
        {"op": "add", "path": "/metadata/managedFields", "value": [{"operation": "Apply", "manager": "m"}]}
    ),
    "spec-null": _patch({"op": "add", "path": "/spec", "value": None}),
    "copy": _patch({"op": "copy", "from": "/metadata/name", "path": "/metadata/labels/copied"}),
    "owner": _patch(
        {
            "op": "add",
            "path": "/metadata/ownerReferences",
            "value": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}],
        }
    ),
    "uid": _patch({"op": "add", "path": "/metadata/uid", "value": "other"}),
    "version": _patch({"op": "add", "path": "/metadata/resourceVersion", "value": "1"}),
    "generation": _patch({"op": "add", "path": "/metadata/generation", "value": 9}),
    "created": _patch({"op": "add", "path": "/metadata/creationTimestamp", "value": "2020-01-01T00:00:00Z"}),
}
"""Rules that return a patch. Validating webhooks may not return a patch."""

WRONG: Mapping[str, Rule] = {
    "no-json": _plain("not json"),
    "half-json": _plain('{"kind": "AdmissionReview", "apiVersion": '),
    "empty": _plain(""),
    "html": _plain("<html></html>", content_type="text/html"),
    "odd-media-type": _plain("{}", content_type="a/b/c"),
    "list": _plain("[]"),
    "not-found": _plain("no such page", 404, "text/plain"),
    "error-text": _plain('it "broke"', 500, "text/plain"),
    "error-json": _plain('{"error": "broke"}', 500),
    "error-status": _plain(_status(403, "Forbidden"), 403),
    "error-unavailable": _plain(_status(503, "ServiceUnavailable"), 503),
    "redirect": _plain("", 302, "text/plain"),
    "teapot": _plain("short and stout", 418, "text/plain"),
    "no-content": _plain("", 204),
    "ok-status": _plain(_status(200, "Success")),
    "no-response": _around(response=None),
    "no-kind": _around(kind=None),
    "no-version": _around(apiVersion=None),
    "other-kind": _around(kind="Review"),
    "other-version": _around(apiVersion="admission.k8s.io/v1beta1"),
    "unknown-version": _around(apiVersion="admission.k8s.io/v7"),
    "other-group": _around(apiVersion="v1", kind="Pod"),
    "other-uid": _allow(uid="other"),
    "no-uid": _allow(uid=""),
    "allowed-text": _allow(allowed="yes"),
    "patch-without-type": _patch(_label("mutated", "yes"), patch_type=None),
    "type-without-patch": _allow(patchType="JSONPatch"),
    "other-patch-type": _patch(_label("mutated", "yes"), patch_type="MergePatch"),
    "empty-patch-type": _allow(patchType=""),
    "bad-patch": _encoded_patch("{not a patch"),
    "object-patch": _encoded_patch('{"op": "add"}'),
    "bad-base64": _allow(patch="***", patchType="JSONPatch"),
    "warnings-text": _allow(warnings="text"),
}
"""Rules whose response is not a valid verdict; some are valid for one sort of webhook or review version."""

RULES: Mapping[str, Rule] = {**VALIDATING, **MUTATING, **WRONG, "slow": _slow}
PROBE = "probe"
"""The rule that refuses every object. Its reviews are not recorded."""


def respond(path: str, review: Review) -> Response:
    """Returns the response to a review at a URL path such as `/2/deny-code`; 404 for an unknown rule."""
    name = path.rpartition("/")[2]
    if name == PROBE:
        return _deny(message="probe")(review)
    rule = RULES.get(name)
    return Response(b"no such rule", 404, "text/plain") if rule is None else rule(review)
