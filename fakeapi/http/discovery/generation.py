"""A cache for documents made from the catalogue, valid until the catalogue changes."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from fakeapi.registry.model.catalogue import Catalogue

T = TypeVar("T")


class GenerationCache:
    """Values by key, each made when it is first asked for in a generation of the catalogue.

    A change of the catalogue costs nothing until then; values of an older generation are dropped.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._generation = catalogue.generation
        self._kept: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The keys are few: paths of documents that are served."""
        if self._generation != self._catalogue.generation:
            self._kept.clear()
            self._generation = self._catalogue.generation
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])
