"""How releases differ in what rules may say, and in the words of errors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """The rules of one release with its feature gates; the key of caches."""

    ratchets: bool
    """Errors of what an update did not change are warnings (feature gate CRDValidationRatcheting)."""
