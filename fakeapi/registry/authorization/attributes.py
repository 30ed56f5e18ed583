"""AccessAttributes: what somebody wants to do, as an authorizer is asked about it."""

from dataclasses import dataclass

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Details, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import field_selector
from fakeapi.registry.identity.users import User

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""A browser may show the message."""


@dataclass(frozen=True, slots=True)
class AccessAttributes:
    """A verb on a resource, or on a path where `is_resource` is false.

    `fields` are the terms of a field selector that ask for equality, where the release authorizes by them.
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
        """The resource as rules name it, such as pods/log."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def forbidden(attributes: AccessAttributes, reason: str) -> ApiError:
    """The 403 of k8s.io/apiserver `pkg/endpoints/handlers/responsewriters` for what is not allowed."""
    why = _message(attributes).translate(_ESCAPES)
    if reason:
        why = f"{why}: {reason}"
    if not attributes.resource:
        return ApiError(403, "Forbidden", f"forbidden: {why}", Details(attributes.name, attributes.group))
    return errors.forbidden(Qualified(attributes.group, attributes.resource), attributes.name, why)


def equal_terms(selector: str) -> tuple[tuple[str, str], ...]:
    """The terms of a field selector that ask for equality; none of a selector that does not parse."""
    try:
        parsed = field_selector.parse(selector)
    except (ValueError, ApiError):
        return ()
    return tuple((each.field, each.value) for each in parsed.requirements if not each.negated)


def _message(attributes: AccessAttributes) -> str:
    wish = f"User {quote(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{wish} path {quote(attributes.path)}"
    wish = f"{wish} resource {quote(attributes.combined_resource)} in API group {quote(attributes.group)}"
    if attributes.namespace:
        return f"{wish} in the namespace {quote(attributes.namespace)}"
    return f"{wish} at the cluster scope"
