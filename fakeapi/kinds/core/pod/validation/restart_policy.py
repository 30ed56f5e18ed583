"""Validates the restart policies and restartPolicyRules of containers.

Follows `validateContainerRestartPolicy` and `validateInitContainerRestartPolicy` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, is_sidecar
from fakeapi.machinery.field_errors import forbidden, not_supported, required, too_long, too_many
from fakeapi.machinery.json_types import Object

RULES_MAX = 20
EXIT_CODES_MAX = 255

_POLICIES = ("Always", "Never", "OnFailure")
_OPERATORS = ("In", "NotIn")
_ACTIONS = ("Restart",)
_ALL_ACTIONS = ("Restart", "RestartAllContainers")
_NEEDS_POLICY = "must specify restartPolicy when restart rules are used"


def container_restart_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the restart policy of an ordinary container. `path`: the path of the container."""
    if checks.restart_rules:
        yield from _policy_errors(container, path, checks)
    elif "restartPolicy" in container:
        yield forbidden(f"{path}.restartPolicy", "may not be set for non-init containers")


def init_restart_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the restart policy of an init container. `path`: the path of the container."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules")
    if policy is None:
        if rules and checks.quirks.restart_rules_need_a_policy:
            yield required(f"{path}.restartPolicy", _NEEDS_POLICY)
    elif not checks.restart_rules:
        if not is_sidecar(container):
            yield not_supported(f"{path}.restartPolicy", printed_plain(policy, checks.wording), ("Always",))
    elif not is_sidecar(container) or checks.restart_all_containers:
        yield from _policy_errors(container, path, checks)
    elif rules:
        rule = "restartPolicyRules are not allowed for init containers with restart policy Always"
        yield forbidden(f"{path}.restartPolicyRules", rule)


def _policy_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None:
        if rules:
            yield required(f"{path}.restartPolicy", _NEEDS_POLICY)
    elif policy not in _POLICIES:
        yield not_supported(f"{path}.restartPolicy", printed_plain(policy, checks.wording), _POLICIES)
    yield from _length_errors(len(rules), RULES_MAX, f"{path}.restartPolicyRules", checks)
    for index, rule in enumerate(rules):
        yield from _rule_errors(rule, f"{path}.restartPolicyRules[{index}]", checks)


def _rule_errors(rule: Object, path: str, checks: PodChecks) -> Errors:
    action, codes = rule.get("action", ""), rule.get("exitCodes")
    allowed = _ALL_ACTIONS if checks.restart_all_containers else _ACTIONS
    if action not in allowed:
        listed = allowed if checks.quirks.restart_actions_are_all_listed else _ACTIONS
        yield not_supported(f"{path}.action", printed_plain(action, checks.wording), listed)
    if codes is None:
        yield required(f"{path}.exitCodes", "must be specified")
        return
    operator = codes.get("operator", "")
    if operator not in _OPERATORS:
        yield not_supported(f"{path}.exitCodes.operator", printed_plain(operator, checks.wording), _OPERATORS)
    values = codes.get("values") or ()
    yield from _length_errors(len(values), EXIT_CODES_MAX, f"{path}.exitCodes.values", checks)


def _length_errors(length: int, most: int, path: str, checks: PodChecks) -> Errors:
    if length > most:
        if checks.quirks.restart_actions_are_all_listed:
            yield too_many(path, length, most)
        else:
            yield too_long(path, most, checks.wording.too_long)
