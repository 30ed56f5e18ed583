"""RoleEscalation: stops clients from granting permissions that they do not have.

Follows k8s.io/kubernetes 1.37 `pkg/registry/rbac`: `policybased` of each kind, `validation`, helpers.go and
escalation_check.go.
"""

from collections.abc import Awaitable

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.authorization.rbac import RBAC, aggregate
from fakeapi.authorization.roles import GROUP, selectors_of
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import SUPERUSERS
from fakeapi.registry.authorization.rules import compact_texts, quoted_list
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.server import Server

_COLLECTED = ("ownerReferences", "finalizers", "managedFields", "selfLink")
"""Metadata fields of a role that the garbage collector may change.

The plugin does not check updates that change only these fields.
"""
_EVERYTHING: list[Object] = [
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]
_AGGREGATES = "must have cluster-admin privileges to use the aggregationRule"
_RESOURCES = {"ClusterRole": "clusterroles", "Role": "roles"}


class RoleEscalation(AdmissionPlugin):
    """Compares the rules of a written role, or of a binding's role, with the permissions of the client.

    Runs after the other mutating plugins and before validation, because upstream checks roles at that time.
    """

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        authorizer = server.authorizer
        assert isinstance(authorizer, RBAC), "asked for only where roles decide"
        self._rbac = authorizer

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 403 if the client grants a permission that it does not have.

        The RBAC verb `escalate` on the role, `bind` on the role of a binding, or the group system:masters
        allows the client to grant all permissions. Raises ApiError for the roleRef of a binding:

        - 400: a ClusterRoleBinding names a Role
        - 404: the role does not exist
        - 500: the kind is not Role or ClusterRole
        """
        if SUPERUSERS in attributes.user.groups:
            return None
        if "roleRef" in attributes.new_object():
            return self._check_binding(attributes)
        return self._check_role(attributes)

    async def _check_role(self, attributes: Attributes) -> None:
        kind = attributes.resource.kind.resource
        if await self._may(attributes, "escalate", GROUP, kind, attributes.target.name):
            return
        new, old = attributes.new_object(), attributes.old
        if _changes_collected_only(new, old):
            return
        self._confirm(attributes, self._rules_after(new, old))
        if selectors_of(new) or selectors_of(old or {}):
            missing, _ = self._rbac.missing(attributes.user, attributes.namespace, _EVERYTHING)
            if missing:
                raise _refused(attributes, _AGGREGATES)

    def _rules_after(self, new: Object, old: Object | None) -> list[Object]:
        """Returns the rules of a role after a write, including the rules that the role aggregates.

        In a cluster, a controller copies aggregated rules into the role. A patch keeps these rules. A PUT
        keeps these rules if its object has the uid and the rules of the stored role.
        `old`: the stored role; None on create
        """
        rules = list(new.get("rules") or ())
        if old is None or not selectors_of(old) or new["metadata"].get("uid") != old["metadata"]["uid"]:
            return rules
        if rules != list(old.get("rules") or ()):
            return rules
        reference = {"kind": "ClusterRole", "name": old["metadata"]["name"]}
        return self._rbac.roles.rules_of(reference, "")

    async def _check_binding(self, attributes: Attributes) -> None:
        new = attributes.new_object()
        if _changes_collected_only(new, attributes.old):
            return
        reference = new["roleRef"]
        resource = _RESOURCES.get(reference["kind"])
        if resource is None:
            raise ApiError(500, "", f"unsupported role reference kind: {quote(reference['kind'])}")
        if await self._may(attributes, "bind", reference["apiGroup"], resource, reference["name"]):
            return
        if resource == "roles" and not attributes.namespace:
            raise errors.bad_request("Namespace parameter required.")
        try:
            rules = self._rbac.roles.rules_of(reference, attributes.namespace)
        except ApiError as error:
            raise _not_found(attributes, error) from None
        self._confirm(attributes, rules)

    async def _may(self, attributes: Attributes, verb: str, group: str, resource: str, name: str) -> bool:
        """Whether the client has the RBAC verb `escalate` or `bind` on a role.

        With this permission, the client may grant permissions that it does not have.
        """
        access = AccessAttributes(
            attributes.user, verb, group=group, resource=resource, namespace=attributes.namespace, name=name
        )
        return (await self._rbac.authorize(access)).allowed

    def _confirm(self, attributes: Attributes, rules: list[Object]) -> None:
        """Raises ApiError 403 if the client lacks permissions that these PolicyRules grant."""
        missing, absent = self._rbac.missing(attributes.user, attributes.namespace, rules)
        if missing:
            problems = [_not_found(attributes, error).message for error in absent]
            raise _refused(attributes, _message(attributes, missing, problems))


def _refused(attributes: Attributes, why: str) -> ApiError:
    """Returns ApiError 403 for the written object. `why`: the reason, for the message.

    The error contains the name in the request body: "" if the server generates the name.
    """
    name = attributes.new_object()["metadata"].get("name", "")
    return errors.forbidden(attributes.resource.qualified, name, why)


def _not_found(attributes: Attributes, error: ApiError) -> ApiError:
    """Returns ApiError 404 for a missing role.

    Like upstream, the error names the resource of the request, such as rolebindings.
    """
    assert error.details is not None, "made by `errors.not_found`"
    return errors.not_found(attributes.resource.qualified, error.details.name)


def _message(attributes: Attributes, missing: list[Object], problems: list[str]) -> str:
    user = attributes.user
    text = "\n".join(compact_texts(missing))
    message = (
        f"user {quote(user.name)} (groups={quoted_list(user.groups)}) is attempting to grant RBAC "
        f"permissions not currently held:\n{text}"
    )
    return f"{message}; resolution errors: [{aggregate(problems)}]" if problems else message


def _changes_collected_only(new: Object, old: Object | None) -> bool:
    """Whether an update changes only metadata fields that the garbage collector may change.

    Returns False for a create.
    `old`: the stored object; None on create
    """
    return old is not None and semantically_equal(_without_collected(new), _without_collected(old))


def _without_collected(obj: Object) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _COLLECTED}
    return {**obj, "metadata": metadata}
