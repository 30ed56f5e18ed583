"""Validates `spec.conversion` of a CustomResourceDefinition: the strategy and the webhook."""

from collections.abc import Sequence

from fakeapi.kinds.apiextensions.validation.options import Options
from fakeapi.kinds.common.printing.texts import printed_strings
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
    """Validates `spec.conversion` of a CustomResourceDefinition.

    Error paths are the paths of upstream's internal form.
    """
    if conversion is None:
        return []
    strategy = conversion.get("strategy", "")
    webhook = conversion.get("webhook") or {}
    client, reviews = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    errors = enum_errors(strategy, STRATEGIES, f"{_PATH}.strategy")
    if strategy == "Webhook":
        if client is None:
            errors.append(required(_CLIENT, "required when strategy is set to Webhook"))
        else:
            errors += validate_client(client, _CLIENT, rules)
            errors += _bundle_errors(client, options, rules)
        return errors + _review_errors(reviews, options, rules)
    if client is not None:
        errors.append(forbidden(_CLIENT, "should not be set when strategy is not set to Webhook"))
    if reviews:
        errors.append(forbidden(_REVIEWS, "should not be set when strategy is not set to Webhook"))
    return errors


def enum_errors(value: str, accepted: Sequence[str], path: str) -> list[FieldError]:
    """Returns an error if the string is empty or is not one of `accepted`."""
    if not value:
        return [required(path)]
    return [] if value in accepted else [not_supported(path, value, accepted)]


def _review_errors(reviews: Sequence[str], options: Options, rules: ReleaseRules) -> list[FieldError]:
    if not reviews:
        return [required(_REVIEWS)]
    errors: list[FieldError] = []
    for index, version in enumerate(reviews):
        if version in reviews[:index]:
            errors.append(invalid(f"{_REVIEWS}[{index}]", version, "duplicate version"))
            continue
        errors += [invalid(f"{_REVIEWS}[{index}]", version, why) for why in is_dns1035_label(version)]
    if options.requires_known_review and not any(name in REVIEW_VERSIONS for name in reviews):
        bad_value = printed_strings(reviews, rules.quirks.wording)
        errors.append(
            invalid(_REVIEWS, bad_value, f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
        )
    return errors


def _bundle_errors(client: Object, options: Options, rules: ReleaseRules) -> list[FieldError]:
    """Returns an error if an update sets an invalid CA bundle.

    Skips CustomResourceDefinitions that are not established, or whose old bundle is already invalid. Releases
    before 1.31 do not check the bundle.
    """
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
