"""Strategy: how a kind defaults, prepares and validates objects on create and update.

Follows k8s.io/apiserver `pkg/registry/rest`: verbs call the strategy of a kind and do everything else
themselves. Strategies are pure functions, so that tests need only two dicts and no server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class MetadataErrors:
    """The metadata errors of an update that the kind's own validation reports, after the generic errors."""

    of_object: Sequence[FieldError] = ()
    """The errors of the new metadata; a strategy reports them where it validates the whole object."""

    of_change: Sequence[FieldError] = ()
    """The errors of the change of metadata; a strategy reports them where it validates the update."""


NO_METADATA_ERRORS = MetadataErrors()


class Strategy:
    """The default rules of a kind; a kind overrides the methods that differ.

    Objects are canonical (see `fakeapi.machinery.schema.decoding`). `restore_after_decoding` and `default`
    receive them in the version of the request, all other methods in the hub. A method that returns an object
    may change and return its argument `new` or `obj`. It never changes `old`, but the result may share parts
    with `old`. Validation returns errors in the order in which Kubernetes reports them, and changes nothing.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Paths that a write through this strategy never sets, so that its field manager does not own them."""

    creates_on_update: ClassVar[bool] = False
    """Whether a PUT of an object that does not exist creates it (AllowCreateOnUpdate)."""

    updates_unconditionally: ClassVar[bool] = True
    """Whether an update may leave out the resourceVersion (AllowUnconditionalUpdate)."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """Restores values that decoding dropped but validation needs, such as explicitly empty lists.

        Called before `default`. `sent` is the decoded body, which may have any shape; it must not be changed.
        """
        return obj

    def default(self, obj: Object) -> Object:
        """Returns `obj` with the defaults of its version. Called for every body before all other methods."""
        return obj

    def prepare_create(self, obj: Object) -> Object:
        """Returns `obj` without the fields that only the server or another subresource may set."""
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Returns the errors of an object that may not be created here; they precede the metadata errors."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        """Validates a new object, except its metadata."""
        return []

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether an object that is being deleted stays although its metadata has no finalizers."""
        return False

    def prepare_update(self, new: Object, old: Object) -> Object:
        """Returns `new` with the fields of `old` that a write to this path may not change."""
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update; puts the `metadata` errors at the positions where Kubernetes reports them."""
        return [*metadata.of_object, *metadata.of_change]

    def declared_options(self, new: Object, old: Object | None) -> Mapping[str, bool]:
        """Returns options of declared rules whose value differs from the feature gate of the same name."""
        return {}

    def warnings_before_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about a new object before `prepare_create`.

        The client gets them even if the object is refused.
        """
        return []

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers for a create."""
        return []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns the texts of Warning headers for an update."""
        return []
