"""Ready-made faults: common failures of a server, with the messages of Kubernetes.

Each ready-made fault accepts the fields of its action, of Match and of When, and these arguments:

- `target`: a resource as in a role (`resourceclaims/status`), or a pattern with verb and object (`update
  resourceclaims/status default/gpu`). "" matches all objects; a fault for some verbs stays a fault for these.
- `times`: how often the fault fires.
- `called`: the name of the fault.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from inspect import signature
from typing import Any

import msgspec

from fakeapi.faults.actions import (
    AnyAction,
    Cause,
    CompetingWrite,
    CutWatch,
    Drop,
    EndWatch,
    ExpireWatch,
    GoAway,
    HoldEvents,
    Refuse,
    Stale,
    Stall,
    Tear,
    Wait,
    WithholdBookmarks,
)
from fakeapi.faults.rules import Match, Rule, RuleError, When, checked
from fakeapi.journal.pattern import VERBS, PatternError, RequestPattern
from fakeapi.machinery.errors import LIST_TOO_OLD
from fakeapi.machinery.suggestions import did_you_mean

_WRITES = "create,update,patch,delete,deletecollection"
_LOCK = "the object has been modified; please apply your changes to the latest version and try again"


def _refuse(code: int, reason: str, message: str, **more: Any) -> Callable[..., AnyAction]:
    return lambda: Refuse(code, reason, message, **more)


def _throttle(retry_after: int = 1) -> AnyAction:
    """Rejects requests with the error 429 of API Priority and Fairness."""
    words = "Too many requests, please try again later.\n"
    return Refuse(429, message=words, retry_after=retry_after, plain_text=True)


def _invalid(field: str = "spec", value: str = "", message: str = "refused by a fault") -> AnyAction:
    """Rejects requests with the error 422 Invalid for one field."""
    cause = Cause("FieldValueInvalid", f'Invalid value: "{value}": {message}', field)
    return Refuse(
        422, "Invalid", f'{{kind}} "{{name}}" is invalid: {field}: {cause.message}', causes=(cause,)
    )


def _internal_error(message: str = "etcdserver: request timed out") -> AnyAction:
    """Rejects requests with the error 500, by default with a message of etcd."""
    return Refuse(500, "", message, details=False)


def _webhook_timeout(
    webhook: str = "webhook.example.com",
    url: str = "https://webhook.default.svc:443/validate?timeout=10s",
) -> AnyAction:
    """Rejects requests with the error 500 of a webhook call that timed out (failurePolicy Fail)."""
    why = (
        f'failed calling webhook "{webhook}": failed to call webhook: Post "{url}": context deadline exceeded'
    )
    words = f"Internal error occurred: {why}"
    return Refuse(500, "InternalError", words, causes=(Cause(message=why),), details=False)


def _refusal(
    code: int, reason: str = "", message: str = "refused by a fault", retry_after: int | None = None
) -> AnyAction:
    """Rejects requests with an error Status of this code, reason and message."""
    return Refuse(code, reason, message, retry_after)


def _unavailable(retry_after: int | None = None) -> AnyAction:
    words = "the server is currently unable to handle the request"
    return Refuse(503, "ServiceUnavailable", words, retry_after, details=False)


def _drop(*, after_commit: bool = False) -> AnyAction:
    return Drop(after_commit)


READY: Mapping[str, tuple[Callable[..., AnyAction], str]] = {
    "conflict": (
        _refuse(409, "Conflict", f'Operation cannot be fulfilled on {{resource}} "{{name}}": {_LOCK}'),
        "update,patch,delete",
    ),
    "already_exists": (_refuse(409, "AlreadyExists", '{resource} "{name}" already exists'), "create"),
    "not_found": (
        _refuse(404, "NotFound", '{resource} "{name}" not found'),
        "get,update,patch,delete",
    ),
    "forbidden": (_refuse(403, "Forbidden", '{resource} "{name}" is forbidden: refused by a fault'), ""),
    "gone": (
        _refuse(410, "Expired", LIST_TOO_OLD, details=False),
        "list,watch",
    ),
    "invalid": (_invalid, "create,update,patch"),
    "throttle": (_throttle, ""),
    "internal_error": (_internal_error, ""),
    "unavailable": (_unavailable, ""),
    "timeout": (
        _refuse(
            504, "Timeout", "Timeout: request did not complete within the allotted timeout", details=False
        ),
        "",
    ),
    "webhook_timeout": (_webhook_timeout, "create,update,patch,delete"),
    "refuse": (_refusal, ""),
    "wait": (Wait, ""),
    "drop": (_drop, ""),
    "lose_reply": (lambda: Drop(after_commit=True), _WRITES),
    "tear": (Tear, ""),
    "stall": (Stall, ""),
    "competing_write": (CompetingWrite, ""),
    "go_away": (GoAway, ""),
    "end_watch": (EndWatch, ""),
    "cut_watch": (CutWatch, ""),
    "expire": (ExpireWatch, ""),
    "refuse_watch": (_refusal, "watch"),
    "hold_events": (HoldEvents, ""),
    "withhold_bookmarks": (WithholdBookmarks, ""),
    "stale": (Stale, ""),
}
"""The ready-made faults by name: the function that returns the action, and the default verbs.

If the default verbs are empty, the rule has the default verbs of its action. If the action has no default
verbs either, the rule applies to all verbs.
"""

_ONCE = ("expire", "end_watch", "cut_watch")
"""The ready-made faults that fire only once by default, so that a client can then resume its watch.

The default applies only if a fault has no fields of When.
"""


def ready_rule(kind: str, arguments: Any) -> Rule:
    """Creates a rule from the name of a ready-made fault and its arguments.

    - `kind`: the name of the fault in READY.
    - `arguments`: a mapping of keyword arguments, or the target as text; None for no arguments.

    Raises RuleError if an argument is unknown or invalid.
    """
    keywords = {"target": arguments} if isinstance(arguments, str) else arguments
    if keywords is None:
        keywords = {}
    if not isinstance(keywords, Mapping) or not all(isinstance(key, str) for key in keywords):
        raise RuleError(f"{kind} takes arguments by name, not {keywords!r}")
    return make_rule(kind, **keywords)


def make_rule(
    kind: str, target: str = "", *, times: int | None = None, called: str = "", **members: Any
) -> Rule:
    """Creates a rule from the name of a ready-made fault and its arguments.

    - `kind`: the name of the fault in READY.
    - `target`: a resource such as `pods/status`, or a pattern such as `update pods/status default/web`.
    - `times`: how often the fault fires. None means no limit. For the rules in `_ONCE`, None means once,
      unless `members` contains fields of When.
    - `called`: the name of the fault.
    - `members`: fields of the rule's action, of Match and of When.

    Raises RuleError if an argument is unknown or invalid.
    """
    make, verbs = READY[kind]
    match = {member: members.pop(member) for member in Match.__struct_fields__ if member in members}
    when = {member: members.pop(member) for member in When.__struct_fields__ if member in members}
    if times is None and kind in _ONCE and not when:
        times = 1
    try:
        for member, value in _target_of(target).items():
            match.setdefault(member, value)
        match.setdefault("verb", verbs)
        action = make(**members)
        rule = msgspec.convert(
            {
                "action": msgspec.to_builtins(action),
                "match": match,
                "when": _times(when, times),
                "name": called,
                "ready": kind,
            },
            Rule,
        )
        return checked(rule)
    except TypeError as error:
        raise RuleError(f"{kind}: {_refused_argument(make, error)}") from None
    except (msgspec.ValidationError, PatternError, RuleError) as error:
        raise RuleError(f"{kind}: {error}") from None


def _refused_argument(make: Callable[..., AnyAction], error: TypeError) -> str:
    """Returns the message of a TypeError about an argument, with a suggestion for a misspelled name."""
    words = str(error).partition("() ")[2] or str(error)
    unknown = re.search("unexpected keyword argument '([^']+)'", words, re.IGNORECASE)
    if unknown is None:
        return words
    known = (
        *signature(make).parameters,
        *Match.__struct_fields__,
        *When.__struct_fields__,
        "times",
        "called",
    )
    return f"no argument {unknown[1]!r}{did_you_mean(unknown[1], known)}"


def _target_of(target: Any) -> dict[str, str]:
    """Returns the fields of Match that a target contains: verb, resource, namespace and name.

    Raises RuleError if the target is not text, and PatternError if the text is not a valid pattern.
    """
    if not isinstance(target, str):
        raise RuleError(f"target must be a resource, not {target!r}")
    words = target.split()
    if not words:
        return {}
    first = words[0].split(",")[0]
    if len(words) == 1 and first not in VERBS and first not in ("read", "write"):
        return {"resource": target.strip()}
    pattern = RequestPattern.parse(target)
    resource, slash, rest = pattern.resource.partition("/")
    qualified = f"{resource}.{pattern.group}{slash}{rest}" if pattern.group else pattern.resource
    members = {"verb": words[0], "resource": qualified, "namespace": pattern.namespace, "name": pattern.name}
    return {member: value for member, value in members.items() if value}


def _times(when: dict[str, Any], times: int | None) -> dict[str, Any]:
    if isinstance(when.get("until"), datetime):
        when = {**when, "until": when["until"].isoformat()}
    if times is None:
        return when
    if not isinstance(times, int) or times < 1:
        raise RuleError(f"times must be 1 or more, not {times!r}")
    if "last" in when:
        raise RuleError("times and last cannot be used together")
    first, every = when.get("first", 1), when.get("every", 1)
    return {**when, "last": first + (times - 1) * every}
