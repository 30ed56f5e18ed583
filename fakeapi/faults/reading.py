"""Reads the rules of faults from Python values, from JSON of the control API, and from YAML files."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from fakeapi.faults.ready import READY, ready_rule
from fakeapi.faults.rules import Rule, RuleError, checked
from fakeapi.inputfile import UnreadableFile, read_text
from fakeapi.machinery.documents import DocumentError, document_of
from fakeapi.machinery.suggestions import did_you_mean

FILE_MAX = 1024 * 1024
"""Maximum size in bytes of a file with the rules of faults; reading a longer file raises RuleError."""


Source: TypeAlias = "Rule | Mapping[str, Any] | str | Path | Iterable[Rule | Mapping[str, Any] | str | Path]"
"""A rule, a mapping with a rule, the path of a YAML file with rules, or several of these."""


def read_rules(source: Source) -> list[Rule]:
    """Returns the rules of faults in `source`: the path of a file, a rule, or an iterable of paths and rules.

    Each rule can be:

    - a Rule, or a mapping with the fields of Rule;
    - a ready-made fault with its arguments: `{"conflict": {"target": "resourceclaims/status", "times": 2}}`;
    - a ready-made fault with its target: `{"conflict": "resourceclaims/status"}`.

    Raises RuleError if a file cannot be read, or if a rule is invalid.
    """
    if isinstance(source, str | Path):
        return _read_file(Path(source))
    if isinstance(source, Rule | Mapping):
        return [_read_rule(source)]
    if not isinstance(source, Iterable):
        raise RuleError(f"{source!r} is neither a rule nor a file of rules")
    rules: list[Rule] = []
    for item in source:
        rules += _read_file(Path(item)) if isinstance(item, str | Path) else [_read_rule(item)]
    return rules


def _read_file(path: Path) -> list[Rule]:
    try:
        content = document_of(read_text(path, FILE_MAX))
    except UnreadableFile as error:
        raise RuleError(str(error)) from None
    except DocumentError as error:
        raise RuleError(f"{path}: {error}") from None
    if isinstance(content, Mapping) and content.keys() == {"faults"}:
        content = content["faults"]
    if not isinstance(content, list):
        raise RuleError(f"{path} does not contain a list of rules")
    rules = []
    for number, value in enumerate(content, 1):
        try:
            rules.append(_read_rule(value))
        except RuleError as error:
            raise RuleError(f"{path}, rule {number}: {error}") from None
    return rules


def _read_rule(value: Any) -> Rule:
    if isinstance(value, Rule):
        return checked(value)
    if not isinstance(value, Mapping):
        raise RuleError(f"{value!r} is not a rule")
    if len(value) == 1 and (name := next(iter(value))) in READY:
        return ready_rule(name, value[name])
    if len(value) == 1 and name not in ("action", "match", "when", "name"):
        hint = did_you_mean(name, READY) if isinstance(name, str) else ""
        raise RuleError(f"no ready-made fault {name!r}{hint or '; there are ' + ', '.join(READY)}")
    try:
        return checked(msgspec.convert(value, Rule))
    except msgspec.ValidationError as error:
        raise RuleError(str(error)) from None
