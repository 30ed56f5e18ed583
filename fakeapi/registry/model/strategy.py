"""Strategy: how a kind sets defaults, prepares and validates objects on create and update.

Follows k8s.io/apiserver `pkg/registry/rest`. The modules in `fakeapi.registry.verbs` call the strategy of a
kind. Strategies are pure functions, so that their tests need only two dicts and no server.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules


class MetadataErrors(msgspec.Struct, frozen=True):
    """The metadata errors of an update.

    The strategy of each kind inserts these errors among its own errors, in the order of Kubernetes.
    """

    of_object: Sequence[FieldError] = ()
    """The errors of the new metadata.

    A strategy inserts these errors where the strategy validates the whole object.
    """

    of_change: Sequence[FieldError] = ()
    """The errors of changed metadata.

    A strategy inserts these errors where the strategy validates the change.
    """


NO_METADATA_ERRORS = MetadataErrors()


class Strategy:
    """The default rules for creates and updates of a kind. Kinds override the methods that differ.

    - Objects are canonical (see `fakeapi.machinery.schema.decoding`).
    - `restore_after_decoding` and `default` receive objects in the API version of the request. All other
      methods receive the internal version.
    - A method that returns an object may change and return its argument `new` or `obj`.
    - No method changes `old`, but a result may share nested values with `old`.
    - Validation methods return errors in the order of Kubernetes, and change nothing.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Field paths that writes through this strategy never set.

    Field managers therefore do not own these fields.
    """

    creates_on_update: ClassVar[bool] = False
    """Whether a PUT creates an object that does not exist (AllowCreateOnUpdate)."""

    creates_on_apply: ClassVar[bool] = False
    """Whether an apply to this subresource creates an object that does not exist.

    An apply to the object itself always creates a missing object. In Kubernetes, the storage of this
    subresource passes `forceAllowCreate` on.
    """

    generates_names: ClassVar[bool] = True
    """Whether a random suffix follows the generateName of a new object."""

    rewrites_created: ClassVar[bool] = False
    """Whether the first update of an object gets a new resourceVersion even if the update changes nothing.

    kube-apiserver stores a new PersistentVolumeClaim, for example, without the default of `status.phase`,
    although responses contain it. The first update stores the default, and watches get an event.
    """

    updates_unconditionally: ClassVar[bool] = True
    """Whether an update may omit the resourceVersion (AllowUnconditionalUpdate)."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """Restores values that decoding dropped but validation needs, such as explicitly empty lists.

        Runs before `default`.

        `sent`: the decoded JSON of the body, of any JSON type. The method must not change `sent`.
        """
        return obj

    def default(self, obj: Object) -> Object:
        """Returns `obj` with the kind's own defaults for its API version.

        Runs for the object of every create, update, patch and apply, after `restore_after_decoding` and after
        the defaults of the release.
        """
        return obj

    def prepare_create(self, obj: Object) -> Object:
        """Returns `obj` without the fields that only the server or another subresource may set."""
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Returns errors if the object may not be created.

        Clients see these errors before metadata errors.
        """
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        """Returns the errors of a new object, without the errors of its metadata."""
        return []

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether an object that is being deleted must remain stored although its metadata has no
        finalizers.
        """
        return False

    def prepare_update(self, new: Object, old: Object) -> Object:
        """Returns `new` with the old values of all fields that this write may not change."""
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Returns the errors of an update. Inserts the `metadata` errors where Kubernetes reports them."""
        return [*metadata.of_object, *metadata.of_change]

    def declared_options(self, new: Object, old: Object | None) -> Mapping[str, bool]:
        """Returns the options of declarative validation that the kind sets itself.

        All other options are the feature gates with the same names.
        """
        return {}

    def warnings_before_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about a new object, before `prepare_create` changes it.

        Clients receive these warnings even if the create fails.
        """
        return []

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about a valid new object."""
        return []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns the texts of Warning headers about a valid update."""
        return []


class RulesStrategy(Strategy):
    """Base class of strategies that need only the rules of the release."""

    def __init__(self, rules: ReleaseRules) -> None:
        self._rules = rules
