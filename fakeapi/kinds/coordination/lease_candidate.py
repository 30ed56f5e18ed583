"""LeaseCandidate of coordination.k8s.io, from Kubernetes 1.31.

Follows k8s.io/kubernetes `pkg/registry/coordination/leasecandidate` and `pkg/apis/coordination/validation`.
"""

import re
from collections.abc import Mapping
from typing import ClassVar, Final

from fakeapi.kinds.coordination.lease import (
    OLDEST_EMULATION_VERSION,
    validate_election_strategy,
)
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

_NO_VERSION: Final = "must be a valid semantic version"
_NEEDED: Final = "must be specified when `strategy` is 'OldestEmulationVersion'"
_NUMBER = r"(?:0|[1-9][0-9]*)"
_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_version = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
).fullmatch

Version = tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]
"""Sort key of a semantic version: the numbers, whether the version is final, the pre-release parts."""

_ZERO: Version = ((0, 0, 0), True, ())
_UINT64_MAX: Final = (1 << 64) - 1


class LeaseCandidateStrategy(RulesStrategy):
    """Strategy for LeaseCandidates.

    The lease name is immutable, and a PUT creates a missing LeaseCandidate.
    """

    creates_on_update: ClassVar[bool] = True
    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = [] if spec["leaseName"] else [required("spec.leaseName")]
        emulated = _parsed(spec.get("emulationVersion", ""))
        if emulated is None:
            errors.append(invalid("spec.emulationVersion", spec["emulationVersion"], _NO_VERSION))
        binary = _parsed(spec.get("binaryVersion", ""))
        if binary is None:
            errors.append(invalid("spec.binaryVersion", spec["binaryVersion"], _NO_VERSION))
        elif not spec.get("binaryVersion") and not self._lists_strategies:
            errors.append(required("spec.binaryVersion"))
        errors += _validate_order(spec, binary or _ZERO, emulated or _ZERO)
        return errors + self._validate_strategies(spec, binary or _ZERO, emulated or _ZERO)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_immutable(new["spec"]["leaseName"], old["spec"]["leaseName"], "spec.leaseName")
        return [*metadata.of_change, *self.validate_create(new), *changed]

    @property
    def _lists_strategies(self) -> bool:
        return self._rules.quirks.candidates_list_strategies

    def _validate_strategies(self, spec: Object, binary: Version, emulated: Version) -> list[FieldError]:
        errors: list[FieldError] = []
        if self._lists_strategies:
            for index, strategy in enumerate(spec.get("preferredStrategies") or ()):
                if strategy == OLDEST_EMULATION_VERSION:
                    errors += [required("spec.binaryVersion", _NEEDED)] if binary == _ZERO else []
                    errors += [required("spec.emulationVersion", _NEEDED)] if emulated == _ZERO else []
                path = f"spec.preferredStrategies[{index}]"
                errors += validate_election_strategy(strategy, path, self._rules)
            return errors
        strategy = spec.get("strategy", "")
        if not strategy:
            return [required("spec.strategy")]
        if strategy == OLDEST_EMULATION_VERSION and emulated == _ZERO:
            errors.append(required("spec.emulationVersion", _NEEDED))
        return errors + validate_election_strategy(strategy, "spec.strategy", self._rules)


def _validate_order(spec: Object, binary: Version, emulated: Version) -> list[FieldError]:
    if not spec.get("binaryVersion") or not spec.get("emulationVersion") or binary >= emulated:
        return []
    rule = "must be greater than or equal to `emulationVersion`"
    return [invalid("spec.binaryVersion", spec["binaryVersion"], rule)]


def _parsed(text: str) -> Version | None:
    """Returns the sort key of a semantic version. An empty string counts as 0.0.0.

    Returns None for a malformed version.
    """
    if not text:
        return _ZERO
    match = _version(text)
    if match is None or any(int(match[index]) > _UINT64_MAX for index in (1, 2, 3)):
        return None
    parts = () if match[4] is None else tuple(map(_part, match[4].split(".")))
    return (int(match[1]), int(match[2]), int(match[3])), not parts, parts


def _part(text: str) -> tuple[bool, int, str]:
    """Returns the sort key of a part of a pre-release version, such as `rc` or `1`. Numbers come first."""
    return (False, int(text), "") if text.isdigit() else (True, 0, text)


def _name_is_config_key(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return names.is_config_map_key(name)


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "LeaseName": at("spec", "leaseName"),
        "BinaryVersion": at("spec", "binaryVersion"),
        "EmulationVersion": at("spec", "emulationVersion"),
    }


LEASE_CANDIDATE = KindDefinition(
    group="coordination.k8s.io",
    resource="leasecandidates",
    strategies=of_rules(LeaseCandidateStrategy),
    name_validator=_name_is_config_key,
    cells=_cells,
    core_metadata=False,
)
