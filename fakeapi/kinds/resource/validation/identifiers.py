"""Validates names in ResourceClaims and ResourceSlices, such as names of drivers, pools and requests.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and the name rules of `pkg/apis/core/validation`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from fakeapi.kinds.common.invalid_texts import each_invalid, validate_dns_label, validate_dns_subdomain
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long, type_invalid
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

_NO_SUCH_REQUEST = "must be the name of a request in the claim"
_NO_SUCH_SUBREQUEST = f"{_NO_SUCH_REQUEST} or the name of a request and a subrequest separated by '/'"

RequestNames: TypeAlias = dict[str, frozenset[str]]
"""Maps the names of a claim's requests to the names of their subrequests."""


class DeviceId(NamedTuple):
    """The unique identity of a device in the cluster.

    `share` is the share ID of a shared device. For other devices, `share` is "".
    """

    driver: str
    pool: str
    device: str
    share: str = ""

    def printed(self, rules: ReleaseRules) -> Dump:
        """Formats the device in the form in which errors of the release print devices."""
        if rules.quirks.device_shown == "text":
            return Dump(f"{self.driver}/{self.pool}/{self.device}")
        texts: Iterable[Any] = self if rules.quirks.device_shown == "strings" else ({},) * len(self)
        fields = dict(zip(("Driver", "Pool", "Device", "ShareID"), texts, strict=True))
        return Dump(go_encode(fields).decode())


def device_id(holder: dict[str, Any]) -> DeviceId:
    """Returns the device to which an allocation result or a device status refers."""
    return DeviceId(holder["driver"], holder["pool"], holder["device"], holder.get("shareID") or "")


def validate_class_name(name: str, path: str) -> list[FieldError]:
    """Validates the required name of a DeviceClass."""
    return validate_dns_subdomain(name, path) if name else [required(path)]


def validate_driver_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the name of a DRA driver: a DNS subdomain that may have uppercase letters.

    Up to 1.34 an empty name gets two errors.
    """
    if not name and rules.quirks.empty_driver_name_ends_validation:
        return [required(path)]
    errors = each_invalid(path, name, names.is_dns1123_subdomain(name.lower()))
    if names.byte_length(name) > rules.limits.driver_name:
        errors.insert(0, too_long(path, rules.limits.driver_name, rules.quirks.too_long))
    if not name:
        errors.insert(0, required(path))
    return errors


def validate_pool_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the name of a pool: DNS subdomains separated by slashes. Errors print the invalid part."""
    if not name:
        return [required(path)]
    errors: list[FieldError] = []
    if names.byte_length(name) > rules.limits.pool_name:
        errors.append(too_long(path, rules.limits.pool_name, rules.quirks.too_long_name))
    for part in name.split("/"):
        errors += validate_dns_subdomain(part, path)
    return errors


def request_names(devices: dict[str, Any]) -> RequestNames:
    """Returns the request names to which a claim's constraints, configuration and results may refer."""
    return {
        request["name"]: frozenset(sub["name"] for sub in request.get("firstAvailable", ()))
        for request in devices["requests"] or ()
    }


def validate_request_reference(
    name: str, path: str, known: RequestNames, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a reference to a request of a claim, or to a subrequest in releases with subrequests.

    `known`: the names of the claim's requests and subrequests
    """
    if not rules.quirks.request_fields_under_exactly:
        errors = validate_dns_label(name, path)
        if name not in known:
            errors.append(invalid(path, name, _NO_SUCH_REQUEST))
        return errors
    request, *subrequests = name.split("/")
    if len(subrequests) > 1:
        return [invalid(path, name, _NO_SUCH_SUBREQUEST)]
    errors = validate_dns_label(request, path)
    for subrequest in subrequests:
        errors += validate_dns_label(subrequest, path)
    if request not in known or not known[request].issuperset(subrequests):
        errors.append(invalid(path, name, _NO_SUCH_SUBREQUEST))
    return errors


def validate_fully_qualified_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `DOMAIN/IDENTIFIER`. A name without a domain is an error."""
    errors = validate_qualified_name(name, path, rules)
    if "/" in name:
        return errors
    if rules.quirks.missing_domain_is_required:
        errors.append(required(f"{path}.domain", f"must include a {rules.quirks.attribute_domain}"))
    elif name or rules.quirks.empty_name_parts_are_invalid:
        errors.append(invalid(path, printed_plain(name, rules.quirks.wording), rules.quirks.missing_domain))
    return errors


def validate_qualified_name(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `IDENTIFIER` or `DOMAIN/IDENTIFIER`. Like upstream, accepts names with more slashes."""
    if not name and not rules.quirks.empty_name_parts_are_invalid:
        return [required(path, "name required")]
    match name.split("/"):
        case [identifier]:
            return _validate_c_identifier(identifier, path, rules)
        case [domain, identifier]:
            if domain:
                errors = validate_driver_name(domain, path, rules)
            else:
                errors = [_empty(path, f"the {rules.quirks.attribute_domain} must not be empty", rules)]
            if identifier:
                return errors + _validate_c_identifier(identifier, path, rules)
            return [*errors, _empty(path, "the name must not be empty", rules)]
        case _:
            return []


def _empty(path: str, problem: str, rules: ReleaseRules) -> FieldError:
    if rules.quirks.empty_name_parts_are_invalid:
        return invalid(path, "", problem)
    return required(path, problem)


def _validate_c_identifier(identifier: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    refuse = type_invalid if rules.quirks.identifier_errors_are_of_type else invalid
    errors = [refuse(path, identifier, message) for message in names.is_c_identifier(identifier)]
    if names.byte_length(identifier) > rules.limits.attribute_id:
        errors.insert(0, too_long(path, rules.limits.attribute_id, rules.quirks.too_long_name))
    return errors
