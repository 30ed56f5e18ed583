"""Returns full names of Go types, in the newest API version that a release has."""

from typing import Final

from fakeapi.releases.rules import ReleaseRules

_VERSIONS: Final = ("v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1")
"""API versions of all groups, newest first."""


def newest_type(group: str, name: str, rules: ReleaseRules) -> str:
    """Returns a type's full name, such as `flowcontrol/v1.FlowSchemaSpec`, in the newest API version.

    Types of the internal version have the layout of this API version. Raises KeyError if no API version of
    the release has the type.

    `group`: the first part of the group's name, such as `flowcontrol`
    """
    for version in _VERSIONS:
        full_name = f"{group}/{version}.{name}"
        try:
            rules.schemas.struct(full_name)
        except KeyError:
            continue
        return full_name
    raise KeyError(name)
