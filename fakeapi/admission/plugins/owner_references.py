"""OwnerReferencesPermissionEnforcement: checks permissions of clients that change ownerReferences.

The client must be allowed to delete the object, except for a create. To set blockOwnerDeletion, the client
must also be allowed to update the finalizers of the owner. Follows k8s.io/kubernetes
`plugin/pkg/admission/gc`.
"""

from collections.abc import Awaitable
from typing import Any

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.policies.parameters import guessed_resource
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.model.semantic_equality import semantically_equal

_FINALIZERS = "finalizers"


class OwnerReferencesPermissionEnforcement(AdmissionPlugin):
    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 403 if the client lacks a permission that its change of ownerReferences needs.

        Does not check writes to the status of a pod.
        """
        if self.server.authorizer is ALWAYS_ALLOW or _is_status_of_pod(attributes):
            return None
        new, old = _owners(attributes.new_object()), _owners(attributes.old)
        is_changed = len(new) != len(old) or not semantically_equal(new, old)
        return self._check(attributes, new, old) if is_changed else None

    async def _check(self, attributes: Attributes, new: list[Any], old: list[Any]) -> None:
        authorizer = self.server.authorizer
        kind = attributes.resource.kind
        if attributes.operation is not Operation.CREATE:
            access = AccessAttributes(
                attributes.user,
                "delete",
                kind.group,
                kind.resource,
                attributes.subresource,
                attributes.namespace,
                attributes.name,
            )
            decision = await authorizer.authorize(access)
            if not decision.allowed:
                why = "cannot set an ownerRef on a resource you can't delete"
                raise attributes.forbidden(f"{why}: {decision.reason}, <nil>")
        blocked = _newly_blocked(new, old)
        anything = AccessAttributes(attributes.user, "update", "*", "*", _FINALIZERS, name="*")
        if not blocked or (await authorizer.authorize(anything)).allowed:
            return
        for owner in blocked:
            decision = await authorizer.authorize(self._holding(attributes, owner))
            if not decision.allowed:
                why = (
                    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set "
                    "finalizers on"
                )
                raise attributes.forbidden(f"{why}: {decision.reason}, <nil>")

    def _holding(self, attributes: Attributes, owner: Object) -> AccessAttributes:
        """Returns the permission that blockOwnerDeletion requires: to update the finalizers of the owner.

        Raises ApiError 403 if the server does not serve the kind of the owner.
        """
        version, kind = owner["apiVersion"], owner["kind"]
        group, _, short = version.rpartition("/")
        resource = self.objects.find(group, short, guessed_resource(kind))
        if resource is None or resource.kind.kind != kind:
            why = f"cannot find RESTMapping for APIVersion {version} Kind {kind}"
            missing = f"no matches for kind {quote(kind)} in version {quote(version)}"
            raise attributes.forbidden(f"cannot set blockOwnerDeletion in this case because {why}: {missing}")
        namespace = attributes.namespace if resource.kind.namespaced else ""
        return AccessAttributes(
            attributes.user, "update", group, resource.kind.resource, _FINALIZERS, namespace, owner["name"]
        )


def _is_status_of_pod(attributes: Attributes) -> bool:
    return str(attributes.resource.qualified) == "pods" and attributes.subresource == "status"


def _owners(obj: Object | None) -> list[Any]:
    return list(((obj or {}).get("metadata") or {}).get("ownerReferences") or ())


def _newly_blocked(new: list[Any], old: list[Any]) -> list[Any]:
    """Returns the owner references in which a write newly sets blockOwnerDeletion."""
    blocked = {reference["uid"] for reference in old if reference.get("blockOwnerDeletion")}
    return [
        reference
        for reference in new
        if reference.get("blockOwnerDeletion") and reference["uid"] not in blocked
    ]
