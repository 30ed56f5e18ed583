"""Validates how objects are converted between versions."""

from collections.abc import Sequence

from fakeapi.kinds.apiextensions.validation.options import Options
from fakeapi.kinds.common.shown_lists import shown_texts
from fakeapi.kinds.common.webhook_clients import validate_client
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1035_label
from fakeapi.registry.custom.bundles import bundle_problem
from fakeapi.registry.custom.conditions import ESTABLISHED, is_true
from fakeapi.releases.rules import ReleaseRules

STRATEGIES = ("None", "Webhook")
REVIEW_VERSIONS = ("v1", "v1beta1")
_PATH = "spec.conversion"
_CLIENT = f"{_PATH}.webhookClientConfig"
_REVIEWS = f"{_PATH}.conversionReviewVersions"


def validate_conversion(conversion: Object | None, options: Options, rules: ReleaseRules) -> list[FieldError]:
    """Errors of `spec.conversion`, at the places that the internal form has."""
    if conversion is None:
        return []
    strategy = conversion.get("strategy", "")
    webhook = conversion.get("webhook") or {}
    client, reviews = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    found = enum_errors(strategy, STRATEGIES, f"{_PATH}.strategy")
    if strategy == "Webhook":
        if client is None:
            found.append(required(_CLIENT, "required when strategy is set to Webhook"))
        else:
            found += validate_client(client, _CLIENT, rules)
            found += _bundle_errors(client, options, rules)
        return found + _review_errors(reviews, options, rules)
    if client is not None:
        found.append(forbidden(_CLIENT, "should not be set when strategy is not set to Webhook"))
    if reviews:
        found.append(forbidden(_REVIEWS, "should not be set when strategy is not set to Webhook"))
    return found


def enum_errors(value: str, accepted: Sequence[str], path: str) -> list[FieldError]:
    """The error of a value that must be one of a few."""
    if not value:
        return [required(path)]
    return [] if value in accepted else [not_supported(path, value, accepted)]


def _review_errors(reviews: Sequence[str], options: Options, rules: ReleaseRules) -> list[FieldError]:
    if not reviews:
        return [required(_REVIEWS)]
    found: list[FieldError] = []
    for index, version in enumerate(reviews):
        if version in reviews[:index]:
            found.append(invalid(f"{_REVIEWS}[{index}]", version, "duplicate version"))
            continue
        found += [invalid(f"{_REVIEWS}[{index}]", version, why) for why in is_dns1035_label(version)]
    if options.requires_known_review and not any(each in REVIEW_VERSIONS for each in reviews):
        shown = shown_texts(reviews, "[]string", rules)
        found.append(invalid(_REVIEWS, shown, f"must include at least one of {', '.join(REVIEW_VERSIONS)}"))
    return found


def _bundle_errors(client: Object, options: Options, rules: ReleaseRules) -> list[FieldError]:
    """The error of certificates that cannot be read, unless the old definition's could not be either."""
    if not rules.quirks.custom.checks_bundles or options.old is None:
        return []
    bundle = client.get("caBundle")
    if not bundle or not is_true(options.old, ESTABLISHED):
        return []
    webhook = (options.old["spec"].get("conversion") or {}).get("webhook") or {}
    before = (webhook.get("clientConfig") or {}).get("caBundle")
    if before and bundle_problem(before):
        return []
    problem = bundle_problem(bundle)
    return [invalid(f"{_CLIENT}.caBundle", bundle, problem)] if problem else []
