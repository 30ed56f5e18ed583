"""The field manager of a kind: updates metadata.managedFields with every write.

Follows the managers of k8s.io/apimachinery `pkg/util/managedfields`, from versionCheckManager to
stripMetaManager.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fakeapi.machinery import codec, errors
from fakeapi.machinery.apply import managedfields
from fakeapi.machinery.apply.compare import compare
from fakeapi.machinery.apply.conflict import Conflicts
from fakeapi.machinery.apply.fieldset import EMPTY, FieldSet, difference, from_paths, union
from fakeapi.machinery.apply.managedfields import Entry, Managed, ManagedFieldsError, Manager, Record
from fakeapi.machinery.apply.typed import TypedError, VersionError, field_set_of
from fakeapi.machinery.apply.updater import Convert, Updater, no_other_version
from fakeapi.machinery.apply.validate import validate
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, zero
from fakeapi.machinery.schema.nodes import Node, Struct

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL = "kubectl"
"""The name of kubectl as a field manager.

An apply by kubectl takes over the fields of kubectl's own client-side apply. If the object has the
last-applied annotation, the apply updates this annotation.
"""

BEFORE_FIRST_APPLY = "before-first-apply"
"""Name of the manager that owns the existing fields after the first apply to an object without managers."""

_HTML = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_UNTYPED_LIVE = "failed to create typed live object ({})"
_UNTYPED_FIRST = (
    "failed to create manager for existing fields: failed to convert new object ({}) to smd typed"
)
_EXPONENT_FROM = 1e21  # Go's JSON encoder prints larger numbers, and this number, with an exponent.

ANNOTATIONS_MAX = 256 * 1024
"""Maximum size of all annotations in bytes.

If an updated last-applied annotation exceeds the limit, the apply removes the annotation.
"""

NEVER_OWNED = from_paths(
    [
        ("f:apiVersion",),
        ("f:kind",),
        ("f:metadata",),
        *(
            ("f:metadata", "f:" + name)
            for name in (
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "clusterName",
                "generation",
                "managedFields",
                "resourceVersion",
            )
        ),
    ]
)


def _as_it_is(obj: Object) -> Object:
    return obj


@dataclass(frozen=True)
class FieldManager:
    """The field manager of one kind and subresource: computes metadata.managedFields for each write.

    - `node`: the schema of the kind.
    - `reset_fields`: paths that a write of this subresource never sets, as in `Strategy.reset_fields`.
    - `untyped`: whether the kind is custom. Custom objects have no Go type and may not fit `node`.
    - `convert`: converts objects to the API versions of records, see `updater.Convert`.

    Behaviour of older releases:

    - `allows_duplicates` False (up to 1.28): an object with two equal items in a set or map list loses its
      managedFields.
    - `order_matters` False (up to 1.28): see `Updater`.
    - `checks_type_first` False (1.27): an apply with another `kind` fails later, with another message.
    - `survives_errors` False (up to 1.36): an update whose fields cannot be determined drops the stored
      object's managedFields.
    """

    node: Struct
    api_version: str
    kind: str
    subresource: str = ""
    reset_fields: tuple[tuple[str, ...], ...] = ()
    convert: Convert = no_other_version
    allows_duplicates: bool = True
    order_matters: bool = True
    checks_type_first: bool = True
    survives_errors: bool = True
    untyped: bool = False

    @cached_property
    def _updater(self) -> Updater:
        ignored = from_paths(tuple("f:" + name for name in path) for path in self.reset_fields)
        return Updater(self.node, self.api_version, ignored, self._converted, self.order_matters)

    def _converted(self, value: Object, api_version: str) -> tuple[Object, Node] | None:
        """Converts an object as `convert` does; raises VersionError if the result does not fit its schema.

        Follows `versionConverter.Convert`. A field may be missing from the schema of another version of a
        custom kind, because conversion without a webhook only changes apiVersion.
        """
        converted = self.convert(value, api_version)
        if converted is not None:
            try:
                validate(*converted, keys_only=not self.untyped)
            except TypedError as error:
                raise VersionError(str(error)) from None
        return converted

    @cached_property
    def _zero(self) -> Object:
        obj: Object = {"metadata": {}} if self.untyped else zero(self.node)
        return obj

    def update(
        self,
        live: Object | None,
        new: Object,
        manager: str,
        now: str,
        restored: Callable[[Object], Object] = _as_it_is,
    ) -> Object:
        """Returns `new` with the managedFields after a create, update or patch by `manager`.

        - `live`: the stored object, in canonical form; None on create.
        - `new`: the client's object, in canonical form, before the strategy prepares it. It is changed in
          place. On create, metadata that only a server sets is already cleared.
        - `manager`: empty means "unknown".
        - `now`: RFC 3339 in UTC, with whole seconds.
        - `restored`: a function that returns a copy of `new` for the comparison with `live`. In atomic
          lists, the copy has the client's empty lists and texts of quantities, because Go compares them.

        On the main resource, the client's managedFields replace the stored managedFields. Missing or invalid
        managedFields are ignored. `[]` and `[{}]` remove all managedFields until the first apply.

        If the changed fields cannot be determined, `new` keeps the stored managedFields. Up to 1.36, `new`
        loses them (`survives_errors` False).
        """
        metadata = new["metadata"]
        managed = self._managed_of(live, metadata.pop("managedFields", None))
        if not managed and live is not None:
            return new
        before = self._zero if live is None else live
        try:
            if not self.allows_duplicates:
                validate(new, self.node)
                validate(before, self.node)
            elif self.untyped:
                validate(new, self.node, allow_duplicates=True)
                validate(before, self.node, allow_duplicates=True)
            self._update(before, restored(new), managed, manager, now)
        except (TypedError, TypeError, AttributeError, RecursionError):
            # Custom objects are not read into types. They may have a number in place of a struct, which
            # validation rejects later. A value without a schema may be nested deeper than the stack.
            return self._with_managed_fields_of(live, new)
        if managed:
            metadata["managedFields"] = managedfields.encode(managed)
        return new

    def apply(
        self,
        live: Object | None,
        patch: Object,
        manager: str,
        now: str,
        *,
        force: bool = False,
        typed: Callable[[Object], Object] = _as_it_is,
    ) -> Object:
        """Returns the object after an apply of `patch` by `manager`, with its managedFields.

        - `live`: the stored object, in canonical form; None for an apply that creates the object. The method
          does not change this object.
        - `patch`: the decoded request body, not read into the Go type. The method does not change this value.
        - `now`: RFC 3339 in UTC, with whole seconds.
        - `force`: whether the apply takes over fields of other managers.
        - `typed`: reads the merged object into the Go type and adds defaults; may raise DecodeError. If the
          apply changes only managedFields, `typed` is not called, and the result shares all other values with
          `live`.

        Raises ApiError:

        - 400 for another apiVersion or kind, or for managedFields in the patch;
        - 409 for conflicts, unless `force`;
        - 500 for a patch that does not fit the schema or the Go type.
        """
        self._check(patch)
        before = self._zero if live is None else live
        managed = managedfields.decode_stored(before["metadata"].get("managedFields"))
        current = _without_managed_fields(before)
        try:
            changed, managed = self._apply_or_take_over(current, patch, managed, manager, now, force=force)
            if changed is not None:
                changed = typed(changed)
        except Conflicts as conflicts:
            raise conflicts.as_api_error() from None
        except VersionError as error:
            raise self._internal(str(error)) from None
        except TypedError as error:
            raise self._internal(f"failed to merge config: {error}") from None
        except DecodeError as error:
            group_version_kind = _group_version_kind(self.api_version, self.kind)
            raise self._internal(
                f"failed to convert new object ({_name(patch)}) to proper version: "
                f"unable to convert unstructured object to {group_version_kind}: {error}"
            ) from None
        result = _without_managed_fields(current if changed is None else changed)
        if manager == KUBECTL:
            _renew_last_applied(result, patch)
        if managed:
            result["metadata"]["managedFields"] = managedfields.encode(managed)
        return result

    def _with_managed_fields_of(self, live: Object | None, new: Object) -> Object:
        """Returns `new` after an update whose fields cannot be determined. Follows UpdateNoErrors.

        `new` gets the managedFields of `live`, or no managedFields if `survives_errors` is False.
        """
        before = None if live is None else live["metadata"].get("managedFields")
        if before and self.survives_errors:
            new["metadata"]["managedFields"] = before
        return new

    def _managed_of(self, live: Object | None, sent: list[Entry] | None) -> Managed:
        stored = None if live is None else live["metadata"].get("managedFields")
        if sent is None or self.subresource or sent == stored:
            return managedfields.decode_stored(stored)
        if managedfields.is_reset(sent):
            return {}
        try:
            return managedfields.decode(sent) or managedfields.decode_stored(stored)
        except ManagedFieldsError:
            return managedfields.decode_stored(stored)

    def _update(self, live: Object, new: Object, managed: Managed, manager: str, now: str) -> None:
        fields = difference(self._updater.update(live, new, managed), NEVER_OWNED)
        if fields:
            owner = managedfields.updater(manager, self.api_version, self.subresource)
            before = managed[owner].fields if owner in managed else EMPTY
            managed[owner] = Record(union(fields, before), self.api_version, now)
        managedfields.cap_updaters(managed)

    def _apply_or_take_over(
        self, live: Object, patch: Object, managed: Managed, manager: str, now: str, *, force: bool
    ) -> tuple[Object | None, Managed]:
        """Applies the patch; returns (object, managed records). The object is None if it does not change.

        If kubectl conflicts only with its own client-side apply, applies the patch again with force. Raises
        Conflicts if the apply changes fields of other managers, unless `force`.
        """
        try:
            return self._apply(live, patch, dict(managed), manager, now, force=force)
        except Conflicts as conflicts:
            allowed = self._last_applied(live) if manager == KUBECTL else EMPTY
            if not allowed:
                raise
            rest = conflicts.without(allowed)
            if rest.fields:
                raise rest from None
        return self._apply(live, patch, dict(managed), manager, now, force=True)

    def _apply(
        self, live: Object, patch: Object, managed: Managed, manager: str, now: str, *, force: bool
    ) -> tuple[Object | None, Managed]:
        if managed:
            self._check_patch(patch)
            self._check_live(live, _UNTYPED_LIVE)
        else:
            self._check_live(live, _UNTYPED_FIRST)
            self._update(self._zero, live, managed, BEFORE_FIRST_APPLY, now)
            self._check_patch(patch)
        owner = managedfields.applier(manager, self.subresource)
        changed = self._updater.apply(live, patch, managed, owner, force=force)
        self._strip(managed, owner, None if changed is None else now)
        return changed, managed

    def _strip(self, managed: Managed, owner: Manager, now: str | None) -> None:
        record = managed.get(owner)
        if record is None:
            return
        fields = difference(record.fields, NEVER_OWNED)
        if fields:
            managed[owner] = Record(fields, record.api_version, now or record.time)
        else:
            del managed[owner]

    def _check(self, patch: Object) -> None:
        api_version, kind = _text(patch, "apiVersion"), _text(patch, "kind")
        if api_version.count("/") > 1:
            api_version = kind = ""  # If the version cannot be parsed, the kind is also unknown.
        if self.checks_type_first and (api_version, kind) != (self.api_version, self.kind):
            raise errors.bad_request(f"invalid object type: {_group_version_kind(api_version, kind)}")
        if api_version != self.api_version:
            specified = "" if api_version == "/" else api_version
            raise errors.bad_request(
                "Incorrect version specified in apply patch. "
                f"Specified patch version: {specified}, expected: {self.api_version}"
            )
        metadata = patch.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("managedFields"), list):
            raise errors.bad_request("metadata.managedFields must be nil")
        if kind != self.kind:
            group_version_kind = _group_version_kind(api_version, kind)
            raise self._internal(f"{_patch_name(patch)}: no corresponding type for {group_version_kind}")

    def _check_patch(self, patch: Object) -> None:
        try:
            validate(patch, self.node)
        except TypedError as error:
            raise self._internal(f"{_patch_name(patch)}: {error}") from None

    def _check_live(self, live: Object, why: str) -> None:
        """Raises ApiError 500 if the stored object does not fit the schema, such as an item without its key.

        For a built-in kind, checks only the items of set and map lists, because decoding checked the rest.
        `why`: beginning of the message; `{}` stands for the name and kind of the object.
        """
        try:
            validate(live, self.node, allow_duplicates=self.allows_duplicates, keys_only=not self.untyped)
        except TypedError as error:
            raise self._internal(f"{why.format(_name(live))}: {error}") from None

    def _last_applied(self, live: Object) -> FieldSet:
        """Returns the fields that kubectl applied client-side and that are unchanged in `live`."""
        try:
            config = codec.decode(live["metadata"].get("annotations", {}).get(LAST_APPLIED, ""))
            if not isinstance(config, dict) or config.get("apiVersion") != self.api_version:
                return EMPTY
            validate(config, self.node)
            fields = field_set_of(config, self.node)
            for differing in compare(config, live, self.node):
                fields = difference(fields, differing)
        except (codec.JsonError, TypedError):
            return EMPTY
        return fields

    @staticmethod
    def _internal(message: str) -> errors.ApiError:
        return errors.ApiError(500, "", message)


def _renew_last_applied(obj: Object, patch: Object) -> None:
    """Sets the last-applied annotation to `patch`, if `obj` already has this annotation.

    Removes the annotation if all annotations together would exceed ANNOTATIONS_MAX.
    """
    annotations = obj["metadata"].get("annotations")
    if not annotations or not annotations.get(LAST_APPLIED):
        return
    others = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
    text = codec.encode(_sorted(_without_last_applied(patch))).decode().translate(_HTML) + "\n"
    size = sum(len(name.encode()) + len(value.encode()) for name, value in others.items())
    if size + len(LAST_APPLIED) + len(text.encode()) <= ANNOTATIONS_MAX:
        others[LAST_APPLIED] = text
    obj["metadata"]["annotations"] = {name: others[name] for name in sorted(others)}


def _without_last_applied(patch: Object) -> Object:
    metadata = patch["metadata"]
    annotations = metadata.get("annotations")
    if annotations is None:
        kept = {name: value for name, value in metadata.items() if name != "annotations"}
        return {**patch, "metadata": kept}
    rest = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
    return {**patch, "metadata": {**metadata, "annotations": rest}}


def _sorted(value: Any) -> Any:
    match value:
        case dict():
            return {name: _sorted(value[name]) for name in sorted(value)}
        case list():
            return [_sorted(item) for item in value]
        case float() if value.is_integer() and abs(value) < _EXPONENT_FROM:
            return int(value)
        case _:
            return value


def _text(obj: Object, name: str) -> str:
    value = obj.get(name)
    return value if isinstance(value, str) else ""


def _group_version_kind(api_version: str, kind: str) -> str:
    group, _, version = api_version.rpartition("/")
    return f"{group}/{version}, Kind={kind}"


def _patch_name(patch: Object) -> str:
    return f"failed to create typed patch object ({_name(patch)})"


def _name(obj: Object) -> str:
    value = obj.get("metadata")
    metadata = value if isinstance(value, dict) else {}
    group_version_kind = _group_version_kind(_text(obj, "apiVersion"), _text(obj, "kind"))
    return f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}; {group_version_kind}"


def with_old_times(new: Object, old: Object, equal: Callable[[Object, Object], bool] = operator.eq) -> Object:
    """Returns `new` with the managedFields of `old`, if the objects differ only in managedFields times.

    Call this function for every update and patch, after the strategy has prepared and accepted `new`.
    Changes `new` in place. Follows k8s.io/apiserver IgnoreManagedFieldsTimestampsTransformer.

    `equal`: compares the objects without their managedFields.
    """
    entries, before = new["metadata"].get("managedFields"), old["metadata"].get("managedFields")
    if not entries or not before or entries == before or _timeless(entries) != _timeless(before):
        return new
    if equal(_without_managed_fields(new), _without_managed_fields(old)):
        new["metadata"]["managedFields"] = before
    return new


def _timeless(entries: list[managedfields.Entry]) -> list[managedfields.Entry]:
    return [{name: value for name, value in entry.items() if name != "time"} for entry in entries]


def _without_managed_fields(obj: Object) -> Object:
    return {
        **obj,
        "metadata": {name: value for name, value in obj["metadata"].items() if name != "managedFields"},
    }
