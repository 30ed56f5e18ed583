"""Rule: describes a fault by its action, the requests that it applies to, and how often it fires."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from fakeapi.faults.actions import OF_WATCHES, AnyAction, CompetingWrite, Stale
from fakeapi.journal.pattern import PatternError, RequestPattern
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.jsonpath import parse_path
from fakeapi.machinery.jsonpath_syntax import JsonPathError
from fakeapi.machinery.meta import label_selector

RULES_MAX = 1_000
"""Maximum number of faults that can be armed at the same time; arming more raises RuleError."""


class RuleError(FakeAPIError, ValueError):
    """Raised for a rule that is invalid or cannot match any request. The error message is one line."""


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Selects the requests that a fault applies to. A field with its default value matches everything.

    - `verb`, `group`, `resource`, `namespace`, `name`, `user` and `agent`: as in RequestPattern.
    - `labels`: a label selector for the labels in the request's body. If the body has no labels, the selector
      is for the labels of the stored object.
    - `body`: a mapping of JSONPaths to values. Each path must select its value in the request's body.
    """

    verb: str = ""
    group: str | None = None
    resource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    agent: str = ""
    labels: str = ""
    body: Mapping[str, Any] = {}

    def pattern(self) -> RequestPattern:
        """Returns all fields except `labels` and `body` as a RequestPattern.

        Raises PatternError if one of these fields is invalid.
        """
        return RequestPattern(
            verb=self.verb,
            group=self.group,
            resource=self.resource,
            namespace=self.namespace,
            name=self.name,
            user=self.user,
            agent=self.agent,
        )


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Selects for which of the matching requests a fault fires.

    - `first` and `last`: the numbers of the first and last request, counted from 1; `last` 0 means no limit.
    - `every`: if this is 3, for example, the fault fires for every third request, starting at `first`.
    - `probability`: the probability that the fault fires for a selected request, from 0 to 1.
    - `seed`: the seed of the random numbers, so that the numbers are repeatable.
    - `until`: the fault does not fire at or after this time of the server's clock (RFC 3339).
    """

    first: int = 1
    last: int = 0
    every: int = 1
    probability: float = 1.0
    seed: int = 0
    until: datetime | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete rule of a fault.

    - `name`: the name of the fault. For an empty name, the server generates a name from `ready` or the
      action: conflict for the first fault, conflict-2 for the second fault.
    - `ready`: the name of the ready-made fault from which the rule was created; "" for other rules.
    """

    action: AnyAction
    match: Match = Match()
    when: When = When()
    name: str = ""
    ready: str = ""


def checked(rule: Rule) -> Rule:
    """Checks a rule, and returns it with the default verbs of its action if the rule has no verbs.

    Raises RuleError for invalid numbers, verbs, patterns, label selectors and JSONPaths.
    """
    action, match, when = rule.action, rule.match, rule.when
    if isinstance(action, OF_WATCHES):
        match = _with_verb(rule, "watch")
    elif isinstance(action, CompetingWrite):
        match = _with_verb(rule, "update,patch,delete")
    elif isinstance(action, Stale):
        match = _with_verb(rule, "list,watch")
    try:
        match.pattern()
        label_selector.parse(match.labels)
        for path in match.body:
            parse_path(path_text(path))
    except PatternError as error:
        raise RuleError(str(error)) from None
    except JsonPathError as error:
        raise RuleError(f"body: {error}") from None
    except ValueError as error:
        raise RuleError(f"labels: {error}") from None
    _check_numbers(action, when)
    return msgspec.structs.replace(rule, match=match)


def path_text(path: str) -> str:
    """Converts a JSONPath of kubectl: removes braces and a leading `$`, and adds a missing leading dot."""
    inner = path[1:-1] if path.startswith("{") and path.endswith("}") else path
    inner = inner.removeprefix("$")
    return inner if inner.startswith((".", "[")) else f".{inner}"


def _with_verb(rule: Rule, verbs: str) -> Match:
    kind = type(rule.action).__struct_config__.tag
    verb = rule.match.verb
    if not verb:
        return msgspec.structs.replace(rule.match, verb=verbs)
    if not set(verb.replace(" ", "").split(",")) <= set(verbs.split(",")):
        raise RuleError(f"{kind} is for {verbs.replace(',', ', ')}, not for {verb}")
    return rule.match


def _check_numbers(action: AnyAction, when: When) -> None:
    for name in ("seconds", "spread", "after"):
        value = getattr(action, name, 0)
        if not 0 <= value < float("inf"):
            raise RuleError(f"{name} must be 0 or more, not {value}")
    if not 0 <= getattr(action, "part", 0.5) < 1:
        raise RuleError("part must be from 0 to below 1")
    code = getattr(action, "code", 500)
    if not 400 <= code <= 599:
        raise RuleError(f"the code of a refusal must be from 400 to 599, not {code}")
    if when.first < 1 or when.every < 1:
        raise RuleError("first and every must be 1 or more")
    if when.last and when.last < when.first:
        raise RuleError(f"last ({when.last}) is before first ({when.first}): the fault would never fire")
    if not 0 < when.probability <= 1:
        raise RuleError("probability must be above 0 and at most 1")
