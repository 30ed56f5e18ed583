"""Differences between releases in the meaning of schemas and in error messages."""

from dataclasses import dataclass

from fakeapi.machinery.meta.wording import Wording

_NEWEST_WORDS = Wording(
    json_values=True, empty_owner_member="must not be empty", length_unit="bytes", required_where_empty=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRules:
    """The settings of one release with its feature gates. The defaults are those of the newest release.

    `fakeapi.releases.schema_rules` makes them for a release.
    """

    words: Wording = _NEWEST_WORDS

    ratchets: bool = True
    """Errors in values that an update does not change are ignored (feature gate CRDValidationRatcheting)."""

    correlates_free_members: bool = False
    """Members under `additionalProperties: true` or `false` are compared with their old values; if False, an
    object with such members counts as changed.
    """

    knows_name_formats: bool = True
    """The formats k8s-short-name and k8s-long-name are checked."""

    knows_bare_mac: bool = True
    """The format mac also accepts digits without separators, as net.ParseMAC does since Go 1.26."""

    formats_follow_types: bool = True
    """Formats apply to values of the schema's type only, and numbers are checked against the range of their
    format: int32, int64, float. If False, string formats apply whatever the type, and number formats are
    ignored.
    """

    warns_of_formats: bool = True
    """A create or update of a definition with an unrecognized format gets a warning."""

    too_long: str = "may not be more than {} bytes"
    """End of the error for a string longer than maxLength; `{}` is the limit."""

    count_of_properties_ends_check: bool = False
    """An object with too few or too many properties is not checked further."""

    documents_are_structural: bool = True
    """externalDocs and example are compared when schemas are compared."""

    branches_may_refuse_others: bool = True
    """Schemas within anyOf, allOf, oneOf and not may have `additionalProperties: false`, which has no effect
    there.
    """

    rule_errors_name_member: bool = False
    """Errors in the fields of a rule begin with the field's name: "message must be ..."."""

    missing_type_meta: str = ""
    """End of the error for an embedded resource without apiVersion or kind."""

    @property
    def one_is_singular(self) -> bool:
        """Whether errors say "1 byte" and "1 item", which releases do that print values as JSON."""
        return self.words.json_values


NEWEST = SchemaRules()
