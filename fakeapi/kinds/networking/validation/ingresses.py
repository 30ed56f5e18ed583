"""Validates the rules, backends and status of an Ingress.

Follows k8s.io/kubernetes `pkg/apis/networking/validation`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.load_balancers import validate_point
from fakeapi.kinds.common.ports import is_port_name, is_port_number
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.networking.validation.references import validate_typed_reference
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
RELAXED_NAMES_GATE: Final = "RelaxedServiceNameValidation"

_SEQUENCES = ("//", "/./", "/../", "%2f", "%2F")
_SUFFIXES = ("/..", "/.")
_NOT_AN_ADDRESS = "must be a DNS name, not an IP address"


@dataclass(frozen=True, slots=True)
class IngressChecks:
    """Options for validating an Ingress spec. Updates may keep some values that a create must not have.

    - `secret_names`: whether the names of TLS secrets are validated
    - `wildcard_rules`: whether the paths of rules with a wildcard host are validated
    - `relaxed_service_names`: whether service names may begin with a digit
    """

    rules: ReleaseRules
    secret_names: bool = True
    wildcard_rules: bool = True
    relaxed_service_names: bool = False


def checks_of(rules: ReleaseRules, old: Object | None) -> IngressChecks:
    """Returns the options for a create (`old` is None) or for an update of the stored object `old`."""
    relaxed = rules.gates.enabled(RELAXED_NAMES_GATE)
    if old is None:
        return IngressChecks(rules, relaxed_service_names=relaxed)
    spec = old["spec"]
    return IngressChecks(
        rules,
        secret_names=not any(_secret_name_messages(tls) for tls in spec.get("tls") or ()),
        wildcard_rules=not any(
            "*" in rule.get("host", "") and _validate_http(rule.get("http"), "", IngressChecks(rules))
            for rule in spec.get("rules") or ()
        ),
        relaxed_service_names=relaxed or _has_relaxed_service_name(spec, rules),
    )


def validate_ingress_spec(spec: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    """Validates the spec of an Ingress."""
    errors: list[FieldError] = []
    default, ingress_rules = spec.get("defaultBackend"), spec.get("rules") or ()
    if not ingress_rules and default is None:
        bad_value = printed_strings(
            spec.get("rules"), checks.rules.quirks.wording, "[]networking.IngressRule"
        )
        errors.append(invalid(path, bad_value, "either `defaultBackend` or `rules` must be specified"))
    if default is not None:
        errors += _validate_backend(default, f"{path}.defaultBackend", checks)
    for index, rule in enumerate(ingress_rules):
        errors += _validate_rule(rule, f"{path}.rules[{index}]", checks)
    for index, tls in enumerate(spec.get("tls") or ()):
        errors += _validate_tls(tls, f"{path}.tls[{index}]", checks)
    if (name := spec.get("ingressClassName")) is not None:
        errors += each_invalid(f"{path}.ingressClassName", name, names.is_dns1123_subdomain(name))
    return errors


def validate_ingress_status(status: Object, old: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the load balancer addresses in the status of an Ingress."""
    points = (status.get("loadBalancer") or {}).get("ingress") or ()
    before = (old.get("loadBalancer") or {}).get("ingress") or ()
    return [
        error
        for index, point in enumerate(points)
        for error in validate_point(point, before, f"{path}.loadBalancer.ingress[{index}]", rules)
    ]


def _validate_tls(tls: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, host in enumerate(tls.get("hosts") or ()):
        errors += each_invalid(f"{path}.hosts[{index}]", host, _host_messages(host))
    if checks.secret_names:
        errors += each_invalid(f"{path}.secretName", tls.get("secretName", ""), _secret_name_messages(tls))
    return errors


def _validate_rule(rule: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    errors: list[FieldError] = []
    host = rule.get("host", "")
    if host:
        if parse_ip(host) is not None:
            errors.append(invalid(f"{path}.host", host, _NOT_AN_ADDRESS))
        errors += each_invalid(f"{path}.host", host, _host_messages(host))
    if "*" not in host or checks.wildcard_rules:
        errors += _validate_http(rule.get("http"), f"{path}.http", checks)
    return errors


def _validate_http(http: Object | None, path: str, checks: IngressChecks) -> list[FieldError]:
    if http is None:
        return []
    paths = http.get("paths") or ()
    if not paths:
        return [required(f"{path}.paths")]
    return [
        error
        for index, http_path in enumerate(paths)
        for error in _validate_path(http_path, f"{path}.paths[{index}]", checks)
    ]


def _validate_path(each: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    kind, text = each.get("pathType"), each.get("path", "")
    if kind is None:
        return [required(f"{path}.pathType", "pathType must be specified")]
    if kind not in PATH_TYPES:
        errors = [not_supported(f"{path}.pathType", kind, PATH_TYPES)]
    else:
        errors = each_invalid(f"{path}.path", text, _path_messages(kind, text))
    return errors + _validate_backend(each["backend"], f"{path}.backend", checks)


def _path_messages(kind: str, text: str) -> Iterator[str]:
    free = kind == "ImplementationSpecific"
    if not text.startswith("/") and (text or not free):
        yield "must be an absolute path"
    if not free:
        yield from (f"must not contain '{sequence}'" for sequence in _SEQUENCES if sequence in text)
        yield from (f"cannot end with '{suffix}'" for suffix in _SUFFIXES if text.endswith(suffix))


def _validate_backend(backend: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return validate_typed_reference(resource, f"{path}.resource", checks.rules)
    if service is not None:
        return _validate_service(service, path, checks)
    return [invalid(path, "", "resource or service backend is required")]


def _validate_service(service: Object, path: str, checks: IngressChecks) -> list[FieldError]:
    """Validates the service of a backend.

    Errors about a missing or ambiguous port have the path of the backend.
    """
    name, port = service.get("name", ""), service.get("port") or {}
    if name:
        is_name = names.is_dns1123_label if checks.relaxed_service_names else names.is_dns1035_label
        errors = each_invalid(f"{path}.service.name", name, is_name(name))
    else:
        errors = [required(f"{path}.service.name")]
    port_name, number = port.get("name", ""), port.get("number", 0)
    if port_name and number:
        errors.append(invalid(path, "", "cannot set both port name & port number"))
    elif port_name:
        errors += each_invalid(f"{path}.service.port.name", port_name, is_port_name(port_name))
    elif number:
        errors += each_invalid(f"{path}.service.port.number", number, is_port_number(number))
    else:
        errors.append(required(path, "port name or number is required"))
    return errors


def _host_messages(host: str) -> list[str]:
    return names.is_wildcard_dns1123_subdomain(host) if "*" in host else names.is_dns1123_subdomain(host)


def _secret_name_messages(tls: Object) -> list[str]:
    name = tls.get("secretName", "")
    return names.is_dns1123_subdomain(name) if name else []


def _has_relaxed_service_name(spec: Object, rules: ReleaseRules) -> bool:
    """Whether a backend of the stored Ingress has a relaxed service name. If so, updates may use such names.

    A relaxed name is a DNS-1123 label that begins with a digit. DNS-1035 labels begin with a letter.
    """
    if not rules.quirks.ingresses_keep_relaxed_names:
        return False
    backends: list[Any] = [
        http_path["backend"]
        for rule in spec.get("rules") or ()
        for http_path in (rule.get("http") or {}).get("paths") or ()
    ]
    if rules.quirks.ingresses_keep_relaxed_names == "everywhere":
        backends.append(spec.get("defaultBackend") or {})
    service_names = [backend["service"].get("name", "") for backend in backends if backend.get("service")]
    return any(not names.is_dns1123_label(name) and names.is_dns1035_label(name) for name in service_names)
