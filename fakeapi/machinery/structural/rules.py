"""How releases differ in what schemas mean, and in the words of errors."""

from dataclasses import dataclass

from fakeapi.machinery.meta.wording import Wording

_NEWEST_WORDS = Wording(
    json_values=True, empty_owner_member="must not be empty", length_unit="bytes", required_where_empty=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRules:
    """The rules of one release with its feature gates. The defaults are those of the newest.

    `fakeapi.releases.schema_rules` makes them for a release.
    """

    words: Wording = _NEWEST_WORDS

    ratchets: bool = True
    """Errors of what an update did not change do not count (feature gate CRDValidationRatcheting)."""

    correlates_free_members: bool = False
    """Members that `additionalProperties: true` or false is about are told changed or not, one by one."""

    knows_name_formats: bool = True
    """The formats k8s-short-name and k8s-long-name are checked."""

    knows_bare_mac: bool = True
    """The format mac takes digits without separators too, as net.ParseMAC does since Go 1.26."""

    formats_follow_types: bool = True
    """A format counts where the schema's type has it, and numbers are checked against the range of theirs:
    int32, int64, float. Otherwise formats of strings count whatever the type, and those of numbers not at
    all.
    """

    warns_of_formats: bool = True
    """A create or update of a definition with an unrecognized format gets a warning."""

    too_long: str = "may not be more than {} bytes"
    """How the error of a string beyond maxLength goes on; `{}` is the limit."""

    count_of_properties_ends_check: bool = False
    """An object of too few or too many properties is not checked further."""

    documents_are_structural: bool = True
    """externalDocs and example are compared when schemas are compared."""

    branches_may_refuse_others: bool = True
    """Schemas within anyOf and kin may have `additionalProperties: false`, which has no effect there."""

    rule_errors_name_member: bool = False
    """Errors in the fields of a rule begin with the field's name: "message must be ..."."""

    missing_type_meta: str = ""
    """How the error of an embedded resource without apiVersion or kind goes on."""

    @property
    def one_is_singular(self) -> bool:
        """A limit of one is "1 byte" or "1 item", since the release that prints values as JSON."""
        return self.words.json_values


NEWEST = SchemaRules()
