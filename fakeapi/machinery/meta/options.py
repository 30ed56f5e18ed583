"""Validates DeleteOptions, CreateOptions, UpdateOptions and PatchOptions.

Follows k8s.io/apimachinery `pkg/apis/meta/v1/validation`. Options are dicts in their JSON form; an absent
member is nil in Go. Callers return the errors as status 422 of kind `DeleteOptions`, `CreateOptions`,
`UpdateOptions` or `PatchOptions` in the group `meta.k8s.io`, with an empty name.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.field_errors import too_long as too_long_error
from fakeapi.machinery.meta.names import byte_length
from fakeapi.machinery.meta.wording import DEFAULT, Wording

FIELD_MANAGER_MAX_LENGTH = 128
FIELD_MANAGER_REPORT_MAX_LENGTH = 16 * FIELD_MANAGER_MAX_LENGTH
"""Maximum length of a field manager, in characters, for an error about each unprintable character.

In a longer name, only the first unprintable character gets an error, because each error repeats the name.
"""

PROPAGATION_POLICIES = ("Foreground", "Background", "Orphan")
FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")

UNSAFE_DELETE = "ignoreStoreReadErrorWithClusterBreakingPotential"
_EXCLUDED_BY_UNSAFE_DELETE = ("propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions")


def validate_delete_options(
    options: dict[str, Any], wording: Wording = DEFAULT, *, unsafe_dry_run: bool = False
) -> list[FieldError]:
    """Validates DeleteOptions; the caller must remove members that the release does not have.

    `unsafe_dry_run`: whether an unsafe delete may be a dry run, as in 1.37 and later.
    """
    errors: list[FieldError] = []
    policy = options.get("propagationPolicy")
    if policy is not None:
        if options.get("orphanDependents") is not None:
            clash = "orphanDependents and deletionPropagation cannot be both set"
            errors.append(invalid("propagationPolicy", policy, clash))
        if policy not in PROPAGATION_POLICIES:
            errors.append(not_supported("propagationPolicy", policy, (*PROPAGATION_POLICIES, "nil")))
    errors += validate_dry_run(options.get("dryRun") or (), wording)
    if options.get(UNSAFE_DELETE):
        errors += _unsafe_delete_errors(options, dry_run=unsafe_dry_run)
    return errors


def validate_write_options(options: dict[str, Any], wording: Wording = DEFAULT) -> list[FieldError]:
    """Validates CreateOptions or UpdateOptions, which have the same rules."""
    return [
        *validate_field_manager(options.get("fieldManager", ""), "fieldManager", wording),
        *validate_dry_run(options.get("dryRun") or (), wording),
        *validate_field_validation(options.get("fieldValidation", "")),
    ]


def validate_patch_options(
    options: dict[str, Any], *, apply: bool, wording: Wording = DEFAULT
) -> list[FieldError]:
    """Validates PatchOptions; `apply`: whether the patch is a server-side apply."""
    errors: list[FieldError] = []
    if apply:
        if not options.get("fieldManager"):
            errors.append(required("fieldManager", "is required for apply patch"))
    elif options.get("force") is not None:
        errors.append(forbidden("force", "may not be specified for non-apply patch"))
    return errors + validate_write_options(options, wording)


def validate_field_manager(manager: str, path: str, wording: Wording = DEFAULT) -> list[FieldError]:
    """Validates a field manager: at most 128 bytes, only printable characters; may be empty."""
    if len(manager) <= FIELD_MANAGER_MAX_LENGTH and manager.isascii() and manager.isprintable():
        return []
    errors: list[FieldError] = []
    if byte_length(manager) > FIELD_MANAGER_MAX_LENGTH:
        errors.append(too_long_error(path, FIELD_MANAGER_MAX_LENGTH, wording.too_long))
    for position, character in _unprintable(manager):
        detail = f"invalid character U+{ord(character):04X} (at position {position})"
        errors.append(invalid(path, manager, detail))
        if len(manager) > FIELD_MANAGER_REPORT_MAX_LENGTH:
            break
    return errors


def validate_dry_run(values: Sequence[str], wording: Wording = DEFAULT) -> list[FieldError]:
    if all(value == "All" for value in values):
        return []
    body = f'Unsupported value: {wording.strings(values)}: supported values: "All"'
    return [FieldError("FieldValueNotSupported", "dryRun", body)]


def validate_field_validation(value: str) -> list[FieldError]:
    if value in FIELD_VALIDATIONS:
        return []
    return [not_supported("fieldValidation", value, FIELD_VALIDATIONS)]


def _unprintable(text: str) -> Iterator[tuple[int, str]]:
    """Yields (offset in bytes, character) for each character that Go's unicode.IsPrint rejects."""
    position = 0
    for character in text:
        if not character.isprintable():
            yield position, character
        position += byte_length(character)


def _unsafe_delete_errors(options: dict[str, Any], *, dry_run: bool) -> list[FieldError]:
    excluded = ["dryRun"] if options.get("dryRun") and not dry_run else []
    excluded += [name for name in _EXCLUDED_BY_UNSAFE_DELETE if options.get(name) is not None]
    return [invalid(UNSAFE_DELETE, True, f"cannot be set together with .{name}") for name in excluded]
