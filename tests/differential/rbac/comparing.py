"""What two answers to one request differ in, apart from the order of bindings.

kube-apiserver lists bindings from an informer, whose order differs from run to run.
"""

import json
import re
from typing import Any

from tests.differential.rbac.servers import Answer, Request

_SEVERAL = re.compile(r"RBAC: \[(.*?)\](?=\n|$)")
_ALLOWED_BY = re.compile(r"^RBAC: allowed by .*", re.DOTALL)
_ESCALATION = ("is attempting to grant RBAC permissions", "to use the aggregationRule")


def difference(request: Request, own: Answer, real: Answer) -> str:
    """Says which part of two answers differs; empty where they agree."""
    if own.code != real.code:
        is_allowed = not {own.code, real.code} & {401, 403}
        return "" if is_allowed and _is_not_served(request) else "the code"
    if own.code == 403 and in_order(own.message) != in_order(real.message):
        return "the message"
    if own.code == 201 and "reviews" in request.path and _status(own) != _status(real):
        return "the review"
    return ""


def is_escalation(answer: Answer) -> bool:
    """Whether a write was refused because it would give more than its client has."""
    return answer.code == 403 and any(text in answer.message for text in _ESCALATION)


def _is_not_served(request: Request) -> bool:
    """Whether a request is for what this server does not have: a kubelet and metrics."""
    return request.path.endswith("/log") or request.path == "/metrics"


def in_order(text: str) -> str:
    """A reason whose errors of several bindings are sorted."""
    text = _SEVERAL.sub(lambda match: f"RBAC: {sorted(match[1].split(', '))}", text)
    head, marker, errors = text.partition("; resolution errors: [")
    return f"{head}{marker}{sorted(errors.strip('[]').split(', '))}" if marker else text


def shown(answer: Answer, other: Answer) -> str:
    """An answer for a reader: of two reviews, what the other one does not have."""
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
    """The status of a review, with rules and errors sorted; of several bindings any may be the reason."""
    status = dict(answer.body.get("status") or {})
    if "reason" in status:
        status["reason"] = _ALLOWED_BY.sub("RBAC: allowed", in_order(status["reason"]))
    for name in ("resourceRules", "nonResourceRules"):
        status[name] = sorted(json.dumps(rule, sort_keys=True) for rule in status.get(name) or ())
    if "evaluationError" in status:
        status["evaluationError"] = sorted(status["evaluationError"].strip("[]").split(", "))
    return status
