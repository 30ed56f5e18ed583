"""Defines the kind APIService of apiregistration.k8s.io/v1.

Follows k8s.io/kube-aggregator `pkg/apis/apiregistration/validation` and `pkg/registry/apiservice`. The
package `fakeapi.aggregation` checks the Services that APIServices name.
"""

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from fakeapi.kinds.common.status_strategies import StatusKeptStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import (
    is_dns1035_label,
    is_dns1123_subdomain,
    is_valid_path_segment_name,
    name_is_path_segment,
)
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column
from fakeapi.registry.model.definition import AfterHooks, KindDefinition, Strategies, StrategyContext, Write
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

if TYPE_CHECKING:
    from fakeapi.registry.server import Server

AVAILABLE = "Available"
GROUP_PRIORITY_MAX, VERSION_PRIORITY_MAX, PORT_MAX = 20000, 1000, 65535
_KEPT = ("labels", "annotations", "ownerReferences", "finalizers")
_STATUSES = ("True", "False", "Unknown")


class ApiServiceStrategy(StatusKeptStrategy):
    """Strategy for creates and updates of APIServices.

    An APIService without a service is local and always available.
    """

    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, context: StrategyContext) -> None:
        self._context = context

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {} if obj["spec"].get("service") else local_status(self._context.now())
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return _errors(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *metadata.of_object, *_errors(new)]


class ApiServiceStatusStrategy(Strategy):
    """Strategy for `/status` of APIServices. Keeps the stored spec and most stored metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("metadata",))
    updates_unconditionally: ClassVar[bool] = False

    def prepare_update(self, new: Object, old: Object) -> Object:
        metadata = {name: value for name, value in new["metadata"].items() if name not in _KEPT}
        metadata |= {name: old["metadata"][name] for name in _KEPT if name in old["metadata"]}
        return {**new, "metadata": in_order(metadata), "spec": old["spec"]}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_change,
            *(
                not_supported(f"status.conditions[{index}].status", condition["status"], _STATUSES)
                for index, condition in enumerate(new["status"].get("conditions") or ())
                if condition["status"] not in _STATUSES
            ),
        ]


class ApiServiceHooks(AfterHooks):
    """Reverts client changes to the APIServices that the server manages for custom resources.

    Also informs the aggregator of changes of APIServices with a Service.
    """

    async def after(self, server: "Server", write: Write) -> None:
        objects = () if write.target.subresource else (write.old, write.new)
        if any(obj is not None and obj["spec"].get("service") for obj in objects):
            server.on_delegation(write.target.name)
        if server.has_custom:
            await server.custom.registration.follow(write.target.name.partition(".")[2])


def local_status(now: str) -> Object:
    """Returns the status of a local APIService, whose API version this server itself serves.

    `now`: the time in RFC 3339, for the condition Available
    """
    condition = {
        "type": AVAILABLE,
        "status": "True",
        "lastTransitionTime": now,
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    return {"conditions": [condition]}


def _errors(obj: Object) -> list[FieldError]:
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    group, version = spec.get("group", ""), spec.get("version", "")
    errors: list[FieldError] = []
    if name and not is_valid_path_segment_name(name) and name != f"{version}.{group}":
        why = f'must be `spec.version+"."+spec.group`: {quote(f"{version}.{group}")}'
        errors.append(invalid("metadata.name", name, why))
    if not group and version != "v1":
        errors.append(required("spec.group", "only v1 may have an empty group and it better be legacy kube"))
    if group:
        errors += [invalid("spec.group", group, why) for why in is_dns1123_subdomain(group)]
    errors += [invalid("spec.version", version, why) for why in is_dns1035_label(version)]
    for field, most in (
        ("groupPriorityMinimum", GROUP_PRIORITY_MAX),
        ("versionPriority", VERSION_PRIORITY_MAX),
    ):
        if not 0 < spec[field] <= most:
            errors.append(invalid(f"spec.{field}", spec[field], f"must be positive and less than {most}"))
    return errors + _service_errors(spec)


def _service_errors(spec: dict[str, Any]) -> list[FieldError]:
    service, bundle = spec.get("service"), spec.get("caBundle")
    insecure = spec.get("insecureSkipTLSVerify", False)
    errors: list[FieldError] = []
    if service is None:
        if bundle:
            size = f"{len(base64.b64decode(bundle))} bytes"
            errors.append(invalid("spec.caBundle", size, "local APIServices may not have a caBundle"))
        if insecure:
            why = "local APIServices may not have insecureSkipTLSVerify"
            errors.append(invalid("spec.insecureSkipTLSVerify", insecure, why))
        return errors
    errors += [required(f"spec.service.{name}") for name in ("namespace", "name") if not service.get(name)]
    port = service.get("port", 0)
    if not 0 < port <= PORT_MAX:
        why = f"port is not valid: must be between 1 and {PORT_MAX}, inclusive"
        errors.append(invalid("spec.service.port", port, why))
    if insecure and bundle:
        errors.append(
            invalid("spec.insecureSkipTLSVerify", insecure, "may not be true if caBundle is present")
        )
    return errors


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    return (
        Column("Service", "The reference to the service that hosts this API endpoint.", _service),
        Column("Available", "Whether this service is available.", _available),
    )


def _service(obj: Object, now: float) -> str:
    service: Mapping[str, str] | None = obj["spec"].get("service")
    return "Local" if service is None else f"{service.get('namespace', '')}/{service.get('name', '')}"


def _available(obj: Object, now: float) -> str:
    for condition in obj["status"].get("conditions") or ():
        if condition["type"] == AVAILABLE:
            status: str = condition["status"]
            reason = condition.get("reason")
            return f"{status} ({reason})" if status != "True" and reason else status
    return "Unknown"


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ApiServiceStrategy(context), "status": ApiServiceStatusStrategy()}


API_SERVICE = KindDefinition(
    group="apiregistration.k8s.io",
    resource="apiservices",
    strategies=_strategies,
    name_validator=name_is_path_segment,
    columns=_columns,
    hooks=lambda kind, rules, context: ApiServiceHooks(),
    core_metadata=False,
)
