"""How releases differ in what schemas mean, and in the words of errors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRules:
    """The rules of one release with its feature gates. The defaults are those of the newest.

    `fakeapi.releases.schema_rules` makes them for a release.
    """

    ratchets: bool = True
    """Errors of what an update did not change do not count (feature gate CRDValidationRatcheting)."""

    knows_name_formats: bool = True
    """The formats k8s-short-name and k8s-long-name are checked (from 1.34)."""

    too_long: str = "must have at most {} bytes"
    """How the error of a string that is too long goes on."""


NEWEST = SchemaRules()
