"""ClaimStatusPermissions: checks who may bind a ResourceClaim, and who may report its device status.

Follows AuthorizedForBinding and AuthorizedForDeviceStatus in k8s.io/kubernetes
`pkg/registry/resource/utils.go`. The plugin is active while the feature gate
DRAResourceClaimGranularStatusAuthorization is on, since 1.36.
"""

from collections.abc import Awaitable

from msgspec.structs import replace

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.machinery.errors import invalid
from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.authorization import attributes as access
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.service_accounts import NODE_NAME, PREFIX
from fakeapi.registry.identity.users import User

GATE = "DRAResourceClaimGranularStatusAuthorization"
_DEVICE_STATUS = "DRAResourceClaimDeviceStatus"
_ASSOCIATED, _ARBITRARY = "associated-node:", "arbitrary-node:"


class ClaimStatusPermissions(AdmissionPlugin):
    """Checks the client's permissions for writes to the status of a ResourceClaim.

    The permissions are on `resourceclaims/binding` and `resourceclaims/driver`. These subresources exist only
    as names in RBAC rules.
    """

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 422 if the client lacks a permission that its change of the status needs."""
        gates = attributes.resource.release.gates
        if attributes.old is None or not gates.enabled(GATE):
            return None
        return self._check(attributes, attributes.new_object()["status"], attributes.old["status"])

    async def _check(self, attributes: Attributes, new: Object, old: Object) -> None:
        errors = await self._binding(attributes, new, old)
        device_status = attributes.resource.release.gates.enabled(_DEVICE_STATUS)
        if device_status and new.get("allocation") is not None:
            errors += await self._devices(attributes, new, old)
        if errors:
            raise invalid(attributes.resource.qualified_kind, attributes.name, errors)

    async def _binding(self, attributes: Attributes, new: Object, old: Object) -> list[FieldError]:
        if all(
            (new.get(field) or None) == (old.get(field) or None) for field in ("allocation", "reservedFor")
        ):
            return []
        permission = _wanted(attributes, _verb(attributes), "binding", namespace="", name="")
        refused = await self._refused(permission)
        if refused is None:
            return []
        needs = f'requires resource="resourceclaims/binding", verb="{permission.verb}" permission'
        text = f"changing status.allocation or status.reservedFor {needs}: {refused}"
        return [forbidden("status.allocation", text)]

    async def _devices(self, attributes: Attributes, new: Object, old: Object) -> list[FieldError]:
        verbs = [f"{_ARBITRARY}{_verb(attributes)}"]
        if _is_of_node(attributes.user, _node_of(new["allocation"])):
            verbs.insert(0, f"{_ASSOCIATED}{_verb(attributes)}")
        errors = []
        for driver in sorted(_changed_drivers(new, old)):
            refused = await self._any_refused(attributes, verbs, driver)
            if refused is not None:
                needs = f'requires resource="resourceclaims/driver", verb="[{" ".join(verbs)}]" permission'
                errors.append(forbidden("status.devices", f"changing status.devices {needs}: {refused}"))
        return errors

    async def _any_refused(self, attributes: Attributes, verbs: list[str], driver: str) -> str | None:
        """Checks whether the client has any of the verbs on `resourceclaims/driver` for a driver.

        Returns None if the client has one of the verbs; otherwise the error message for the first verb.
        """
        first = None
        for verb in verbs:
            permission = _wanted(attributes, verb, "driver", namespace=attributes.namespace, name=driver)
            refused = await self._refused(permission)
            if refused is None:
                return None
            first = first or refused
        return first

    async def _refused(self, wanted: AccessAttributes) -> str | None:
        decision = await self.server.authorizer.authorize(wanted)
        return None if decision.allowed else access.forbidden(wanted, decision.reason).message


def _verb(attributes: Attributes) -> str:
    return "patch" if getattr(attributes.options, "patches", False) else "update"


def _wanted(
    attributes: Attributes, verb: str, subresource: str, *, namespace: str, name: str
) -> AccessAttributes:
    kind = attributes.resource.kind
    permission = AccessAttributes(attributes.user, verb, group=kind.group, resource=kind.resource)
    return replace(permission, subresource=subresource, namespace=namespace, name=name)


def _changed_drivers(new: Object, old: Object) -> set[str]:
    """Returns the names of the drivers whose entries in status.devices were added, removed or changed."""
    before = {_key(device): device for device in old.get("devices") or ()}
    after = {_key(device): device for device in new.get("devices") or ()}
    return {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _key(device: Object) -> tuple[str, str, str, str]:
    return device["driver"], device["pool"], device["device"], device.get("shareID") or ""


def _node_of(allocation: Object) -> str:
    """Returns the name of an allocation's node if its nodeSelector names exactly one node; otherwise ""."""
    terms = (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms") or []
    if len(terms) != 1 or terms[0].get("matchExpressions"):
        return ""
    fields = terms[0].get("matchFields") or []
    if len(fields) != 1:
        return ""
    [field] = fields
    values = field.get("values") or []
    names_node = field["key"] == "metadata.name" and field["operator"] == "In"
    return str(values[0]) if names_node and len(values) == 1 else ""


def _is_of_node(user: User, node: str) -> bool:
    """Whether the user is a service account whose token belongs to a pod on this cluster node."""
    if not node or not user.name.startswith(PREFIX):
        return False
    return tuple(user.extra.get(NODE_NAME, ())) == (node,)
