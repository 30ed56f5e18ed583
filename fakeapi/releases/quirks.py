"""Named differences between releases that are neither a field, a gate nor a limit.

Each name says what the release does. Known from recordings of the releases' own servers, and where those are
silent from k8s.io/kubernetes and k8s.io/apiserver.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a release does, in yes and no and in words."""

    status_stores_metadata: bool
    """A write to a claim's status stores labels, annotations, finalizers and owners too."""

    list_resource_version_error_is_500: bool
    """A list at a resourceVersion that is no number is an internal error, not a bad request."""

    request_fields_under_exactly: bool
    """Errors in a v1alpha3 request name its fields as v1beta2 nests them: `requests[0].exactly.count`."""

    admin_access_is_ungated: bool
    """`adminAccess` is a plain field that needs no gate and is not written into results."""

    list_over_limit_is_too_many: bool
    """A list of a resource.k8s.io object beyond its limit is `Too many`, not `Too long`."""

    too_long: str
    """How a text, or metadata, beyond its limit is worded; `{}` is the limit in bytes."""

    too_long_name: str
    """The same for what is checked by its length as such: pool names, attribute values and, where they are
    `Too long`, lists."""


    managed_fields_allow_duplicates: bool
    """An object with two equal items in a set or map list keeps its managedFields."""

    watch_cache_start: int
    """The resourceVersion at which a new server begins to keep history for watches."""

    initial_events_blueprint: bool
    """The bookmark that ends initial events carries an empty list of the kind as an annotation."""


def quirks_of(minor: int) -> Quirks:
    """The quirks of release 1.`minor`."""
    return Quirks(
        status_stores_metadata=minor <= 29,
        list_resource_version_error_is_500=minor <= 32,
        request_fields_under_exactly=minor >= 33,
        admin_access_is_ungated=minor == 31,
        list_over_limit_is_too_many=minor >= 32,
        managed_fields_allow_duplicates=minor >= 29,
        watch_cache_start=2 if minor >= 33 else 1,
        initial_events_blueprint=minor == 32,
        too_long="may not be more than {} bytes" if minor >= 32 else "must have at most {} bytes",
        too_long_name="may not be more than {} bytes" if minor >= 32 else "may not be longer than {}",
    )
