"""Full names of the Go types of admissionregistration.k8s.io."""

from fakeapi.releases.rules import ReleaseRules


def type_of(name: str, rules: ReleaseRules) -> str:
    """Returns a type's full name in the most stable version, such as `admissionregistration/v1.ParamRef`.

    Raises KeyError if no version of the release has the type.
    """
    for version in ("v1", "v1beta1", "v1alpha1"):
        full = f"admissionregistration/{version}.{name}"
        try:
            rules.schemas.struct(full)
        except KeyError:
            continue
        return full
    raise KeyError(name)
