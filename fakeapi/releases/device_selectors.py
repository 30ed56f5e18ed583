"""Compiles device selectors, which are CEL expressions, with the CEL features of a release."""

from functools import cache, lru_cache

from fakeapi.machinery.cel.compiler import Invalid, Strictness, Unchecked
from fakeapi.machinery.cel.cost import cost_traced
from fakeapi.machinery.cel.device_evaluation import DeviceSelector, device_selector
from fakeapi.machinery.cel.devices import (
    BASE_LIBRARIES,
    device_environment,
    named_resources_environment,
)
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.named_resources_evaluation import (
    NamedResourcesSelector,
    named_resources_selector,
)
from fakeapi.releases.quirks import Quirks
from fakeapi.releases.rule_settings import dialect_of, wording_of
from fakeapi.releases.rules import ReleaseRules

SELECTORS_KEPT = 1024
"""Maximum number of compiled selectors in each cache, which evicts the least recently used selector."""

SHARED, LISTED = "DRAConsumableCapacity", "DRAListTypeAttributes"


def compile_selector(text: str, rules: ReleaseRules) -> DeviceSelector | Invalid | Unchecked:
    """Compiles the CEL expression of a stored DeviceClass or claim, and caches the result.

    Returns Invalid if the expression does not compile, and Unchecked if fakeapi cannot check it.
    """
    known = rules.gates.known
    return _compiled(text, rules.quirks, SHARED in known, LISTED in known)


@lru_cache(SELECTORS_KEPT)
def compile_named_resources_selector(
    text: str, quirks: Quirks
) -> NamedResourcesSelector | Invalid | Unchecked:
    """Compiles a CEL expression in stored parameters of v1alpha2, and caches the result.

    Returns Invalid if the expression does not compile, and Unchecked if fakeapi cannot check it.
    """
    environment = named_resources_environment(BASE_LIBRARIES | quirks.cel_libraries)
    return named_resources_selector(text, environment, _strictness(quirks), dialect_of(quirks))


@lru_cache(SELECTORS_KEPT)
def _compiled(
    text: str,
    quirks: Quirks,
    shared: bool,  # noqa: FBT001 - the key of a cache
    listed: bool,  # noqa: FBT001
) -> DeviceSelector | Invalid | Unchecked:
    environment = _environment(quirks, shared, listed)
    return device_selector(text, environment, _strictness(quirks), dialect_of(quirks))


@cache
def _environment(
    quirks: Quirks,
    shared: bool,  # noqa: FBT001 - the key of a cache
    listed: bool,  # noqa: FBT001
) -> Environment:
    """Returns the CEL environment for stored expressions, with every CEL library of the release.

    - `shared`: whether the release has the gate DRAConsumableCapacity, on or off.
    - `listed`: whether the release has the gate DRAListTypeAttributes, on or off.
    """
    stored = quirks.rules.stored_may_say - {"literals"}
    return device_environment(
        BASE_LIBRARIES | quirks.cel_libraries | stored | {"bindings"},
        constructible=quirks.cel_devices_can_be_made,
        shared=shared,
        listed=listed,
    )


def _strictness(quirks: Quirks) -> Strictness:
    return Strictness(
        any_result=True,
        dyn_result=True,
        checks_formats=True,
        cost_max=None,
        pricing=cost_traced,
        wording=wording_of(quirks),
    )
