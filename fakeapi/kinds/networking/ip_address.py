"""IPAddress of networking.k8s.io: an address in use, and the object that uses it.

Follows k8s.io/kubernetes `pkg/registry/networking/ipaddress` and `pkg/apis/networking/validation`.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from fakeapi.kinds.common.addresses import validate_ip
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.networking.validation.references import validate_parent
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.golang.netip import addr_error
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import AGE_COLUMN, Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

_PARENT = "spec.parentRef"


class IPAddressStrategy(RulesStrategy):
    """Strategy for IPAddresses. Rejects changes of the parent reference."""

    generates_names: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_parent(obj["spec"].get("parentRef"), _PARENT)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        parent, before = (obj["spec"].get("parentRef") for obj in (new, old))
        type_name = self._rules.schemas.newest_type("networking", "ParentReference")
        return [
            *metadata.of_object,
            *self.validate_create(new),
            *metadata.of_change,
            *validate_immutable_struct(parent, before, _PARENT, type_name, self._rules),
        ]


def name_validator_of(rules: ReleaseRules) -> Callable[[str, bool], list[str]]:
    """Returns a function that validates names: a name must be an IP address in canonical form."""
    problem = rules.quirks.ip_address_name_error

    def is_address(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
        if not problem:
            return [error.body.partition(": ")[2].partition(": ")[2] for error in validate_ip(name, "")]
        parse_error = addr_error(name)
        if parse_error is not None:
            return [parse_error]
        address = parse_ip(name)
        return [] if address is not None and str(address) == name else [problem]

    return is_address


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"ParentRef": _parent}


def _parent(obj: Object, now: float) -> str:
    parent = obj["spec"].get("parentRef")
    if parent is None:
        return "<none>"
    resource, group = parent.get("resource", ""), parent.get("group", "")
    parts = [f"{resource}.{group}".lower() if group else resource.lower()]
    return "/".join([*parts, *filter(None, (parent.get("namespace"),)), parent.get("name", "")])


IP_ADDRESS = KindDefinition(
    group="networking.k8s.io",
    resource="ipaddresses",
    strategies=of_rules(IPAddressStrategy),
    name_validator_of=name_validator_of,
    cells=_cells,
    undefined_cells=(AGE_COLUMN.cell,),
)
