"""Differences between releases in the meaning of schemas and in error messages."""

import msgspec

from fakeapi.machinery.meta.wording import Wording

_NEWEST_WORDS = Wording(
    json_values=True, empty_owner_member="must not be empty", length_unit="bytes", required_where_empty=True
)


class SchemaRules(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for custom objects in one release; the default values apply to the newest release.

    `fakeapi.releases.schema_rules.schema_rules_of` creates the settings of a release with its feature gates.
    """

    words: Wording = _NEWEST_WORDS

    ratchets: bool = True
    """Whether updates ignore errors in unchanged values (feature gate CRDValidationRatcheting)."""

    correlates_free_members: bool = False
    """Whether members under `additionalProperties: true` or `false` are compared with their old values.

    If False, an object with such members counts as changed.
    """

    knows_name_formats: bool = True
    """Whether the formats k8s-short-name and k8s-long-name are validated."""

    knows_bare_mac: bool = True
    """Whether the format mac accepts hexadecimal digits without separators.

    net.ParseMAC accepts such digits since Go 1.26.
    """

    formats_follow_types: bool = True
    """Whether a format applies only to values of the schema's type.

    If True, the formats int32, int64 and float limit the range of numbers. If False, string formats apply to
    strings under any type, and number formats are ignored.
    """

    warns_of_formats: bool = True
    """Whether the server warns about unrecognized formats when a CustomResourceDefinition is written."""

    too_long: str = "may not be more than {} bytes"
    """The end of the error for a string longer than maxLength; `{}` is the limit."""

    count_of_properties_ends_check: bool = False
    """Whether an error about the number of properties ends the validation of an object."""

    documents_are_structural: bool = True
    """Whether schemas that differ only in externalDocs or example count as different.

    If True, externalDocs and example are also published in OpenAPI.
    """

    branches_may_refuse_others: bool = True
    """Whether schemas within anyOf, allOf, oneOf and not may set `additionalProperties: false`."""

    rule_errors_name_member: bool = False
    """Whether errors in the fields of a CEL rule begin with the field name, as in "message must be …"."""

    missing_type_meta: str = ""
    """The end of the error for an embedded resource without apiVersion or kind."""

    @property
    def one_is_singular(self) -> bool:
        """Whether errors say "1 byte" and "1 item" instead of "1 bytes" and "1 items"."""
        return self.words.json_values


NEWEST = SchemaRules()
