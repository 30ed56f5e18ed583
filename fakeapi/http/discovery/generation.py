"""GenerationCache: caches documents about the served API resources until these resources change."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from fakeapi.registry.model.catalogue import Catalogue

T = TypeVar("T")


class GenerationCache:
    """Caches values by key until the API resources in the catalogue change.

    The first `get` after a change drops all older values.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._generation = catalogue.generation
        self._kept: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the cached value of a key. If no value is cached, calls `make` and caches the result.

        The number of keys is unlimited, so use only few keys, such as the paths of served documents.
        """
        if self._generation != self._catalogue.generation:
            self._kept.clear()
            self._generation = self._catalogue.generation
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])
