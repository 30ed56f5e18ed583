"""Compares two servers' responses to one request. Ignores the order of bindings.

kube-apiserver lists bindings from an informer. The informer's order differs from start to start.
"""

import json
import re
from typing import Any

from tests.differential.rbac.servers import Answer, Request

_SEVERAL = re.compile(r"RBAC: \[(.*?)\](?=\n|$)")
_ALLOWED_BY = re.compile(r"^RBAC: allowed by .*", re.DOTALL)
_ESCALATION = ("is attempting to grant RBAC permissions", "to use the aggregationRule")


def difference(request: Request, own: Answer, real: Answer) -> str:
    """Returns the kind of difference: "the code", "the message" or "the review"; "" for no difference.

    `own`: the response of fakeapi. `real`: the response of kube-apiserver.
    """
    if own.code != real.code:
        is_allowed = not {own.code, real.code} & {401, 403}
        return "" if is_allowed and _is_not_served(request) else "the code"
    if own.code == 403 and in_order(own.message) != in_order(real.message):
        return "the message"
    if own.code == 201 and "reviews" in request.path and _status(own) != _status(real):
        return "the review"
    return ""


def is_escalation(answer: Answer) -> bool:
    """Whether the server rejected a write because it would grant permissions that the client lacks."""
    return answer.code == 403 and any(text in answer.message for text in _ESCALATION)


def _is_not_served(request: Request) -> bool:
    """Whether a request reads container logs or the metrics of the server. fakeapi serves neither."""
    return request.path.endswith("/log") or request.path == "/metrics"


def in_order(text: str) -> str:
    """Returns the text of an authorizer's reason with sorted errors and bindings."""
    text = _SEVERAL.sub(lambda match: f"RBAC: {sorted(match[1].split(', '))}", text)
    head, marker, errors = text.partition("; resolution errors: [")
    return f"{head}{marker}{sorted(errors.strip('[]').split(', '))}" if marker else text


def shown(answer: Answer, other: Answer) -> str:
    """Returns a response as text for the report.

    For reviews, shows only the fields that differ from `other`.
    """
    if answer.code != 201 or other.code != 201:
        return answer.message or str(answer.body)[:200]
    status, others = _status(answer), _status(other)
    rest: dict[str, Any] = {}
    for name, value in status.items():
        against = others.get(name)
        if isinstance(value, list) and isinstance(against, list):
            rest[name] = [item for item in value if value.count(item) != against.count(item)]
        elif value != against:
            rest[name] = value
    return json.dumps(rest)


def _status(answer: Answer) -> Any:
    """Returns the status of a review with sorted rules and errors, and without the names of bindings."""
    status = dict(answer.body.get("status") or {})
    if "reason" in status:
        status["reason"] = _ALLOWED_BY.sub("RBAC: allowed", in_order(status["reason"]))
    for name in ("resourceRules", "nonResourceRules"):
        status[name] = sorted(json.dumps(rule, sort_keys=True) for rule in status.get(name) or ())
    if "evaluationError" in status:
        status["evaluationError"] = sorted(status["evaluationError"].strip("[]").split(", "))
    return status
