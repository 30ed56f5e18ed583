"""IPAddress of networking.k8s.io: an address in use, and the object that uses it.

Follows k8s.io/kubernetes `pkg/registry/networking/ipaddress` and `pkg/apis/networking/validation`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.kinds.common.addresses import validate_ip
from fakeapi.kinds.common.shown_values import shown_struct
from fakeapi.kinds.networking.validation.references import validate_parent
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.golang.netip import addr_error
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import AGE_COLUMN, Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

_PARENT = "spec.parentRef"


class IPAddressStrategy(Strategy):
    """Strategy for IPAddresses, whose parent is immutable."""

    def __init__(self, kind: Kind, rules: ReleaseRules) -> None:
        self._kind = kind
        self._rules = rules

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_parent(obj["spec"].get("parentRef"), _PARENT)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *self.validate_create(new), *metadata.of_change]
        parent = new["spec"].get("parentRef")
        if not semantically_equal(parent, old["spec"].get("parentRef")):
            errors.append(invalid(_PARENT, self._shown(parent), FIELD_IMMUTABLE))
        return errors

    def _shown(self, parent: Any) -> Any:
        spec = self._kind.schema.fields["spec"].node
        assert isinstance(spec, Struct), "the spec of an IPAddress is a struct"
        node = spec.fields["parentRef"].node
        assert isinstance(node, Struct), "a reference is a struct"
        return shown_struct(parent, node.full_name, self._rules)


def name_validator_of(rules: ReleaseRules) -> Callable[[str, bool], list[str]]:
    """Returns the validator of names, which must be IP addresses in canonical form."""
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


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": IPAddressStrategy(kind, rules)}


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
    strategies=_strategies,
    name_validator_of=name_validator_of,
    cells=_cells,
    undefined_cells=(AGE_COLUMN.cell,),
)
