"""Validates ObjectMeta on create and on update.

Follows k8s.io/apimachinery `pkg/api/validation/objectmeta.go`, the same in every release from 1.27 to 1.33
but for the wording of `too_long`; and what `pkg/apis/core/validation` of k8s.io/kubernetes adds for
its own kinds. Metadata is canonical. Errors come in upstream's order; where upstream walks a map, whose
order is random there, they are sorted by key.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.field_errors import too_long as too_long_error
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.options import TOO_LONG, validate_field_manager

TOTAL_ANNOTATION_SIZE_LIMIT = 256 * 1024
"""Bytes of all keys and values of annotations."""
MAX_SUBRESOURCE_NAME_LENGTH = 256

FINALIZER_ORPHAN = "orphan"
FINALIZER_FOREGROUND = "foregroundDeletion"
STANDARD_FINALIZERS = frozenset({"kubernetes", FINALIZER_ORPHAN, FINALIZER_FOREGROUND})
"""The finalizers that need no domain."""

_IMMUTABLE = "field is immutable"
_IMMUTABLE_TEXTS = ("name", "namespace", "uid")
_IMMUTABLE_TIMES = {"creationTimestamp": "0001-01-01 00:00:00 +0000 UTC", "deletionTimestamp": "null"}
"""How a time that is absent prints: one is a value in Go, the other a pointer."""
_POINTER = "0xc000012345"


def validate_object_meta(
    meta: dict[str, Any],
    namespaced: bool,  # noqa: FBT001 - the third of four facts about a kind, named at its definition
    name_validator: names.NameValidator,
    path: str = "metadata",
    too_long: str = TOO_LONG,
) -> list[FieldError]:
    """Validates metadata after name generation (ValidateObjectMetaAccessor).

    The generic store runs it on every update with `names.name_is_path_segment`, and after a create was
    found valid by its strategy.
    """
    errors = _name_errors(meta, name_validator, path)
    errors += _namespace_errors(meta.get("namespace", ""), namespaced, path)
    generation = meta.get("generation", 0)
    if generation < 0:
        errors.append(invalid(f"{path}.generation", generation, "must be greater than or equal to 0"))
    errors += _shared_errors(meta, path, too_long, with_finalizers=True)
    return errors


def validate_object_meta_update(
    new: dict[str, Any], old: dict[str, Any], path: str = "metadata", too_long: str = TOO_LONG
) -> list[FieldError]:
    """Validates a change of metadata (ValidateObjectMetaAccessorUpdate).

    `new` carries a resourceVersion, and what an update never changes was copied from `old` before.
    Finalizers are not looked at, except that none may be added to an object that is being deleted.
    """
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        errors += _added_finalizer_errors(new, old, f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = new.get("generation", 0)
    if generation < old.get("generation", 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    errors += _immutable_errors(new, old, path)
    errors += _shared_errors(new, path, too_long, with_finalizers=False)
    return errors


def validate_core_object_meta(
    meta: dict[str, Any],
    namespaced: bool,  # noqa: FBT001 - as validate_object_meta
    name_validator: names.NameValidator,
    path: str = "metadata",
    too_long: str = TOO_LONG,
) -> list[FieldError]:
    """`validate_object_meta`, and the rule of built-in kinds that finalizers have a domain."""
    errors = validate_object_meta(meta, namespaced, name_validator, path, too_long)
    return errors + _undomained_finalizer_errors(meta, path)


def validate_core_object_meta_update(
    new: dict[str, Any], old: dict[str, Any], path: str = "metadata", too_long: str = TOO_LONG
) -> list[FieldError]:
    """`validate_object_meta_update`, and finalizers with a domain."""
    errors = validate_object_meta_update(new, old, path, too_long)
    return errors + _undomained_finalizer_errors(new, path)


def validate_labels(labels: Mapping[str, str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in _sorted_where(labels, _is_bad_label):
        value = labels[key]
        errors += [invalid(path, key, message) for message in names.is_qualified_name(key)]
        errors += [invalid(path, value, message) for message in names.is_valid_label_value(value)]
    return errors


def validate_annotations(
    annotations: Mapping[str, str], path: str, too_long: str = TOO_LONG
) -> list[FieldError]:
    """Keys are qualified names of any case; values are free, up to 256 KiB for all together."""
    errors: list[FieldError] = []
    for key in _sorted_where(annotations, _is_bad_annotation):
        errors += [invalid(path, key, message) for message in names.is_qualified_name(_lower(key))]
    size = sum(names.byte_length(key) + names.byte_length(value) for key, value in annotations.items())
    if size > TOTAL_ANNOTATION_SIZE_LIMIT:
        errors.append(too_long_error(path, TOTAL_ANNOTATION_SIZE_LIMIT, too_long))
    return errors


def validate_owner_references(owners: Sequence[dict[str, Any]], path: str) -> list[FieldError]:
    """Every owner is named in full and none is an Event; at most one of them is the controller."""
    errors: list[FieldError] = []
    controller = ""
    for owner in owners:
        errors += _owner_errors(owner, path)
        if owner.get("controller"):
            this = f"{owner['kind']}/{owner['name']}"
            if controller:
                errors.append(_second_controller(owners, path, controller, this))
            else:
                controller = this
    return errors


def validate_finalizers(finalizers: Sequence[str], path: str) -> list[FieldError]:
    errors = [
        invalid(path, finalizer, message)
        for finalizer in finalizers
        for message in names.is_qualified_name(finalizer)
    ]
    if FINALIZER_FOREGROUND in finalizers and FINALIZER_ORPHAN in finalizers:
        clash = f"finalizer {FINALIZER_ORPHAN} and {FINALIZER_FOREGROUND} cannot be both set"
        errors.append(_invalid_as(path, _strings(finalizers), clash))
    return errors


def validate_managed_fields(
    entries: Sequence[dict[str, Any]], path: str, too_long: str = TOO_LONG
) -> list[FieldError]:
    """Validates those members of managed fields that the field manager does not check itself."""
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        here = f"{path}[{index}]"
        operation, fields_type = entry.get("operation", ""), entry.get("fieldsType", "")
        if operation not in ("Apply", "Update"):
            errors.append(invalid(f"{here}.operation", operation, "must be `Apply` or `Update`"))
        if fields_type not in ("", "FieldsV1"):
            errors.append(invalid(f"{here}.fieldsType", fields_type, "must be `FieldsV1`"))
        errors += validate_field_manager(entry.get("manager", ""), f"{here}.manager", too_long)
        if names.byte_length(entry.get("subresource", "")) > MAX_SUBRESOURCE_NAME_LENGTH:
            errors.append(too_long_error(f"{here}.subresource", MAX_SUBRESOURCE_NAME_LENGTH, too_long))
    return errors


def _name_errors(meta: dict[str, Any], validator: names.NameValidator, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if prefix := meta.get("generateName"):
        errors += [invalid(f"{path}.generateName", prefix, message) for message in validator(prefix, True)]
    if name := meta.get("name"):
        errors += [invalid(f"{path}.name", name, message) for message in validator(name, False)]
    else:
        errors.append(required(f"{path}.name", "name or generateName is required"))
    return errors


def _namespace_errors(namespace: str, namespaced: bool, path: str) -> list[FieldError]:  # noqa: FBT001 - as validate_object_meta
    if not namespaced:
        return [forbidden(f"{path}.namespace", "not allowed on this type")] if namespace else []
    if not namespace:
        return [required(f"{path}.namespace")]
    messages = names.name_is_dns_label(namespace, False)
    return [invalid(f"{path}.namespace", namespace, message) for message in messages]


def _shared_errors(
    meta: dict[str, Any], path: str, too_long: str, *, with_finalizers: bool
) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := meta.get("labels"):
        errors += validate_labels(labels, f"{path}.labels")
    if annotations := meta.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations", too_long)
    if owners := meta.get("ownerReferences"):
        errors += validate_owner_references(owners, f"{path}.ownerReferences")
    if with_finalizers and (finalizers := meta.get("finalizers")):
        errors += validate_finalizers(finalizers, f"{path}.finalizers")
    if managed := meta.get("managedFields"):
        errors += validate_managed_fields(managed, f"{path}.managedFields", too_long)
    return errors


def _immutable_errors(new: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    errors = [
        invalid(f"{path}.{name}", new.get(name, ""), _IMMUTABLE)
        for name in _IMMUTABLE_TEXTS
        if new.get(name, "") != old.get(name, "")
    ]
    for name, absent in _IMMUTABLE_TIMES.items():
        time = new.get(name)
        if time != old.get(name):
            printed = _printed_time(time) if time else absent
            errors.append(_invalid_as(f"{path}.{name}", printed, _IMMUTABLE))
    grace = new.get("deletionGracePeriodSeconds")
    if grace != old.get("deletionGracePeriodSeconds"):
        errors.append(invalid(f"{path}.deletionGracePeriodSeconds", grace, _IMMUTABLE))
    return errors


def _added_finalizer_errors(new: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    added = set(new.get("finalizers") or ()).difference(old.get("finalizers") or ())
    if not added:
        return []
    rule = "no new finalizers can be added if the object is being deleted"
    return [forbidden(path, f"{rule}, found new finalizers {_strings(sorted(added))}")]


def _undomained_finalizer_errors(meta: dict[str, Any], path: str) -> list[FieldError]:
    rule = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid(f"{path}.finalizers[{index}]", finalizer, rule)
        for index, finalizer in enumerate(meta.get("finalizers") or ())
        if not has_domain(finalizer)
    ]


def has_domain(finalizer: str) -> bool:
    """Whether a finalizer is fully qualified, or one of those that need not be."""
    return "/" in finalizer or finalizer in STANDARD_FINALIZERS


def _owner_errors(owner: dict[str, Any], path: str) -> list[FieldError]:
    version = owner["apiVersion"]
    group, slash, after = version.partition("/")
    named = after if slash else group
    has_version = bool(named) and "/" not in after
    errors: list[FieldError] = []
    if not has_version:
        errors.append(invalid(f"{path}.apiVersion", version, "version must not be empty"))
    errors += [
        invalid(f"{path}.{member}", "", f"{member} must not be empty")
        for member in ("kind", "name", "uid")
        if not owner[member]
    ]
    if version in ("v1", "/v1") and owner["kind"] == "Event":
        errors.append(_invalid_as(path, _owner(owner), "/v1, Kind=Event is disallowed from being an owner"))
    return errors


def _second_controller(owners: Sequence[dict[str, Any]], path: str, first: str, second: str) -> FieldError:
    rule = "Only one reference can have Controller set to true"
    dump = "[]v1.OwnerReference{" + ", ".join(map(_owner, owners)) + "}"
    return _invalid_as(path, dump, f'{rule}. Found "true" in references for {first} and {second}')


def _owner(owner: dict[str, Any]) -> str:
    """An owner reference as Go dumps it, every pointer at the same address."""
    texts = ", ".join(
        f"{go}:{quote(owner[name])}"
        for go, name in (("APIVersion", "apiVersion"), ("Kind", "kind"), ("Name", "name"), ("UID", "uid"))
    )
    flags = ", ".join(
        f"{go}:(*bool)({'nil' if owner.get(name) is None else _POINTER})"
        for go, name in (("Controller", "controller"), ("BlockOwnerDeletion", "blockOwnerDeletion"))
    )
    return f"v1.OwnerReference{{{texts}, {flags}}}"


def _strings(texts: Sequence[str]) -> str:
    return "[]string{" + ", ".join(map(quote, texts)) + "}"


def _printed_time(text: str) -> str:
    """A canonical time as Go's Time.String has it."""
    return f"{text[:10]} {text[11:19]} +0000 UTC"


def _invalid_as(path: str, printed: str, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", path, f"Invalid value: {printed}: {detail}")


def _sorted_where(texts: Mapping[str, str], is_bad: Callable[[str, str], bool]) -> list[str]:
    return sorted(key for key, value in texts.items() if is_bad(key, value))


def _is_bad_label(key: str, value: str) -> bool:
    return bool(names.is_qualified_name(key) or names.is_valid_label_value(value))


def _is_bad_annotation(key: str, _value: str) -> bool:
    return bool(names.is_qualified_name(_lower(key)))


def _lower(key: str) -> str:
    """`key` in lower case as Go's strings.ToLower has it, which maps each character to one."""
    return key.lower() if key.isascii() else "".join(character.lower()[0] for character in key)
