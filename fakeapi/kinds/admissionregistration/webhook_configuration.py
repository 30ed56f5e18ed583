"""Defines the kinds ValidatingWebhookConfiguration and MutatingWebhookConfiguration.

The kinds belong to the group admissionregistration.k8s.io. Follows k8s.io/kubernetes
`pkg/registry/admissionregistration` and `pkg/apis/admissionregistration/validation`. An update may contain
some invalid values if the stored webhooks already contain such values.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from fakeapi.kinds.admissionregistration.match_conditions import validate_match_conditions
from fakeapi.kinds.admissionregistration.matching import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    validate_rule,
)
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.webhook_clients import validate_client
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1035_label, validate_fully_qualified_name
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_incremented_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

GROUP = "admissionregistration.k8s.io"
TIMEOUT_MAX = 30
REINVOCATION_POLICIES = ("IfNeeded", "Never")
_REVIEW_VERSIONS = ("v1", "v1beta1")
_SIDE_EFFECTS = ("None", "NoneOnDryRun", "Some", "Unknown")
_NO_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_SELECTORS = ("namespaceSelector", "objectSelector")

Webhooks = Sequence[dict[str, Any]]


class WebhookConfigurationStrategy(RulesStrategy):
    """Strategy for webhook configurations. A change of the webhooks increments the generation."""

    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._errors(obj.get("webhooks") or [], [])

    def prepare_update(self, new: Object, old: Object) -> Object:
        if new.get("webhooks") == old.get("webhooks"):
            return new
        return with_incremented_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self._errors(new.get("webhooks") or [], old.get("webhooks") or [])
        return [*metadata.of_object, *errors]

    def _errors(self, hooks: Webhooks, old: Webhooks) -> list[FieldError]:
        errors: list[FieldError] = []
        names_before = [hook["name"] for hook in old]
        unique = len(set(names_before)) == len(names_before)
        seen: set[str] = set()
        for index, hook in enumerate(hooks):
            path, name = f"webhooks[{index}]", hook["name"]
            errors += self._hook_errors(hook, path, old)
            if _conditions(hooks) != _conditions(old):
                conditions = hook.get("matchConditions") or []
                errors += validate_match_conditions(conditions, f"{path}.matchConditions", self._rules)
            errors += self._version_errors(hook.get("admissionReviewVersions") or [], path, old)
            if unique and name:
                if name in seen:
                    errors.append(duplicate(f"{path}.name", name))
                seen.add(name)
        return errors

    def _hook_errors(self, hook: dict[str, Any], path: str, old: Webhooks) -> list[FieldError]:
        errors = validate_fully_qualified_name(hook["name"], f"{path}.name")
        for index, rule in enumerate(hook.get("rules") or ()):
            errors += validate_rule(rule, f"{path}.rules[{index}]", self._rules)
        errors += _known(hook, "failurePolicy", path, FAILURE_POLICIES)
        errors += _known(hook, "matchPolicy", path, MATCH_POLICIES)
        quiet = all(old_hook.get("sideEffects") in _NO_SIDE_EFFECTS for old_hook in old)
        effects = _NO_SIDE_EFFECTS if quiet else _SIDE_EFFECTS
        if hook.get("sideEffects") is None:
            errors.append(required(f"{path}.sideEffects", f"must specify one of {', '.join(effects)}"))
        errors += _known(hook, "sideEffects", path, effects)
        timeout = hook.get("timeoutSeconds")
        if timeout is not None and not 1 <= timeout <= TIMEOUT_MAX:
            why = "the timeout value must be between 1 and 30 seconds"
            errors.append(invalid(f"{path}.timeoutSeconds", timeout, why))
        checks = not any(map(self._has_bad_selector, old))
        for name in _SELECTORS:
            wording = self._rules.quirks.wording
            errors += validate_label_selector(hook.get(name), f"{path}.{name}", wording, checks_values=checks)
        errors += _known(hook, "reinvocationPolicy", path, REINVOCATION_POLICIES)
        return errors + validate_client(hook["clientConfig"], f"{path}.clientConfig", self._rules)

    def _has_bad_selector(self, hook: dict[str, Any]) -> bool:
        wording = self._rules.quirks.wording
        return any(validate_label_selector(hook.get(name), "", wording) for name in _SELECTORS)

    def _version_errors(self, versions: list[str], hook: str, old: Webhooks) -> list[FieldError]:
        path, known = f"{hook}.admissionReviewVersions", ", ".join(_REVIEW_VERSIONS)
        if not versions:
            return [required(path, f"must specify one of {known}")]
        errors: list[FieldError] = []
        for index, version in enumerate(versions):
            place = f"{path}[{index}]"
            if version in versions[:index]:
                errors.append(invalid(place, version, "duplicate version"))
                continue
            errors += [invalid(place, version, why) for why in is_dns1035_label(version)]
        if all(map(_is_recognized, old)) and not set(versions) & set(_REVIEW_VERSIONS):
            why = f"must include at least one of {known}"
            errors.append(invalid(path, printed_strings(versions, self._rules.quirks.wording), why))
        return errors


def _is_recognized(hook: dict[str, Any]) -> bool:
    versions = hook.get("admissionReviewVersions")
    return not versions or bool(set(versions) & set(_REVIEW_VERSIONS))


def _conditions(hooks: Webhooks) -> list[Any]:
    """Returns the match conditions of each webhook; None for a webhook without conditions."""
    return [hook.get("matchConditions") for hook in hooks]


def _known(hook: dict[str, Any], name: str, path: str, known: Sequence[str]) -> list[FieldError]:
    value = hook.get(name)
    return [] if value is None or value in known else [not_supported(f"{path}.{name}", value, known)]


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Webhooks": lambda obj, now: len(obj.get("webhooks") or ())}


VALIDATING_WEBHOOK_CONFIGURATION = KindDefinition(
    group=GROUP,
    resource="validatingwebhookconfigurations",
    strategies=of_rules(WebhookConfigurationStrategy),
    cells=_cells,
    core_metadata=False,
)
MUTATING_WEBHOOK_CONFIGURATION = KindDefinition(
    group=GROUP,
    resource="mutatingwebhookconfigurations",
    strategies=of_rules(WebhookConfigurationStrategy),
    cells=_cells,
    core_metadata=False,
)
