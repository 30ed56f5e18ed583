"""What differs from kind to kind: the `Strategy`.

Follows k8s.io/apiserver `pkg/registry/rest`: the store asks a strategy to prepare and to validate, and does
everything else itself. A strategy is pure: tested with two dicts, no server.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class MetadataErrors:
    """What a kind's own validation finds wrong with updated metadata, beside the store's own look at it."""

    of_object: Sequence[FieldError] = ()
    """With the metadata as such: reported wherever the kind validates the whole object."""

    of_change: Sequence[FieldError] = ()
    """With what has changed in it: reported wherever the kind validates the update."""


NO_METADATA_ERRORS = MetadataErrors()


class Strategy:
    """The rules of a kind that has none of its own; a kind that differs overrides what differs.

    Objects are canonical (see `fakeapi.machinery.decoding`). A method that returns an object may change
    and return the one that it was given as `new` or `obj`; it never changes `old`, and what it returns
    may share parts with `old`. Validation returns its errors in the order in which Kubernetes reports
    them, and never changes anything.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Paths that a write through this strategy never sets, and so no manager comes to own."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """`obj` with what decoding left out of `sent`, and still counts; called before `default`.

        `sent` may be of any shape that decodes, and is never changed.
        """
        return obj

    def default(self, obj: Object) -> Object:
        """`obj` with the version's defaults: applied to every body, before anything else sees it."""
        return obj

    def prepare_create(self, obj: Object) -> Object:
        """`obj` as it may be created: what only a server or another subresource sets is cleared."""
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Errors of what may not be created here, reported before those of its metadata."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        """Errors of an object about to be created, those of its metadata left to the store."""
        return []

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether an object that is being deleted has to stay, whatever finalizers its metadata have."""
        return False

    def prepare_update(self, new: Object, old: Object) -> Object:
        """`new` with whatever this path may not change taken from `old`."""
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Errors of an update; those of its metadata were found by the store, and have their places in it."""
        return [*metadata.of_object, *metadata.of_change]

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Texts of Warning headers for a create."""
        return []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Texts of Warning headers for an update."""
        return []
