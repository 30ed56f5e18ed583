"""AccessAttributes: the description of a request that an authorizer receives."""

import msgspec

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Details, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import field_selector
from fakeapi.registry.identity.users import User

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""HTML escapes for error messages, which a browser may render. Upstream escapes the same characters."""


class AccessAttributes(msgspec.Struct, frozen=True):
    """A request to authorize: a user, a verb, and a resource or a URL path.

    - `is_resource`: whether the request is for a resource. If False, the request is for the URL `path`.
    - `fields`: the `field=value` terms of the field selector as (field, value). Empty in releases whose
      authorizers ignore field selectors.
    """

    user: User
    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    is_resource: bool = True
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def combined_resource(self) -> str:
        """The resource and subresource as RBAC rules name them, for example "pods/log"."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def forbidden(attributes: AccessAttributes, reason: str) -> ApiError:
    """Returns ApiError 403 for a denied request.

    `reason`: the authorizer's reason for the denial; may be empty.

    Follows k8s.io/apiserver `pkg/endpoints/handlers/responsewriters`.
    """
    why = _message(attributes).translate(_ESCAPES)
    if reason:
        why = f"{why}: {reason}"
    if not attributes.resource:
        return ApiError(403, "Forbidden", f"forbidden: {why}", Details(attributes.name, attributes.group))
    return errors.forbidden(Qualified(attributes.group, attributes.resource), attributes.name, why)


def equal_terms(selector: str) -> tuple[tuple[str, str], ...]:
    """Returns (field, value) of each `field=value` term of a field selector; () if the selector is
    malformed.
    """
    try:
        parsed = field_selector.parse(selector)
    except (ValueError, ApiError):
        return ()
    return tuple(
        (requirement.field, requirement.value)
        for requirement in parsed.requirements
        if not requirement.negated
    )


def _message(attributes: AccessAttributes) -> str:
    wish = f"User {quote(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{wish} path {quote(attributes.path)}"
    wish = f"{wish} resource {quote(attributes.combined_resource)} in API group {quote(attributes.group)}"
    if attributes.namespace:
        return f"{wish} in the namespace {quote(attributes.namespace)}"
    return f"{wish} at the cluster scope"
