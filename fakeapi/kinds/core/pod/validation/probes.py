"""Validates the probes and lifecycle hooks of containers.

Follows `validateProbe`, `validateLifecycle` and `validateHandler` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Callable
from typing import NamedTuple

from fakeapi.kinds.common.environment_names import is_http_header_name
from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.numbers import validate_not_negative
from fakeapi.kinds.common.ports import validate_port
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.stop_signals import stop_signal_errors
from fakeapi.machinery.field_errors import forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object

_SCHEMES = ("HTTP", "HTTPS")
_HTTP_PROTOCOLS = ("HTTP1", "HTTP2")
_GRPC_MODES = ("Plaintext", "TLS")
_OF_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_HOOKS = ("exec", "httpGet", "tcpSocket", "sleep")
_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


class PodFacts(NamedTuple):
    """The properties of a pod on which the validation of probes and hooks depends.

    - `grace_period`: the terminationGracePeriodSeconds
    - `os`: the name of the operating system; None if the pod does not set `os`
    """

    grace_period: int
    os: str | None


def lifecycle_errors(container: Object, path: str, facts: PodFacts, checks: PodChecks) -> Errors:
    """Validates the lifecycle hooks and the stop signal of a container.

    `path`: the path of the container
    `facts`: the properties of the pod that the rules need
    """
    lifecycle = container.get("lifecycle")
    if lifecycle is None:
        return
    for name in ("postStart", "preStop"):
        if name in lifecycle:
            yield from _handler_errors(
                lifecycle[name], _OF_HOOKS, f"{path}.lifecycle.{name}", facts.grace_period, checks
            )
    if "stopSignal" in lifecycle:
        yield from stop_signal_errors(
            lifecycle["stopSignal"], f"{path}.lifecycle.stopSignal", facts.os, checks
        )


def probes_errors(container: Object, path: str, facts: PodFacts, checks: PodChecks) -> Errors:
    """Validates the liveness, readiness and startup probes of a container.

    `path`: the path of the container
    `facts`: the properties of the pod that the rules need
    """
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        place = f"{path}.{name}"
        yield from _probe_errors(probe, place, facts, checks)
        grace = probe.get("terminationGracePeriodSeconds")
        if name != "readinessProbe":
            if probe.get("successThreshold", 0) != 1:
                yield invalid(f"{place}.successThreshold", probe.get("successThreshold", 0), "must be 1")
        elif grace is not None:
            rule = "must not be set for readinessProbes"
            yield invalid(f"{place}.terminationGracePeriodSeconds", grace, rule)


def _probe_errors(probe: Object, path: str, facts: PodFacts, checks: PodChecks) -> Errors:
    yield from _handler_errors(probe, _OF_PROBES, path, facts.grace_period, checks)
    for name in _COUNTS:
        yield from validate_not_negative(probe.get(name, 0), f"{path}.{name}")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        yield invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")


def _handler_errors(
    handler: Object, kinds: tuple[str, ...], path: str, grace_period: int, checks: PodChecks
) -> Errors:
    has_handler = False
    for kind in kinds:
        if kind not in handler:
            continue
        if has_handler:
            yield forbidden(f"{path}.{kind}", "may not specify more than 1 handler type")
            continue
        has_handler = True
        if kind == "sleep":
            yield from _sleep_errors(handler[kind], f"{path}.sleep", grace_period, checks)
        else:
            yield from _ACTIONS[kind](handler[kind], f"{path}.{kind}", checks)
    if not has_handler:
        yield required(path, "must specify a handler type")


def _exec_errors(action: Object, path: str, checks: PodChecks) -> Errors:
    if not action.get("command"):
        yield required(f"{path}.command")


def _http_errors(action: Object, path: str, checks: PodChecks) -> Errors:
    if not action.get("path"):
        yield required(f"{path}.path")
    yield from validate_port(action["port"], f"{path}.port")
    scheme = action.get("scheme", "")
    if scheme not in _SCHEMES:
        yield not_supported(f"{path}.scheme", printed_plain(scheme, checks.wording), _SCHEMES)
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        yield from each_invalid(f"{path}.httpHeaders", name, is_http_header_name(name))
    protocol = action.get("protocol")
    if protocol is None:
        return
    if protocol not in _HTTP_PROTOCOLS:
        yield not_supported(f"{path}.protocol", printed_plain(protocol, checks.wording), _HTTP_PROTOCOLS)
    elif protocol == "HTTP2" and scheme != "HTTP":
        yield invalid(
            f"{path}.protocol", printed_plain(protocol, checks.wording), "is only supported with HTTP (H2C)"
        )
    elif protocol == "HTTP2" and action.get("host"):
        yield invalid(f"{path}.host", action["host"], 'must be empty when `protocol` is "HTTP2"')


def _tcp_errors(action: Object, path: str, checks: PodChecks) -> Errors:
    yield from validate_port(action["port"], f"{path}.port")


def _grpc_errors(action: Object, path: str, checks: PodChecks) -> Errors:
    yield from validate_port(action.get("port", 0), f"{path}.port")
    mode = action.get("mode")
    if mode is not None and mode not in _GRPC_MODES:
        yield not_supported(f"{path}.mode", printed_plain(mode, checks.wording), _GRPC_MODES)


def _sleep_errors(action: Object, path: str, grace_period: int, checks: PodChecks) -> Errors:
    seconds = action.get("seconds", 0)
    if checks.zero_sleep:
        if not 0 <= seconds <= grace_period:
            rule = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_period})"
            yield invalid(path, seconds, rule)
    elif not 0 < seconds <= grace_period:
        rule = f"must be greater than 0 and less than terminationGracePeriodSeconds ({grace_period})"
        yield invalid(path, seconds, rule + checks.quirks.zero_sleep_hint)


_ACTIONS: dict[str, Callable[[Object, str, PodChecks], Errors]] = {
    "exec": _exec_errors,
    "httpGet": _http_errors,
    "tcpSocket": _tcp_errors,
    "grpc": _grpc_errors,
}
