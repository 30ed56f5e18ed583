"""Defines the kind core/v1 ServiceAccount.

Follows k8s.io/kubernetes `pkg/registry/core/serviceaccount`.
"""

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.releases.rules import ReleaseRules

ENFORCE_MOUNTABLE_SECRETS = "kubernetes.io/enforce-mountable-secrets"


class ServiceAccountStrategy(Strategy):
    """Prepares and validates new and updated ServiceAccounts. Validates only metadata.

    Stores only the names of referenced Secrets.
    """

    def __init__(self, rules: ReleaseRules) -> None:
        self._warns = rules.quirks.mountable_secrets_are_deprecated

    def prepare_create(self, obj: Object) -> Object:
        secrets = obj.get("secrets") or ()
        if any(reference.keys() - {"name"} for reference in secrets):
            obj["secrets"] = [
                {"name": reference["name"]} if reference.get("name") else {} for reference in secrets
            ]
        return obj

    def prepare_update(self, new: Object, old: Object) -> Object:
        return self.prepare_create(new)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *metadata.of_object]

    def warnings_on_create(self, obj: Object) -> list[str]:
        if not self._warns or ENFORCE_MOUNTABLE_SECRETS not in _annotations(obj):
            return []
        text = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        return [f"metadata.annotations[{ENFORCE_MOUNTABLE_SECRETS}]: {text}"]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return [] if ENFORCE_MOUNTABLE_SECRETS in _annotations(old) else self.warnings_on_create(new)


def _annotations(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}


async def _create_token(request: ServerWrite, body: Object) -> WriteResult:
    from fakeapi.kinds.core.service_account.token import (  # noqa: PLC0415 - loads OpenSSL
        create_token,
    )

    return await create_token(request, body)


def _count(obj: Object, now: float) -> int:
    return len(obj.get("secrets") or ())


SERVICE_ACCOUNT = KindDefinition(
    group="",
    resource="serviceaccounts",
    strategies=of_rules(ServiceAccountStrategy),
    cells=lambda quirks: {"Secrets": _count},
    actions={"token": _create_token},
)
