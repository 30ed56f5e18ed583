"""The strategy that all kinds of rbac.authorization.k8s.io share.

Follows k8s.io/kubernetes `pkg/registry/rbac`. Up to 1.34 updates report each error of the object twice.
"""

from typing import ClassVar

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy


class RbacStrategy(RulesStrategy):
    """Base strategy of RBAC kinds. `errors_of` validates objects; updates also call `errors_of_change`."""

    creates_on_update: ClassVar[bool] = True

    def errors_of(self, obj: Object, old: Object | None) -> list[FieldError]:
        """Returns the errors of an object. `old`: the stored object on update; None on create."""
        return []

    def errors_of_change(self, new: Object, old: Object) -> list[FieldError]:
        """Returns an error for each forbidden change from `old` to `new`."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self.errors_of(obj, None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        of_object = [*metadata.of_object, *self.errors_of(new, old)]
        repeated = of_object if self._rules.quirks.rbac_updates_are_checked_twice else []
        changed = [*metadata.of_change, *self.errors_of_change(new, old)]
        return [*repeated, *of_object, *changed]
