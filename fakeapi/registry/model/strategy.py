"""Strategy: how a kind defaults, prepares and validates objects on create and update.

Follows k8s.io/apiserver `pkg/registry/rest`: verbs call the strategy of a kind and do everything else
themselves. Strategies are pure, so that they are tested with two dicts and no server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class MetadataErrors:
    """Errors of updated metadata that a kind's own validation reports, after the generic ones."""

    of_object: Sequence[FieldError] = ()
    """Errors of the metadata as such: reported wherever the kind validates the whole object."""

    of_change: Sequence[FieldError] = ()
    """Errors of the change: reported wherever the kind validates the update."""


NO_METADATA_ERRORS = MetadataErrors()


class Strategy:
    """The rules of a kind without any of its own; a kind overrides what differs.

    Objects are canonical (see `fakeapi.machinery.schema.decoding`). `restore_after_decoding` and `default`
    see them in the version of the request, everything else in the hub. A method that returns an object may
    change and return the one that it was given as `new` or `obj`; it never changes `old`, and what it returns
    may share parts with `old`. Validation returns its errors in the order in which Kubernetes reports them,
    and never changes anything.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Paths that a write through this strategy never sets, and that no manager comes to own by it."""

    creates_on_update: ClassVar[bool] = False
    """Whether a PUT of an object that does not exist creates it (AllowCreateOnUpdate)."""

    updates_unconditionally: ClassVar[bool] = True
    """Whether an update may leave out the resourceVersion (AllowUnconditionalUpdate)."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """Restores values that decoding dropped but validation needs, such as explicitly empty lists.

        Called before `default`. `sent` is the decoded body, of any shape, and is never changed.
        """
        return obj

    def default(self, obj: Object) -> Object:
        """`obj` with the defaults of its version; applied to every body before anything else."""
        return obj

    def prepare_create(self, obj: Object) -> Object:
        """`obj` as it is created: fields that only the server or another subresource sets are cleared."""
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Errors of objects that may not be created here, reported before those of their metadata."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        """Errors of an object about to be created, except those of its metadata."""
        return []

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether an object that is being deleted stays although its metadata has no finalizers."""
        return False

    def prepare_update(self, new: Object, old: Object) -> Object:
        """`new` with the fields that this path does not change taken from `old`."""
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Errors of an update, with the generic errors of its metadata in their places."""
        return [*metadata.of_object, *metadata.of_change]

    def declared_options(self, new: Object, old: Object | None) -> Mapping[str, bool]:
        """The options of declared rules that are not as the gate of their name."""
        return {}

    def warnings_before_create(self, obj: Object) -> list[str]:
        """Texts of Warning headers about an object as it was sent, before it is prepared; given even where
        it is refused.
        """
        return []

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Texts of Warning headers for a create."""
        return []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Texts of Warning headers for an update."""
        return []
