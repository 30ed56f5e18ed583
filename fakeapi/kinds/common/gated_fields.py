"""Drops the fields of disabled features from written objects, unless the stored object uses them.

A feature is disabled if its feature gate is off. Follows the functions `dropDisabledFields` of the strategies
in k8s.io/kubernetes `pkg/registry`. Each kind has a table of its gated fields. One table serves all releases,
because the types of a release do not contain the fields of later releases.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Final

import msgspec

from fakeapi.kinds.common.paths import holders, is_set, with_null, without
from fakeapi.machinery.json_types import Object
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

REMOVED: Final[tuple[str, ...]] = ()
"""Use this as the gate of a feature that Kubernetes has removed. All releases then drop its fields."""


class GatedFields(msgspec.Struct, frozen=True):
    """A feature gate and the fields that it controls; `fakeapi.kinds.common.paths` defines the paths.

    - `gate`: the gate, several gates, or `REMOVED`. Of several gates, one must be on.
    - `paths`: the fields that the server drops while the gate is off, unless the stored object uses the
      feature
    - `used_at`: fields of the stored object. The object uses the feature if one of them is set. None means
      `paths`.
    - `in_use`: a function that returns whether the stored object uses the feature; None means that `used_at`
      decides
    - `becomes_null`: whether the server sets `paths` to null instead of dropping them
    - `take_away`: a function that removes the fields from its argument, in place; None means to drop `paths`
    - `when`: a function that returns whether releases with the given quirks drop these fields; None means all
      releases
    """

    gate: str | tuple[str, ...]
    paths: tuple[str, ...]
    used_at: tuple[str, ...] | None = None
    in_use: Callable[[Object], bool] | None = None
    becomes_null: bool = False
    take_away: Callable[[Object], None] | None = None
    when: Callable[[Quirks], bool] | None = None

    def are_disabled(self, rules: ReleaseRules) -> bool:
        """Whether a release drops the fields because all their gates are off."""
        gates = (self.gate,) if isinstance(self.gate, str) else self.gate
        return all(map(rules.drops, gates)) and (self.when is None or self.when(rules.quirks))

    def are_in(self, obj: Object) -> bool:
        """Whether the object has at least one of the fields, even with the value null."""
        return any(name in holder for path in self.paths for holder, name in holders(obj, path))

    def is_used_by(self, old: Object | None) -> bool:
        """Whether the stored object uses the feature; False if `old` is None, as on create."""
        if old is None:
            return False
        if self.in_use is not None:
            return self.in_use(old)
        return any(is_set(old, path) for path in (self.paths if self.used_at is None else self.used_at))

    def without_fields(self, obj: Object) -> Object:
        """Returns a copy of the object without the controlled fields.

        Returns the object itself if the fields become null and are null already.
        """
        if self.take_away is None:
            for path in self.paths:
                obj = with_null(obj, path) if self.becomes_null else without(obj, path)
            return obj
        left = {name: value if name == "metadata" else deepcopy(value) for name, value in obj.items()}
        self.take_away(left)
        return left


def drop_disabled_fields(
    new: Object, old: Object | None, table: Iterable[GatedFields], rules: ReleaseRules
) -> Object:
    """Returns `new` without the fields whose feature gates are off. Keeps fields that `old` uses.

    `old`: the stored object; None on create. Does not change its arguments. Returns `new` itself if there is
    nothing to drop.
    """
    for gated in table:
        if gated.are_disabled(rules) and gated.are_in(new) and not gated.is_used_by(old):
            new = gated.without_fields(new)
    return new
