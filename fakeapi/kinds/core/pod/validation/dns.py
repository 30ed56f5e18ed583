"""Validates DNS policy, DNS configuration, host aliases and host names of pods.

Follows `validatePodDNSConfig`, `ValidateHostAliases` and `validatePodHostName` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

import re

from fakeapi.kinds.common.addresses import validate_lenient_ip
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_dns_subdomain,
)
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import forbidden, invalid, not_supported, required, too_long
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

NAMESERVERS_MAX = 3
SEARCHES_MAX, SEARCH_CHARACTERS_MAX = 32, 2048
OLD_SEARCHES_MAX, OLD_SEARCH_CHARACTERS_MAX = 6, 256
HOSTNAME_OVERRIDE_MAX_LENGTH = 64

POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")

_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH = rf"{_LABEL}(\.{_LABEL})*"
_is_search = re.compile(_SEARCH.replace("(", "(?:")).fullmatch
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_SEARCH_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
    "and must start and end with an alphanumeric character"
)


def policy_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the DNS policy of a pod. `path`: the path of the pod's spec."""
    policy = spec.get("dnsPolicy", "")
    if not policy:
        yield required(f"{path}.dnsPolicy")
    elif policy not in POLICIES:
        yield not_supported(f"{path}.dnsPolicy", printed_plain(policy, checks.wording), POLICIES)


def config_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the DNS configuration of a pod. `path`: the path of the pod's spec."""
    config, place = spec.get("dnsConfig"), f"{path}.dnsConfig"
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield required(place, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            rule = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(f"{place}.nameservers", rule)
            return
    if config is None:
        return
    servers = config.get("nameservers") or []
    if len(servers) > NAMESERVERS_MAX:
        rule = f"must not have more than {NAMESERVERS_MAX} nameservers"
        yield invalid(f"{place}.nameservers", printed_strings(servers, checks.wording), rule)
    for index, server in enumerate(servers):
        yield from _ip_errors(server, f"{place}.nameservers[{index}]", checks)
    yield from _search_errors(config.get("searches") or [], f"{place}.searches", checks)
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required(f"{place}.options[{index}]", "must not be empty")


def host_alias_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the host aliases of a pod. `path`: the path of the pod's spec."""
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        place = f"{path}.hostAliases"
        if checks.quirks.host_aliases_are_told_apart:
            place = f"{place}[{index}]"
        yield from _ip_errors(alias.get("ip", ""), f"{place}.ip", checks)
        for position, name in enumerate(alias.get("hostnames") or ()):
            of_name = f"{place}.hostnames"
            if checks.quirks.host_aliases_are_told_apart:
                of_name = f"{of_name}[{position}]"
            yield from validate_dns_subdomain(name, of_name)


def name_errors(spec: Object, path: str) -> Errors:
    """Validates hostname and subdomain of a pod. `path`: the path of the pod's spec."""
    for name in ("hostname", "subdomain"):
        if spec.get(name):
            yield from validate_dns_label(spec[name], f"{path}.{name}")


def hostname_override_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates `hostnameOverride`, which takes precedence over all other host names of a pod."""
    name, place = spec.get("hostnameOverride"), f"{path}.hostnameOverride"
    if name is None:
        return
    if spec.get("setHostnameAsFQDN"):
        yield forbidden(place, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield forbidden(place, "may not be specified when hostNetwork is true")
    if names.byte_length(name) > HOSTNAME_OVERRIDE_MAX_LENGTH:
        yield too_long(place, HOSTNAME_OVERRIDE_MAX_LENGTH, checks.wording.too_long)
    yield from validate_dns_subdomain(name, place)


def _search_errors(searches: list[str], path: str, checks: PodChecks) -> Errors:
    most, characters = SEARCHES_MAX, SEARCH_CHARACTERS_MAX
    if not checks.enabled("ExpandedDNSConfig") and not _is_expanded(checks.old):
        most, characters = OLD_SEARCHES_MAX, OLD_SEARCH_CHARACTERS_MAX
    if len(searches) > most:
        rule = f"must not have more than {most} search paths"
        yield invalid(path, printed_strings(searches, checks.wording), rule)
    if names.byte_length(" ".join(searches)) > characters:
        rule = f"must not have more than {characters} characters (including spaces) in the search list"
        yield invalid(path, printed_strings(searches, checks.wording), rule)
    for index, search in enumerate(searches):
        place, name = f"{path}[{index}]", search.removesuffix(".")
        if not checks.relaxed_dns_searches:
            yield from validate_dns_subdomain(name, place)
        elif search != ".":
            yield from each_invalid(place, name, _search_messages(name, checks))


def _search_messages(name: str, checks: PodChecks) -> list[str]:
    most = names.DNS1123_SUBDOMAIN_MAX_LENGTH
    errors = [names.max_length_error(most)] if names.byte_length(name) > most else []
    if not _is_search(name):
        pattern = _SEARCH if checks.quirks.search_pattern_has_underscores else _SUBDOMAIN
        errors.append(names.regex_error(_SEARCH_RULE, pattern, "example.com"))
    return errors


def _is_expanded(spec: Object) -> bool:
    searches = (spec.get("dnsConfig") or {}).get("searches") or ()
    return len(searches) > OLD_SEARCHES_MAX or len(" ".join(searches)) > OLD_SEARCH_CHARACTERS_MAX


def _ip_errors(text: str, path: str, checks: PodChecks) -> Errors:
    if checks.quirks.addresses_have_examples:
        yield from validate_lenient_ip(text, path, checks.rules)
    elif parse_ip(text) is None:
        yield invalid(path, text, "must be valid IP address")
