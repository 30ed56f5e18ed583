"""RoleEscalation: nobody gives somebody more than they may do themselves.

Follows k8s.io/kubernetes `pkg/registry/rbac` (`policybased`, escalation_check.go).
"""

from collections.abc import Awaitable

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.admission.objects import ClusterObjects
from fakeapi.registry.admission.plugin import AdmissionPlugin
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import SUPERUSERS
from fakeapi.registry.authorization.rbac import RBAC
from fakeapi.registry.authorization.roles import GROUP
from fakeapi.registry.authorization.rules import compact_texts, quoted_list

_COLLECTED = ("ownerReferences", "finalizers")
"""Metadata that the garbage collector may change without having the rights of a role."""
_IGNORED = (*_COLLECTED, "managedFields", "resourceVersion", "generation")


class RoleEscalation(AdmissionPlugin):
    """Compares the rules of a role, or of the role that a binding gives, with those of the client."""

    def __init__(self, objects: ClusterObjects) -> None:
        super().__init__(objects)
        authorizer = objects.store.authorizer
        assert isinstance(authorizer, RBAC), "asked for only where roles decide"
        self._rbac = authorizer

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 403, and 404 for a binding to a role that is not there."""
        is_unchanged = attributes.old is not None and _only_collected(attributes.new_object(), attributes.old)
        if SUPERUSERS in attributes.user.groups or is_unchanged:
            return None
        return self._check(attributes)

    async def _check(self, attributes: Attributes) -> None:
        obj = attributes.new_object()
        if await self._may(attributes, obj.get("roleRef")):
            return
        namespace = attributes.namespace
        if "roleRef" in obj:
            wanted = self._rbac.roles.rules_of(obj["roleRef"], namespace)
        else:
            wanted = list(obj.get("rules") or ())
        missing, problems = self._rbac.missing(attributes.user, namespace, wanted)
        if missing:
            raise attributes.forbidden(_message(attributes, missing, problems))

    async def _may(self, attributes: Attributes, reference: Object | None) -> bool:
        """Whether the client may give more than it has: by the verb `escalate` on roles, `bind` to one."""
        kind, name = attributes.resource.kind.resource, attributes.target.name
        verb = "escalate"
        if reference is not None:
            verb, name = "bind", reference["name"]
            kind = "clusterroles" if reference["kind"] == "ClusterRole" else "roles"
        wanted = AccessAttributes(
            attributes.user, verb, group=GROUP, resource=kind, namespace=attributes.namespace, name=name
        )
        return (await self._rbac.authorize(wanted)).allowed


def _message(attributes: Attributes, missing: list[Object], problems: list[str]) -> str:
    user = attributes.user
    text = "\n".join(compact_texts(missing))
    found = (
        f"user {quote(user.name)} (groups={quoted_list(user.groups)}) is attempting to grant RBAC "
        f"permissions not currently held:\n{text}"
    )
    return f"{found}; resolution errors: [{' '.join(problems)}]" if problems else found


def _only_collected(new: Object, old: Object) -> bool:
    """Whether an update changes nothing but what the garbage collector changes."""
    return _kept(new) == _kept(old)


def _kept(obj: Object) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _IGNORED}
    return {**obj, "metadata": metadata}
