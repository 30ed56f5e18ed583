"""WriteOptions: the query parameters of writes, as typed keyword arguments."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors


class WriteOptions(TypedDict, total=False):
    """The query parameters of a write, with their names in Kubernetes.

    - `fieldManager`: the manager of the write in managedFields.
    - `fieldValidation`: "Strict", "Warn" or "Ignore" for unknown and repeated fields.
    - `dryRun`: "All" checks the request without storing anything.
    """

    fieldManager: str
    fieldValidation: Literal["Ignore", "Warn", "Strict"]
    dryRun: Literal["All"]


class PatchOptions(WriteOptions, total=False):
    """The query parameters of a patch. `force`: whether an apply takes fields from other managers."""

    force: bool | Literal["true", "false"]


def query_of(
    method: str, options: WriteOptions | PatchOptions, allowed: type[Any], others: tuple[str, ...]
) -> dict[str, str]:
    """Returns the query parameters of a write.

    - `method`: the name of the method, for the error message.
    - `allowed`: WriteOptions or PatchOptions.
    - `others`: the other keyword arguments of the method, for suggestions.

    Raises TypeError for an unknown keyword argument.
    """
    given: Mapping[str, Any] = options
    names = allowed.__annotations__.keys() | WriteOptions.__annotations__.keys()
    for name in given:
        if name not in names:
            hint = did_you_mean(name.replace("_", ""), [*names, *others])
            raise TypeError(f"{method}() has no keyword argument {name!r}{hint}")
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
