"""Validates custom objects against the schema of their version.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresource` (Validate, ValidateUpdate). Ratcheting
means that an update may keep a value that was already invalid.
"""

import threading
from functools import cached_property
from typing import Any

from fakeapi.machinery.cel.rules.validator import RuleValidator, hindrance, rule_validator
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.list_types import validate_list_types
from fakeapi.machinery.structural.object_meta import validate_meta
from fakeapi.machinery.structural.schema import Schema
from fakeapi.machinery.structural.validation import NOTHING, validate
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.releases.rule_settings import rule_settings
from fakeapi.releases.rules import ReleaseRules

_STATUS = "status"


class _Kept(threading.local):
    """Per thread: the object that was validated last, and its CEL rule errors that ratcheting tolerates.

    Ratcheting tolerates errors of values that an update did not change. `by`: the object and the error
    messages; None if the last validation evaluated no rules.
    """

    by: tuple[Object, list[str]] | None = None


class ObjectValidator:
    """Validates custom objects against the structural schema of one version."""

    def __init__(self, kind: CustomKind, rules: ReleaseRules) -> None:
        self._schema = kind.version_specification.schema
        self._rules = kind.rules
        self._settings = rule_settings(rules)
        self._quirks = rules.quirks.custom
        self._kept = _Kept()

    def schema_errors(self, obj: Object, old: Object | None = None) -> list[FieldError]:
        """Returns the errors of types, formats and bounds in an object.

        `old`: the object before an update. If the release has ratcheting, unchanged values have no errors.
        """
        return self._validated(obj, NOTHING if old is None else old, self._schema)

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        """Returns the errors of types, formats and bounds in a write to `/status`.

        In some releases, this validates the whole object instead of the status. Some releases tolerate
        invalid values that the write does not change.
        """
        if self._quirks.status_is_checked == "whole":
            return self.schema_errors(new)
        if _STATUS not in new or self._schema is None:
            return []
        before = old.get(_STATUS) if self._quirks.status_ratchets else NOTHING
        path = _STATUS if self._quirks.status_is_checked == "named" else ""
        return self._validated(new[_STATUS], before, self._status_schema, path)

    def create_errors(self, obj: Object) -> list[FieldError]:
        """Returns the errors of embedded resources, and of duplicates in lists of type set or map."""
        return self._meta_errors(obj) + validate_list_types(obj, self._schema, rules=self._rules)

    def update_errors(self, new: Object, old: Object) -> list[FieldError]:
        """Returns the errors of embedded resources in an updated object, and of new duplicates in sets and
        maps.
        """
        return self._meta_errors(new) + self.list_errors(new, old)

    def list_errors(self, new: Object, old: Object) -> list[FieldError]:
        """Returns errors for duplicate items in an updated object's lists of type set or map.

        Returns [] if the old object has duplicates too.
        """
        errors = validate_list_types(new, self._schema, rules=self._rules)
        return errors if errors and not validate_list_types(old, self._schema, rules=self._rules) else []

    def with_rules(self, found: list[FieldError], obj: Object, old: Object | None) -> list[FieldError]:
        """Returns the errors `found`, followed by the errors of x-kubernetes-validations rules.

        If errors in `found` prevent the evaluation of rules, one error reports this instead of the rule
        errors. Omits rule errors of values that the update did not change (ratcheting); `kept_errors` returns
        these errors.
        """
        validator = self._rule_validator
        self._kept.by = None
        if validator is None:
            return found
        hindered = hindrance(found, self._settings)
        if hindered is not None:
            return [*found, hindered]
        outcome = validator.validate(obj, old)
        self._kept.by = (obj, outcome.warnings)
        return [*found, *outcome.errors]

    def kept_errors(self, obj: Object) -> list[str]:
        """Returns the rule errors that the last call of `with_rules` for this object tolerated.

        These are errors of values that the update did not change (ratcheting).
        """
        by = self._kept.by
        return by[1] if by is not None and by[0] is obj else []

    def _validated(self, value: Any, old: Any, schema: Schema | None, path: str = "") -> list[FieldError]:
        return [] if schema is None else validate(value, schema, path, old=old, rules=self._rules)

    def _meta_errors(self, obj: Object) -> list[FieldError]:
        return validate_meta(obj, self._schema, is_resource_root=False, rules=self._rules)

    @cached_property
    def _rule_validator(self) -> RuleValidator | None:
        return None if self._schema is None else rule_validator(self._schema, self._settings)

    @cached_property
    def _status_schema(self) -> Schema | None:
        return None if self._schema is None else self._schema.properties.get(_STATUS)
