"""Checks that the rule of a fault can match a request for a served resource."""

from fakeapi.faults.rules import Rule, RuleError
from fakeapi.journal.checking import check_pattern
from fakeapi.journal.pattern import PatternError
from fakeapi.registry.model.catalogue import Catalogue

_ON_OBJECTS = {"get", "create", "update", "patch", "delete"}


def check_served(rule: Rule, catalogue: Catalogue) -> None:
    """Raises RuleError if a rule names a group, resource, subresource or verb that the server does not serve.

    Also raises RuleError for `labels` or `body` with verbs that do not concern one object, such as list.
    """
    pattern = rule.match.pattern()
    try:
        check_pattern(pattern, catalogue)
    except PatternError as error:
        raise RuleError(str(error)) from None
    if (rule.match.labels or rule.match.body) and pattern.verbs and not _ON_OBJECTS & set(pattern.verbs):
        raise RuleError(f"labels and body select requests for one object, not {', '.join(pattern.verbs)}")
