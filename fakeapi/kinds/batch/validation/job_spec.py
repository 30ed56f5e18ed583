"""Validates the spec of a job, or the job spec in the template of a cron job."""

from fakeapi.kinds.batch.validation.policies import validate_failure_policy, validate_success_policy
from fakeapi.kinds.common.domain_names import validate_domain_prefixed_path
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields
from fakeapi.machinery.meta.names import byte_length
from fakeapi.releases.rules import ReleaseRules

INDEXED, NON_INDEXED = "Indexed", "NonIndexed"
PARALLELISM_MAX = 100_000
FAILED_INDEXES_MAX = 100_000
COMPLETIONS_SOFT_MAX = 100_000
PARALLELISM_MAX_BEYOND = 10_000
FAILED_INDEXES_MAX_BEYOND = 10_000
"""Maximum `maxFailedIndexes` of a Job with `backoffLimitPerIndex` and more than 100,000 completions."""
MANAGED_BY_MAX = 63

_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_REPLACEMENT_POLICIES = ("Failed", "TerminatingOrFailed")


def validate_job_spec(spec: Object, old: Object | None, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the spec of a Job, except its selector.

    `old`: the spec that an update replaces; None on create
    """
    errors = validate_nonnegative_fields(spec, _COUNTS, path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        errors.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    if spec.get("managedBy") is not None:
        errors += _managed_by_errors(spec["managedBy"], f"{path}.managedBy", rules)
    errors += _mode_errors(spec, path)
    if spec.get("podFailurePolicy") is not None:
        errors += validate_failure_policy(spec, f"{path}.podFailurePolicy", rules)
    if spec.get("successPolicy") is not None:
        errors += _success_policy_errors(spec, f"{path}.successPolicy", rules)
    errors += _replacement_errors(spec, f"{path}.podReplacementPolicy")
    errors += validate_gang(spec, f"{path}.scheduling")
    template = None if old is None else old.get("template")
    errors += validate_pod_template_spec(spec["template"], f"{path}.template", rules, old=template)
    return errors + _restart_policy_errors(spec, f"{path}.template.spec.restartPolicy")


def _managed_by_errors(value: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `managedBy`, the controller that manages a Job: a domain and a path like `acme.io/foo`."""
    errors = validate_domain_prefixed_path(value, path, rules.quirks.wording.length_unit)
    if byte_length(value) > MANAGED_BY_MAX:
        errors.append(too_long(path, MANAGED_BY_MAX, rules.quirks.too_long_name))
    return errors


def _mode_errors(spec: Object, path: str) -> list[FieldError]:
    mode, errors = spec.get("completionMode"), list[FieldError]()
    if mode is not None and mode not in (NON_INDEXED, INDEXED):
        errors.append(not_supported(f"{path}.completionMode", mode, (NON_INDEXED, INDEXED)))
    if mode == INDEXED:
        errors += _indexed_errors(spec, path)
    if mode is None or mode == NON_INDEXED:
        errors += [
            invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
            for name in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(name) is not None
        ]
    return errors


def _indexed_errors(spec: Object, path: str) -> list[FieldError]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    most, errors = spec.get("maxFailedIndexes"), list[FieldError]()
    failed = f"{path}.maxFailedIndexes"
    if completions is None:
        errors.append(required(f"{path}.completions", f"when completion mode is {INDEXED}"))
    if parallelism is not None and parallelism > PARALLELISM_MAX:
        problem = f"must be less than or equal to {PARALLELISM_MAX} when completion mode is {INDEXED}"
        errors.append(invalid(f"{path}.parallelism", parallelism, problem))
    if completions is not None and most is not None and most > completions:
        errors.append(invalid(failed, most, "must be less than or equal to completions"))
    if most is not None and most > FAILED_INDEXES_MAX:
        errors.append(invalid(failed, most, f"must be less than or equal to {FAILED_INDEXES_MAX}"))
    if completions is None or completions <= COMPLETIONS_SOFT_MAX or spec.get("backoffLimitPerIndex") is None:
        return errors
    if most is None:
        problem = f"must be specified when completions is above {COMPLETIONS_SOFT_MAX}"
        errors.append(required(failed, problem))
    beyond = f"when completions are above {COMPLETIONS_SOFT_MAX} and used with backoff limit per index"
    if parallelism is not None and parallelism > PARALLELISM_MAX_BEYOND:
        problem = f"must be less than or equal to {PARALLELISM_MAX_BEYOND} {beyond}"
        errors.append(invalid(f"{path}.parallelism", parallelism, problem))
    if most is not None and most > FAILED_INDEXES_MAX_BEYOND:
        problem = f"must be less than or equal to {FAILED_INDEXES_MAX_BEYOND} {beyond}"
        errors.append(invalid(failed, most, problem))
    return errors


def _success_policy_errors(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    if spec.get("completionMode") == INDEXED:
        return validate_success_policy(spec, path, rules)
    value = printed_struct(spec["successPolicy"], "batch/v1.SuccessPolicy", rules)
    return [invalid(path, value, "requires indexed completion mode")]


def _replacement_errors(spec: Object, path: str) -> list[FieldError]:
    policy = spec.get("podReplacementPolicy")
    allowed = _REPLACEMENT_POLICIES if spec.get("podFailurePolicy") is None else ("Failed",)
    return [] if policy is None or policy in allowed else [not_supported(path, policy, allowed)]


def validate_gang(spec: Object, path: str) -> list[FieldError]:
    """Returns an error if `minCount` of the gang scheduling policy is greater than the Job's parallelism."""
    policy = (spec.get("scheduling") or {}).get("schedulingPolicy") or {}
    least = (policy.get("gang") or {}).get("minCount")
    parallelism = spec.get("parallelism")
    most = 1 if parallelism is None else parallelism
    if least is None or least <= most:
        return []
    problem = f"must not be greater than parallelism ({most})"
    return [invalid(f"{path}.schedulingPolicy.gang.minCount", least, problem)]


def _restart_policy_errors(spec: Object, path: str) -> list[FieldError]:
    policy = spec["template"]["spec"].get("restartPolicy", "")
    if policy in ("", "Always"):
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [not_supported(path, policy, ("OnFailure", "Never"))]
    if policy != "Never" and spec.get("podFailurePolicy") is not None:
        return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []


def job_warnings(spec: Object, path: str) -> list[str]:
    """Returns a warning if an indexed job is too large for Kubernetes to track all completed indexes."""
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    if spec.get("completionMode") != INDEXED:
        return []
    if completions <= COMPLETIONS_SOFT_MAX or parallelism <= PARALLELISM_MAX_BEYOND:
        return []
    return [
        (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
            f"higher "
            "than 10^4, Kubernetes might not be able to track completedIndexes when a big number of "
            "indexes "
            "fail"
        )
    ]
