"""The rules that a release's kinds follow: its limits, quirks, gates and types, as one value.

What each of them says stands in `fakeapi.releases`; no rule is asked for its release's number.
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
    """Where the rules come from, to make those of schemas of custom resources."""

    def drops(self, gate: str) -> bool:
        """Whether fields behind the gate are dropped: the release has it, and it is off."""
        return not self.gates.get(gate, True)


def rules_of(release: Release) -> ReleaseRules:
    return ReleaseRules(release.limits, release.quirks, release.gates, release.schemas, release)
