"""Defines the kind core/v1 Secret.

Follows k8s.io/kubernetes `pkg/registry/core/secret`, ValidateSecret of `pkg/apis/core/validation` and the
conversion of `stringData` in `pkg/apis/core/v1`. These packages have the same rules in 1.27 to 1.37; only
error messages differ.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.kinds.core.immutable_data import (
    DATA_BYTES_MAX,
    decoded,
    key_errors,
    validate_immutable_data,
)
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.model.columns import at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy

SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - a type, not a secret
TLS = "kubernetes.io/tls"
SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name"

_CONTENTS = "<secret contents redacted>"
_CONFIG_OF_TYPE = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


class SecretStrategy(RulesStrategy):
    """Prepares and validates new and updated Secrets."""

    def default(self, obj: Object) -> Object:
        """Moves the write-only field `stringData` into `data`."""
        texts: dict[str, str] = obj.pop("stringData", None) or {}
        if not texts:
            return obj
        added = {key: base64.b64encode(value.encode()).decode() for key, value in texts.items()}
        data = dict(sorted({**(obj.get("data") or {}), **added}.items()))
        order = ("kind", "apiVersion", "metadata", "immutable", "data", "type")
        moved = {**obj, "data": data}
        return {name: moved[name] for name in order if name in moved}

    def prepare_update(self, new: Object, old: Object) -> Object:
        if not new.get("type") and old.get("type"):
            new["type"] = old["type"]
        return new

    def validate_create(self, obj: Object) -> list[FieldError]:
        data: dict[str, str] = obj.get("data") or {}
        errors = key_errors(data, "data")
        if sum(len(decoded(value)) for value in data.values()) > DATA_BYTES_MAX:
            errors.append(too_long("data", DATA_BYTES_MAX, self._rules.quirks.too_long))
        return errors + _type_errors(obj, data)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_immutable(new.get("type", ""), old.get("type", ""), "type")
        changed += validate_immutable_data(new, old, "data")
        return [*metadata.of_change, *changed, *metadata.of_object, *self.validate_create(new)]

    def warnings_on_create(self, obj: Object) -> list[str]:
        if obj.get("type") != TLS:
            return []
        from fakeapi.kinds.core.key_pairs import key_pair_problem  # noqa: PLC0415 - loads OpenSSL

        data: dict[str, str] = obj.get("data") or {}
        problem = key_pair_problem(decoded(data.get("tls.crt", "")), decoded(data.get("tls.key", "")))
        return [problem] if problem else []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)


def _type_errors(obj: Object, data: Mapping[str, str]) -> list[FieldError]:
    """Returns errors for missing data and annotations that the type of a Secret requires."""
    kind = obj.get("type", "")
    if kind == SERVICE_ACCOUNT_TOKEN:
        named = (obj["metadata"].get("annotations") or {}).get(SERVICE_ACCOUNT_NAME)
        return [] if named else [required(f"metadata.annotations[{SERVICE_ACCOUNT_NAME}]")]
    if kind in _CONFIG_OF_TYPE:
        return _config_errors(data, _CONFIG_OF_TYPE[kind])
    if kind == "kubernetes.io/basic-auth":
        fields = ("username", "password")
        return (
            [] if any(field in data for field in fields) else [required(f"data[{field}]") for field in fields]
        )
    if kind == "kubernetes.io/ssh-auth":
        return [] if data.get("ssh-privatekey") else [required("data[ssh-privatekey]")]
    if kind == TLS:
        return [required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in data]
    return []


def _config_errors(data: Mapping[str, str], key: str) -> list[FieldError]:
    path = f"data[{key}]"
    if key not in data:
        return [required(path)]
    try:
        value: Any = json_decoding.decode_lenient(decoded(data[key]))
    except JsonError as error:
        return [invalid(path, _CONTENTS, str(error))]
    if value is None or isinstance(value, dict):
        return []
    json_type = json_decoding.json_kind(value)
    why = f"json: cannot unmarshal {json_type} into Go value of type map[string]interface {{}}"
    return [invalid(path, _CONTENTS, why)]


def _type(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"type": obj.get("type", "")}


_count: Callable[[Object, float], int] = lambda obj, now: len(obj.get("data") or ())  # noqa: E731 - a cell

SECRET = KindDefinition(
    group="",
    resource="secrets",
    strategies=of_rules(SecretStrategy),
    field_labels=lambda kind: FieldLabels((NAME, NAMESPACE, "type"), NOT_SUPPORTED, _type, indexed=None),
    cells=lambda quirks: {"Type": at("type"), "Data": _count},
)
