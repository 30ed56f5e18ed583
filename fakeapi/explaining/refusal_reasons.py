"""Explains why the server refused the last writes of an object, from the server's request journal."""

import json
import re
from collections.abc import Sequence
from typing import Any

from fakeapi.explaining.cluster_objects import ClusterObjects, RefusedWrite
from fakeapi.explaining.model import Change, Reason, Reference
from fakeapi.explaining.selector_text import HEADLINE_LENGTH, shortened
from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.devices import BASE_LIBRARIES
from fakeapi.machinery.cel.syntax import Select, qualified_name, walk
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_POLICY = lazy_pattern(
    r"ValidatingAdmissionPolicy '(?P<policy>[^']+)' with binding '(?P<binding>[^']+)' denied request: "
    r"(?P<why>.*)",
    re.DOTALL,
)
_FAILED = "failed expression: "
_LABEL = lazy_pattern(r"requires the `(?P<label>[^`]+)` label on the containing namespace")
VALUES_SHOWN = 8
"""Maximum number of fields whose values a reason shows."""

_WEBHOOK = lazy_pattern(r'admission webhook "(?P<name>[^"]+)" denied the request:? ?(?P<why>.*)', re.DOTALL)


def refused_reasons(cluster: ClusterObjects) -> list[Reason]:
    """Returns the reasons of the refused writes of the explained object, newest first.

    Writes with the same text share one reason. This reason has the details of the newest of these writes.
    """
    reasons: dict[str, Reason] = {}
    for refused in reversed(cluster.refused):
        reason = _reason(cluster, refused)
        reasons.setdefault(reason.text, reason)
    return list(reasons.values())


def _reason(cluster: ClusterObjects, refused: RefusedWrite) -> Reason:
    status = refused.status
    message = str(status.get("message") or f"code {refused.code}")
    details = [f"{refused.verb} of {refused.resource} by {refused.user}"]
    what = f"{refused.verb} refused"
    policy, webhook = _POLICY.search(message), _WEBHOOK.search(message)
    if policy is not None:
        name = policy["policy"]
        text = shortened(f"{what} by policy {name}: {policy['why']}", HEADLINE_LENGTH)
        details.append(f"binding {policy['binding']}")
        expression = _expression(cluster, name, policy["why"])
        if expression:
            details += [f"expression: {shortened(expression, 300)}", *read_values(expression, refused.body)]
        return Reason(
            "WriteRefused", text, details, Reference("ValidatingAdmissionPolicy", name), "spec.validations"
        )
    if webhook is not None:
        text = shortened(f"{what} by webhook {webhook['name']}: {webhook['why']}", HEADLINE_LENGTH)
        return Reason("WriteRefused", text, [*details, webhook["why"]])
    causes: Sequence[Object] = (status.get("details") or {}).get("causes") or ()
    for cause in causes:
        if cause.get("field"):
            path, problem = str(cause["field"]), str(cause.get("message", ""))
            short = f"{what}: {path.rpartition('.')[2]}: {problem.removeprefix('Forbidden: ')}"
            reason = Reason(
                "WriteRefused", shortened(short, HEADLINE_LENGTH), [*details, f"{path}: {problem}"], path=path
            )
            _label_namespace(reason, problem, refused)
            return reason
    return Reason("WriteRefused", shortened(f"{what}: {message}", HEADLINE_LENGTH), [*details, message])


def _label_namespace(reason: Reason, problem: str, refused: RefusedWrite) -> None:
    """Adds a change to a reason: the namespace label that the refused write needs.

    Does nothing if the write was refused for another problem.
    """
    match = _LABEL.search(problem)
    if match is None or not refused.namespace:
        return
    namespace = Reference("Namespace", refused.namespace)
    field = reason.path.rpartition(".")[2]
    text = f"{refused.verb} refused: {field} needs a label on namespace {refused.namespace}"
    reason.text = shortened(text, HEADLINE_LENGTH)
    label = match["label"].replace(": ", "=")
    command = f"label namespace {refused.namespace} {label}, and {refused.verb} the object again"
    reason.changes.append(Change(command, "edit", [namespace], "metadata.labels"))


def _expression(cluster: ClusterObjects, policy: str, why: str) -> str:
    """Returns the CEL expression of a policy that refused a write; "" if unknown.

    `why`: the message of the refusal.
    """
    if why.startswith(_FAILED):
        return why.removeprefix(_FAILED)
    for validation in (cluster.policies.get(policy, {}).get("spec") or {}).get("validations") or ():
        if validation.get("message", "").strip() == why.strip():
            return str(validation["expression"])
    return ""


def read_values(expression: str, body: Object) -> list[str]:
    """Returns one line for each field of `object` that an expression reads, with the value in the request.

    Returns at most VALUES_SHOWN lines. Returns [] without a body, and if the expression cannot be parsed.
    """
    if not body or not library.is_installed():
        return []
    try:
        parsed = library.parse(expression, BASE_LIBRARIES)
    except (library.SyntaxFault, library.DeeperThanLibrary):
        return []
    paths = dict.fromkeys(
        path
        for node in walk(parsed.root)
        if isinstance(node, Select)
        and (path := qualified_name(Select(node.id, node.operand, node.field, test_only=False))).startswith(
            "object."
        )
    )
    whole = [path for path in paths if not any(other.startswith(f"{path}.") for other in paths)]
    return [f"{path} is {_value(body, path)}" for path in whole[:VALUES_SHOWN]]


def _value(body: Object, path: str) -> str:
    value: Any = body
    for name in path.split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            return "missing"
        value = value[name]
    return shortened(json.dumps(value, ensure_ascii=False))
