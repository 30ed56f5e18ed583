"""The rules of one release for its kinds: limits, quirks, feature gates and types.

Other code reads these rules instead of comparing release numbers.
"""

from dataclasses import dataclass, field

from fakeapi.releases import Gates, Limits, Quirks, Release
from fakeapi.releases.schemas import Schemas


@dataclass(frozen=True, slots=True)
class ReleaseRules:
    limits: Limits
    quirks: Quirks
    gates: Gates
    schemas: Schemas = field(repr=False, compare=False)
    release: Release = field(repr=False, compare=False)
    """The release itself, which the schema rules of custom resources need."""

    def drops(self, gate: str) -> bool:
        """Whether the server drops the fields of a feature gate.

        True if the release has the gate and the gate is off.
        """
        return not self.gates.get(gate, True)


def rules_of(release: Release) -> ReleaseRules:
    return ReleaseRules(release.limits, release.quirks, release.gates, release.schemas, release)
