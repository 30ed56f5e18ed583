"""Admission steps: functions that change or reject a write, and functions that run these steps.

Follows k8s.io/apiserver `pkg/admission/interfaces.go`.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import msgspec

from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.managed_fields import check_managed_fields, managed_fields_of
from fakeapi.registry.offloading.rerun import completed

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

Step = Callable[[Attributes], Awaitable[None] | None]
"""A function that accepts a write, or raises ApiError to reject the write.

A mutating step may also change the write. A step that must wait returns an awaitable, otherwise None.
"""


class Steps(msgspec.Struct, frozen=True):
    """The mutating and the validating admission steps of one operation on one resource, in order."""

    mutating: tuple[Step, ...] = ()
    validating: tuple[Step, ...] = ()


NO_STEPS = Steps()


class AdmissionControl(Protocol):
    """Provides the admission steps of every resource."""

    def steps(self, resource: "Resource", subresource: str, operation: Operation) -> Steps:
        """Returns the admission steps of an operation on a resource.

        `subresource`: the subresource that the request names; "" for the resource itself.
        """
        ...


class NoAdmission:
    """Admission without any steps: accepts all writes."""

    def steps(self, resource: "Resource", subresource: str, operation: Operation) -> Steps:
        return NO_STEPS


async def run(steps: Sequence[Step], attributes: Attributes) -> None:
    """Runs the steps in their order. Raises the ApiError of the first step that rejects the write."""
    for step in steps:
        waiting = await completed(partial(step, attributes))
        if waiting is not None:
            await waiting


async def mutate(steps: Sequence[Step], attributes: Attributes) -> None:
    """Runs the mutating steps in order, and a second time if a step sets `Reinvocation.is_wanted`.

    Then restores managedFields that the steps made invalid. Raises the ApiError of the first step that
    rejects the write.
    """
    before = managed_fields_of(attributes)
    await run(steps, attributes)
    again = attributes.reinvocation
    if again is not None and again.is_wanted:
        again.is_second = True
        await run(steps, attributes)
    check_managed_fields(attributes, before)
