"""Validates ObjectMeta on create and on update.

Follows k8s.io/apimachinery `pkg/api/validation/objectmeta.go`, which differs between 1.27 and 1.37 only in
messages. Built-in kinds also follow `pkg/apis/core/validation` of k8s.io/kubernetes. Functions expect
canonical metadata. Errors are in upstream's order. Errors of labels and annotations are sorted by key,
because upstream checks them in random order.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.field_errors import too_long as too_long_error
from fakeapi.machinery.golang.strconv import quote, render
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.options import validate_field_manager
from fakeapi.machinery.meta.wording import DEFAULT, Wording

TOTAL_ANNOTATION_SIZE_LIMIT = 256 * 1024
"""Maximum size of all annotations in bytes, keys and values together."""
MAX_SUBRESOURCE_NAME_LENGTH = 256
_RIGHT_ENTRIES, _SHORT = 256, 256
"""Two limits of the cache of valid managedFields entries: the number of entries, and the length of an entry.

The length counts the characters of `manager` and `subresource`. Longer entries are not cached.
"""

FINALIZER_ORPHAN = "orphan"
FINALIZER_FOREGROUND = "foregroundDeletion"
STANDARD_FINALIZERS = frozenset({"kubernetes", FINALIZER_ORPHAN, FINALIZER_FOREGROUND})
"""Finalizers that do not need a domain, because Kubernetes itself uses them."""

_IMMUTABLE = "field is immutable"
_IMMUTABLE_TEXTS = ("name", "namespace", "uid")
_IMMUTABLE_TIMES = {"creationTimestamp": "0001-01-01 00:00:00 +0000 UTC", "deletionTimestamp": "null"}
"""Name of an immutable time -> text in Go syntax for an absent time: a zero value or a nil pointer."""
_POINTER = "0xc000012345"


def validate_object_meta(
    meta: dict[str, Any],
    namespaced: bool,  # noqa: FBT001 - the third of four facts about a kind, named at its definition
    name_validator: names.NameValidator,
    path: str = "metadata",
    wording: Wording = DEFAULT,
) -> list[FieldError]:
    """Validates ObjectMeta after name generation, like ValidateObjectMetaAccessor.

    The registry calls this function for creates and updates. For an update, `name_validator` is
    `names.name_is_path_segment`.
    """
    errors = _name_errors(meta, name_validator, path)
    errors += _namespace_errors(meta.get("namespace", ""), namespaced, path)
    generation = meta.get("generation", 0)
    if generation < 0:
        errors.append(invalid(f"{path}.generation", generation, "must be greater than or equal to 0"))
    errors += _shared_errors(meta, path, wording, with_finalizers=True)
    return errors


def validate_object_meta_update(
    new: dict[str, Any],
    old: dict[str, Any],
    path: str = "metadata",
    wording: Wording = DEFAULT,
    *,
    is_right: bool = False,
) -> list[FieldError]:
    """Validates an update of ObjectMeta, like ValidateObjectMetaAccessorUpdate.

    Before the call, the registry copies from `old` to `new` all metadata that an update cannot change. For
    finalizers, there is only one rule: an update must not add finalizers to an object that is being deleted.

    `is_right`: whether `new` has passed `validate_object_meta`. If so, the rules that both functions share
    are skipped.
    """
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        errors += _added_finalizer_errors(new, old, f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = new.get("generation", 0)
    if generation < old.get("generation", 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    errors += _immutable_errors(new, old, path, wording)
    if not is_right:
        errors += _shared_errors(new, path, wording, with_finalizers=False)
    return errors


def validate_core_object_meta(
    meta: dict[str, Any],
    namespaced: bool,  # noqa: FBT001 - like validate_object_meta
    name_validator: names.NameValidator,
    path: str = "metadata",
    wording: Wording = DEFAULT,
) -> list[FieldError]:
    """Validates ObjectMeta of a built-in kind. Finalizers must have a domain or be standard finalizers."""
    errors = validate_object_meta(meta, namespaced, name_validator, path, wording)
    return errors + undomained_finalizer_errors(meta, path)


def validate_core_object_meta_update(
    new: dict[str, Any], old: dict[str, Any], path: str = "metadata", wording: Wording = DEFAULT
) -> list[FieldError]:
    """Validates an update of a built-in kind's ObjectMeta. Finalizers must have a domain or be standard."""
    errors = validate_object_meta_update(new, old, path, wording)
    return errors + undomained_finalizer_errors(new, path)


def validate_labels(labels: Mapping[str, str], path: str, wording: Wording = DEFAULT) -> list[FieldError]:
    errors: list[FieldError] = []
    unit = wording.length_unit
    for key in _sorted_where(labels, _is_bad_label):
        value = labels[key]
        errors += [invalid(path, key, message) for message in names.is_qualified_name(key, unit)]
        errors += [invalid(path, value, message) for message in names.is_valid_label_value(value, unit)]
    return errors


def validate_annotations(
    annotations: Mapping[str, str], path: str, wording: Wording = DEFAULT
) -> list[FieldError]:
    """Validates annotations: keys must be qualified names; the total size must be at most 256 KiB.

    Keys are converted to lower case before the check, so they may contain upper-case letters.
    """
    errors: list[FieldError] = []
    for key in _sorted_where(annotations, _is_bad_annotation):
        messages = names.is_qualified_name(_lower(key), wording.length_unit)
        errors += [invalid(path, key, message) for message in messages]
    size = sum(names.byte_length(key) + names.byte_length(value) for key, value in annotations.items())
    if size > TOTAL_ANNOTATION_SIZE_LIMIT:
        errors.append(too_long_error(path, TOTAL_ANNOTATION_SIZE_LIMIT, wording.too_long))
    return errors


def validate_owner_references(
    owners: Sequence[dict[str, Any]], path: str, wording: Wording = DEFAULT
) -> list[FieldError]:
    """Validates owner references: no empty members, no Event as owner, at most one controller."""
    errors: list[FieldError] = []
    controller = ""
    for index, owner in enumerate(owners):
        place = f"{path}[{index}]" if wording.required_where_empty else path
        errors += _owner_errors(owner, place, wording)
        if owner.get("controller"):
            this = f"{owner['kind']}/{owner['name']}"
            if controller:
                errors.append(_second_controller(owners, path, (controller, this), wording))
            else:
                controller = this
    return errors


def validate_finalizers(finalizers: Sequence[str], path: str, wording: Wording = DEFAULT) -> list[FieldError]:
    errors = [
        invalid(path, finalizer, message)
        for finalizer in finalizers
        for message in names.is_qualified_name(finalizer, wording.length_unit)
    ]
    if FINALIZER_FOREGROUND in finalizers and FINALIZER_ORPHAN in finalizers:
        clash = f"finalizer {FINALIZER_ORPHAN} and {FINALIZER_FOREGROUND} cannot be both set"
        errors.append(_invalid_as(path, wording.strings(finalizers), clash))
    return errors


def validate_managed_fields(
    entries: Sequence[dict[str, Any]], path: str, wording: Wording = DEFAULT
) -> list[FieldError]:
    """Validates entries of managedFields: operation, fieldsType, manager and subresource."""
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        operation, fields_type = entry.get("operation", ""), entry.get("fieldsType", "")
        manager, subresource = entry.get("manager", ""), entry.get("subresource", "")
        if len(manager) + len(subresource) <= _SHORT and _is_right_entry(
            operation, fields_type, manager, subresource
        ):
            continue
        here = f"{path}[{index}]"
        if operation not in ("Apply", "Update"):
            errors.append(_operation_error(f"{here}.operation", operation, wording))
        if fields_type not in ("", "FieldsV1"):
            errors.append(invalid(f"{here}.fieldsType", fields_type, "must be `FieldsV1`"))
        errors += validate_field_manager(entry.get("manager", ""), f"{here}.manager", wording)
        if names.byte_length(entry.get("subresource", "")) > MAX_SUBRESOURCE_NAME_LENGTH:
            errors.append(
                too_long_error(f"{here}.subresource", MAX_SUBRESOURCE_NAME_LENGTH, wording.too_long)
            )
    return errors


@lru_cache(_RIGHT_ENTRIES)
def _is_right_entry(operation: str, fields_type: str, manager: str, subresource: str) -> bool:
    """Whether a managedFields entry with these members is valid; the result is the same in all releases."""
    return (
        operation in ("Apply", "Update")
        and fields_type in ("", "FieldsV1")
        and not validate_field_manager(manager, "")
        and names.byte_length(subresource) <= MAX_SUBRESOURCE_NAME_LENGTH
    )


def _operation_error(path: str, operation: str, wording: Wording) -> FieldError:
    if not wording.required_where_empty:
        return invalid(path, operation, "must be `Apply` or `Update`")
    return (
        not_supported(path, operation, ("Apply", "Update"))
        if operation
        else required(path, "must not be empty")
    )


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
    meta: dict[str, Any], path: str, wording: Wording, *, with_finalizers: bool
) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := meta.get("labels"):
        errors += validate_labels(labels, f"{path}.labels", wording)
    if annotations := meta.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations", wording)
    if owners := meta.get("ownerReferences"):
        errors += validate_owner_references(owners, f"{path}.ownerReferences", wording)
    if with_finalizers and (finalizers := meta.get("finalizers")):
        errors += validate_finalizers(finalizers, f"{path}.finalizers", wording)
    if managed := meta.get("managedFields"):
        errors += validate_managed_fields(managed, f"{path}.managedFields", wording)
    return errors


def _immutable_errors(
    new: dict[str, Any], old: dict[str, Any], path: str, wording: Wording
) -> list[FieldError]:
    errors = [
        invalid(f"{path}.{name}", new.get(name, ""), _IMMUTABLE)
        for name in _IMMUTABLE_TEXTS
        if new.get(name, "") != old.get(name, "")
    ]
    for name, zero in _IMMUTABLE_TIMES.items():
        time = new.get(name)
        if time != old.get(name):
            errors.append(_invalid_as(f"{path}.{name}", wording.time(time, zero=zero), _IMMUTABLE))
    grace = new.get("deletionGracePeriodSeconds")
    if grace != old.get("deletionGracePeriodSeconds"):
        printed = wording.json(grace) if wording.json_values else render(grace)
        errors.append(_invalid_as(f"{path}.deletionGracePeriodSeconds", printed, _IMMUTABLE))
    return errors


def _added_finalizer_errors(new: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    added = set(new.get("finalizers") or ()).difference(old.get("finalizers") or ())
    if not added:
        return []
    rule = "no new finalizers can be added if the object is being deleted"
    return [forbidden(path, f"{rule}, found new finalizers {_strings(sorted(added))}")]


def undomained_finalizer_errors(meta: dict[str, Any], path: str) -> list[FieldError]:
    """Returns an error for each finalizer that neither has a domain nor is one of STANDARD_FINALIZERS."""
    rule = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid(f"{path}.finalizers[{index}]", finalizer, rule)
        for index, finalizer in enumerate(meta.get("finalizers") or ())
        if not has_domain(finalizer)
    ]


def has_domain(finalizer: str) -> bool:
    """Whether a finalizer has a domain, or is one of STANDARD_FINALIZERS."""
    return "/" in finalizer or finalizer in STANDARD_FINALIZERS


def _owner_errors(owner: dict[str, Any], path: str, wording: Wording) -> list[FieldError]:
    version = owner["apiVersion"]
    group, slash, after = version.partition("/")
    named = after if slash else group
    has_version = bool(named) and "/" not in after
    errors: list[FieldError] = []
    if wording.required_where_empty and not version:
        errors.append(required(f"{path}.apiVersion", "must not be empty"))
    elif not has_version:
        rule = (
            "must be <group>/<version> or <version>"
            if wording.required_where_empty
            else "version must not be empty"
        )
        errors.append(invalid(f"{path}.apiVersion", version, rule))
    errors += [
        _empty_owner_member(f"{path}.{member}", member, wording)
        for member in ("kind", "name", "uid")
        if not owner[member]
    ]
    if version in ("v1", "/v1") and owner["kind"] == "Event":
        printed = wording.json(_owner_as_json(owner)) if wording.json_values else _owner(owner)
        errors.append(_invalid_as(path, printed, "/v1, Kind=Event is disallowed from being an owner"))
    return errors


def _empty_owner_member(path: str, member: str, wording: Wording) -> FieldError:
    message = wording.empty_owner_member.format(member)
    return required(path, message) if wording.required_where_empty else invalid(path, "", message)


def _second_controller(
    owners: Sequence[dict[str, Any]], path: str, controllers: tuple[str, str], wording: Wording
) -> FieldError:
    rule = "Only one reference can have Controller set to true"
    if wording.json_values:
        dump = wording.json(list(map(_owner_as_json, owners)))
    else:
        dump = "[]v1.OwnerReference{" + ", ".join(map(_owner, owners)) + "}"
    return _invalid_as(path, dump, f'{rule}. Found "true" in references for {" and ".join(controllers)}')


def _owner_as_json(owner: dict[str, Any]) -> dict[str, Any]:
    """Returns an owner reference with its members in the order of the Go struct, without null members."""
    names_in_order = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
    return {name: owner[name] for name in names_in_order if owner.get(name) is not None}


def _owner(owner: dict[str, Any]) -> str:
    """Formats an owner reference like Go's `%#v`, with the same invented address for each pointer."""
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


def _invalid_as(path: str, printed: str, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", path, f"Invalid value: {printed}: {detail}")


def _sorted_where(texts: Mapping[str, str], is_bad: Callable[[str, str], bool]) -> list[str]:
    return sorted(key for key, value in texts.items() if is_bad(key, value))


def _is_bad_label(key: str, value: str) -> bool:
    return bool(names.is_qualified_name(key) or names.is_valid_label_value(value))


def _is_bad_annotation(key: str, _value: str) -> bool:
    return bool(names.is_qualified_name(_lower(key)))


def _lower(key: str) -> str:
    """Converts a key to lower case like Go's strings.ToLower. The number of characters stays the same."""
    return key.lower() if key.isascii() else "".join(character.lower()[0] for character in key)
