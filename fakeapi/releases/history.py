"""Declares values that change between minor releases."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

_T = TypeVar("_T")


class Changes(NamedTuple):
    """The values of an attribute, and the upstream package from which they come.

    The keys of `values` are the first minor releases with each value.
    """

    values: Mapping[int, Any]
    upstream: str


def since(changes: Mapping[int, _T], upstream: str) -> _T:
    """Declares an attribute of a `ReleaseValues` whose value differs between releases.

    `changes`: each value by the first minor release that has it, such as `{27: False, 33: True}`
    `upstream`: the package whose code differs, as a path in the repository kubernetes/kubernetes; the import
    path if the package is in another repository
    """
    return cast("_T", Changes(changes, upstream))


class ReleaseValues:
    """Base of classes whose instances describe one release. Subclasses declare attributes with `since`.

    An instance is immutable, and equal only to itself. `declared` has the changes of each attribute.
    """

    declared: ClassVar[Mapping[str, Changes]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Changes)}
        for name in own:
            delattr(cls, name)  # an attribute that only instances have is read faster
        inherited = [base.declared for base in cls.__bases__ if issubclass(base, ReleaseValues)]
        cls.declared = {name: value for each in (*inherited, own) for name, value in each.items()}

    def __init__(self, minor: int) -> None:
        vars(self).update({name: value_at(each.values, minor) for name, each in self.declared.items()})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")


def value_at(changes: Mapping[int, _T], minor: int) -> _T:
    """Returns the value in release 1.`minor`.

    `changes`: each value by the first minor release that has it.
    """
    return changes[max(first for first in changes if first <= minor)]
