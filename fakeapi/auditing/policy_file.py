"""Reads audit policies: files of the kind Policy in `audit.k8s.io/v1`.

Follows k8s.io/apiserver `pkg/audit/policy/reader.go`. Unknown and repeated fields cause a warning.
"""

import logging
from pathlib import Path
from typing import Any

from fakeapi.auditing.policy import LEVELS, Decision, GroupResources, Policy, Rule
from fakeapi.auditing.policy_schema import POLICY
from fakeapi.auditing.policy_validation import policy_errors
from fakeapi.inputfile import read_regular
from fakeapi.machinery.field_errors import first_words
from fakeapi.machinery.golang.yaml_text import YamlError, load_strictly
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.registry.requests.decoding import Unreadable, stated_type

POLICY_BYTES_MAX = 1024 * 1024
"""Maximum size, in bytes, of an audit policy file; a longer file raises PolicyError."""

_VERSION = "audit.k8s.io/v1"
_OTHER_KINDS = ("PolicyList", "Event", "EventList")
_SCHEME = 'scheme "pkg/runtime/scheme.go:111"'

log = logging.getLogger("fakeapi")


class PolicyError(ValueError):
    """Raised for an audit policy that cannot be used. The message equals kube-apiserver's message."""


def read_policy(path: Path) -> Policy:
    """Returns the audit policy in a file. Raises PolicyError if the file is unreadable or invalid."""
    try:
        text = read_regular(path, POLICY_BYTES_MAX)
    except OSError as error:
        reason = error.strerror or str(error)
        shown = reason[:1].lower() + reason[1:]
        raise PolicyError(
            f'loading audit policy file: failed to read file path "{path}": open {path}: {shown}'
        ) from None
    try:
        return policy_of(_decoded(text, path))
    except PolicyError as error:
        raise PolicyError(f"loading audit policy file: {error}: from file {path}") from None


def _decoded(text: bytes, path: Path) -> Object:
    """Decodes a policy. Raises PolicyError for text that is not a policy, and logs unknown fields."""
    try:
        loaded = load_strictly(text)
        _check_kind(*stated_type(loaded.value))
        policy, unknown = decode(loaded.value, POLICY)
    except (YamlError, Unreadable, DecodeError) as error:
        raise PolicyError(f"failed decoding: {error}") from None
    problems = [loaded.strict_error] if loaded.strict_error else unknown
    if problems:
        log.warning("these fields of the audit policy %s have no effect: %s", path, "; ".join(problems))
    return policy


def _check_kind(kind: str, api_version: str) -> None:
    """Raises PolicyError for another kind than Policy, or another apiVersion than audit.k8s.io/v1.

    An object without a kind counts as a Policy.
    """
    kind = kind or "Policy"
    if not api_version:
        if kind != "Policy":
            place = f'the internal version of group "audit.k8s.io" in {_SCHEME}'
            raise PolicyError(f'failed decoding: no kind "{kind}" is registered for {place}')
        raise PolicyError("unknown group version field audit.k8s.io/__internal, Kind=Policy in policy")
    if api_version == _VERSION and kind == "Policy":
        return
    if api_version == _VERSION and kind in _OTHER_KINDS:
        raise PolicyError(f"failed decoding: converting (v1.{kind}) to (audit.Policy): unknown conversion")
    place = f'version "{api_version}" in {_SCHEME}'
    raise PolicyError(f'failed decoding: no kind "{kind}" is registered for {place}')


def policy_of(policy: Object) -> Policy:
    """Returns the policy of a decoded object. Raises PolicyError if the policy is invalid or has no rules."""
    errors = policy_errors(policy)
    if errors:
        raise PolicyError(first_words(errors))
    rules = policy.get("rules") or ()
    if not rules:
        raise PolicyError("loaded illegal policy with 0 rules")
    return Policy(tuple(_rule(rule, policy) for rule in rules), _decision({"level": "None"}, policy))


def _decision(rule: Object, policy: Object) -> Decision:
    omits = rule.get("omitManagedFields")
    return Decision(
        LEVELS[rule["level"]],
        frozenset((*policy.get("omitStages", ()), *rule.get("omitStages", ()))),
        policy.get("omitManagedFields", False) if omits is None else omits,
    )


def _rule(rule: Object, policy: Object) -> Rule:
    return Rule(
        _decision(rule, policy),
        users=_texts(rule, "users"),
        groups=_texts(rule, "userGroups"),
        verbs=_texts(rule, "verbs"),
        resources=tuple(
            GroupResources(entry.get("group", ""), _texts(entry, "resources"), _texts(entry, "resourceNames"))
            for entry in rule.get("resources", ())
        ),
        namespaces=_texts(rule, "namespaces"),
        paths=_texts(rule, "nonResourceURLs"),
    )


def _texts(entry: Any, name: str) -> tuple[str, ...]:
    return tuple(entry.get(name, ()))
