"""Base strategies of kinds with `/status`.

Writes to the object keep the status. Writes to `/status` keep the spec. Follows the pairs of strategies in
k8s.io/kubernetes `pkg/registry`, such as `ingressStrategy` and `ingressStatusStrategy`.
"""

from copy import deepcopy
from typing import ClassVar

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_meta import for_status, with_generation, with_next_generation
from fakeapi.registry.model.strategy import Strategy


class StatusKeptStrategy(Strategy):
    """Strategy for creates and updates of objects. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    new_status: ClassVar[Object] = {}
    """The status of a new object."""

    counts_generations: ClassVar[bool] = False
    """Whether a new object has the generation 1, which each change of the spec increments."""

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = deepcopy(self.new_status)
        return with_generation(obj, 1) if self.counts_generations else obj

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return with_next_generation(new, old) if self.counts_generations else new


class SpecKeptStrategy(Strategy):
    """Strategy for `/status` that keeps the spec. The write may change metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["spec"] = old["spec"]
        return new


class StatusOnlyStrategy(Strategy):
    """Strategy for `/status` that keeps the spec and most metadata, such as labels and annotations."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))

    def prepare_update(self, new: Object, old: Object) -> Object:
        return for_status(new, old)
