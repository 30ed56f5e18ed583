"""Validates file paths that must stay below a directory.

Follows `validateLocalDescendingPath`, `validatePathNoBacksteps` and `ValidateLocalNonReservedPath` of
k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.machinery.field_errors import FieldError, invalid


def validate_no_backsteps(target: str, path: str) -> list[FieldError]:
    """Returns an error if `..` is a component of the file path `target`. `path`: the field path."""
    return [invalid(path, target, "must not contain '..'")] if ".." in target.split("/") else []


def validate_descending(target: str, path: str) -> list[FieldError]:
    """Returns errors if the file path `target` is absolute or has a component `..`.

    `path`: the field path
    """
    errors = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return errors + validate_no_backsteps(target, path)


def validate_not_reserved(target: str, path: str) -> list[FieldError]:
    """Returns errors if the file path `target` is absolute, has a component `..`, or begins with two dots.

    `path`: the field path
    """
    errors = validate_descending(target, path)
    if target.startswith("..") and not target.startswith("../"):
        errors.append(invalid(path, target, "must not start with '..'"))
    return errors
