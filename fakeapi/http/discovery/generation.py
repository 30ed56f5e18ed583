"""GenerationCache: caches documents made from the catalogue, until the catalogue changes."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from fakeapi.registry.model.catalogue import Catalogue

T = TypeVar("T")


class GenerationCache:
    """Caches values by key for one generation of the catalogue.

    A change of the catalogue costs nothing until the next `get`, which drops the values of the older
    generation.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._generation = catalogue.generation
        self._kept: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of a key, which `make` computes once.

        Keys are few: the paths of served documents.
        """
        if self._generation != self._catalogue.generation:
            self._kept.clear()
            self._generation = self._catalogue.generation
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])
