"""Strategy: how a kind defaults, prepares and validates objects on create and update.

Follows k8s.io/apiserver `pkg/registry/rest`. The verbs under `fakeapi.registry.verbs` call the strategy of a
kind. Strategies are pure functions, so that their tests need only two dicts and no server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class MetadataErrors:
    """The errors of an object's metadata in an update.

    The validation of a kind decides where they appear among its own errors.
    """

    of_object: Sequence[FieldError] = ()
    """The errors of the new metadata. A strategy reports them where it validates the whole object."""

    of_change: Sequence[FieldError] = ()
    """The errors about changed metadata. A strategy reports them where it validates the update."""


NO_METADATA_ERRORS = MetadataErrors()


class Strategy:
    """The default rules for creates and updates of a kind. Kinds override the methods that differ.

    Objects are canonical (see `fakeapi.machinery.schema.decoding`). `restore_after_decoding` and `default`
    receive them in the version of the request, all other methods in the internal version. A method that
    returns an object may change and return its argument `new` or `obj`. No method changes `old`, but a result
    may share parts with `old`. Validation returns errors in the order of Kubernetes, and changes nothing.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Paths that writes through this strategy never set, so that field managers do not own them."""

    creates_on_update: ClassVar[bool] = False
    """Whether a PUT creates an object that does not exist (AllowCreateOnUpdate)."""

    updates_unconditionally: ClassVar[bool] = True
    """Whether an update may omit the resourceVersion (AllowUnconditionalUpdate)."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """Restores values that decoding dropped but validation needs, such as explicitly empty lists.

        Runs before `default`. `sent` is the decoded body, which may have any shape; the method must not
        change it.
        """
        return obj

    def default(self, obj: Object) -> Object:
        """Returns `obj` with the defaults of its version. Runs for every request body.

        Only `restore_after_decoding` runs earlier.
        """
        return obj

    def prepare_create(self, obj: Object) -> Object:
        """Returns `obj` without the fields that only the server or another subresource may set."""
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Returns errors for an object that may not be created. They precede the errors of the metadata."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        """Validates a new object, except its metadata."""
        return []

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether an object that is being deleted must stay although its metadata has no finalizers."""
        return False

    def prepare_update(self, new: Object, old: Object) -> Object:
        """Returns `new` with the values in `old` of all fields that this write may not change."""
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update. Inserts the `metadata` errors where Kubernetes reports them."""
        return [*metadata.of_object, *metadata.of_change]

    def declared_options(self, new: Object, old: Object | None) -> Mapping[str, bool]:
        """Returns options of declarative validation that differ from the feature gates with their names."""
        return {}

    def warnings_before_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about a new object before `prepare_create`.

        Clients receive them even if the create fails.
        """
        return []

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about a valid new object."""
        return []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns the texts of Warning headers about a valid update."""
        return []
