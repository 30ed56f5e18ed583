"""Validates `skipNodeOperations`, the node operations that a driver does not need.

Follows `validateSkipNodeOperations` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.37.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.releases.rules import ReleaseRules

_PREPARE, _UNPREPARE, _ALL = "NodePrepareResources", "NodeUnprepareResources", "*"


def validate_skipped_operations(
    skipped: Sequence[str] | None, path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Returns an error if NodePrepareResources is skipped but NodeUnprepareResources is not."""
    if not skipped or _PREPARE not in skipped or _UNPREPARE in skipped or _ALL in skipped:
        return []
    problem = f"{_PREPARE} cannot be skipped unless {_UNPREPARE} is also skipped"
    return [invalid(path, printed_plain(list(skipped), rules.quirks.wording), problem)]
