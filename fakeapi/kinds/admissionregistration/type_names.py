"""Names of types of admissionregistration.k8s.io, in the newest version that a release has."""

from fakeapi.releases.rules import ReleaseRules


def type_of(name: str, rules: ReleaseRules) -> str:
    """Returns the full name of a type; raises KeyError if no version has the type."""
    for version in ("v1", "v1beta1", "v1alpha1"):
        full = f"admissionregistration/{version}.{name}"
        try:
            rules.schemas.struct(full)
        except KeyError:
            continue
        return full
    raise KeyError(name)
