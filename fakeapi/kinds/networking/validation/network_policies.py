"""Validates the rules of a NetworkPolicy.

Follows k8s.io/kubernetes `pkg/apis/networking/validation`.
"""

from collections.abc import Iterator
from typing import Final

from fakeapi.kinds.common.addresses import cidr_warnings, validate_lenient_cidr
from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.ports import is_port_name, is_port_number
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.golang.ip_addresses import CIDR, parse_cidr
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_POLICY_TYPES: Final = ("Ingress", "Egress")
_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))


class PolicyChecks:
    """Validates the spec of a NetworkPolicy.

    - `checks_values`: whether to validate the label values of selectors
    - `valid_before`: CIDRs of the stored policy, which an update may keep
    """

    def __init__(
        self, rules: ReleaseRules, *, checks_values: bool = True, valid_before: frozenset[str] = frozenset()
    ) -> None:
        self._rules = rules
        self._checks_values = checks_values
        self._valid_before = valid_before

    def validate_spec(self, spec: Object, path: str) -> list[FieldError]:
        errors = self._validate_selector(spec.get("podSelector"), f"{path}.podSelector")
        for direction, peers in _DIRECTIONS:
            for index, rule in enumerate(spec.get(direction) or ()):
                here = f"{path}.{direction}[{index}]"
                for number, port in enumerate(rule.get("ports") or ()):
                    errors += self._validate_port(port, f"{here}.ports[{number}]")
                for number, peer in enumerate(rule.get(peers) or ()):
                    errors += self._validate_peer(peer, f"{here}.{peers}[{number}]")
        types = spec.get("policyTypes") or ()
        if len(types) > len(_POLICY_TYPES):
            bad_value = printed_strings(types, self._rules.quirks.wording, "[]networking.PolicyType")
            problem = "may not specify more than two policyTypes"
            return [*errors, invalid(f"{path}.policyTypes", bad_value, problem)]
        return errors + [
            not_supported(f"{path}.policyTypes[{index}]", policy_type, _POLICY_TYPES)
            for index, policy_type in enumerate(types)
            if policy_type not in _POLICY_TYPES
        ]

    def _validate_selector(self, selector: Object | None, path: str) -> list[FieldError]:
        wording = self._rules.quirks.wording
        return validate_label_selector(selector, path, wording, checks_values=self._checks_values)

    def _validate_port(self, port: Object, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        protocol, number, end = port.get("protocol"), port.get("port"), port.get("endPort")
        if protocol is not None and protocol not in _PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, _PROTOCOLS))
        if isinstance(number, int):
            errors += each_invalid(f"{path}.port", number, is_port_number(number))
            if end is not None:
                errors += self._validate_end(end, number, f"{path}.endPort")
            return errors
        if end is not None:
            lacks = "is not specified" if number is None else "is non-numeric"
            errors.append(invalid(f"{path}.endPort", end, f"may not be specified when `port` {lacks}"))
        if number is not None:
            errors += each_invalid(f"{path}.port", number, is_port_name(number))
        return errors

    def _validate_end(self, end: int, port: int, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        if end < port:
            bad_value = port if self._rules.quirks.end_port_error_shows_port else end
            errors.append(invalid(path, bad_value, "must be greater than or equal to `port`"))
        return errors + each_invalid(path, end, is_port_number(end))

    def _validate_peer(self, peer: Object, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        block = peer.get("ipBlock")
        selectors = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
        for name in selectors:
            errors += self._validate_selector(peer[name], f"{path}.{name}")
        if block is not None:
            errors += self._validate_block(block, f"{path}.ipBlock")
            if selectors:
                errors.append(forbidden(path, "may not specify both ipBlock and another peer"))
        elif not selectors:
            errors.append(required(path, "must specify a peer"))
        return errors

    def _validate_block(self, block: Object, path: str) -> list[FieldError]:
        text = block.get("cidr", "")
        if not text:
            return [required(f"{path}.cidr")]
        errors = self._validate_cidr(text, f"{path}.cidr")
        whole = parse_cidr(text)
        if whole is None:
            return errors
        for index, part in enumerate(block.get("except") or ()):
            here = f"{path}.except[{index}]"
            errors += self._validate_cidr(part, here)
            cidr = parse_cidr(part)
            if cidr is None and self._rules.quirks.bad_exception_ends_ip_block:
                return errors
            if cidr is not None and not _is_strict_part(cidr, whole):
                errors.append(invalid(here, part, "must be a strict subset of `cidr`"))
        return errors

    def _validate_cidr(self, text: str, path: str) -> list[FieldError]:
        if self._rules.quirks.bad_exception_ends_ip_block:
            return [] if parse_cidr(text) else [invalid(path, text, "not a valid CIDR")]
        return validate_lenient_cidr(text, path, self._rules, self._valid_before)


def cidrs_of(spec: Object) -> frozenset[str]:
    """Returns all CIDRs in the spec of a NetworkPolicy."""
    return frozenset(
        text for _, block in _blocks(spec) for text in (block.get("cidr", ""), *(block.get("except") or ()))
    )


def policy_warnings(spec: Object, rules: ReleaseRules) -> list[str]:
    """Returns warnings about CIDRs of a NetworkPolicy that are not in canonical form."""
    if rules.quirks.address_warnings_quote_parser:
        return []
    warnings = []
    for path, block in _blocks(spec):
        warnings += cidr_warnings(block.get("cidr", ""), f"{path}.cidr", rules)
        for index, part in enumerate(block.get("except") or ()):
            warnings += cidr_warnings(part, f"{path}.except[{index}]", rules)
    return warnings


def _blocks(spec: Object) -> Iterator[tuple[str, Object]]:
    """Yields the field path and the IP block of each peer that has an IP block."""
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            for number, peer in enumerate(rule.get(peers) or ()):
                if peer.get("ipBlock") is not None:
                    yield f"spec.{direction}[{index}].{peers}[{number}].ipBlock", peer["ipBlock"]


def _is_strict_part(part: CIDR, whole: CIDR) -> bool:
    outer = whole.network
    return part.network.network_address in outer and part.prefix > whole.prefix
