"""Validates `spec.resourceClaims` of pods.

Follows `validatePodResourceClaims` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.invalid_texts import each_invalid, validate_dns_label
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.core.pod.mirror_pods import MIRROR
from fakeapi.kinds.core.pod.validation.checks import NO_PATH, Errors, PodChecks
from fakeapi.machinery.field_errors import duplicate, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names


def claim_errors(spec: Object, metadata: Object | None, path: str, checks: PodChecks) -> Errors:
    """Validates `resourceClaims` of a pod spec.

    - `metadata`: the metadata of the pod; None for a pod template
    - `path`: the path of the spec
    """
    seen: set[str] = set()
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        place = f"{path}.resourceClaims[{index}]"
        is_static = MIRROR in ((metadata or {}).get("annotations") or {})
        if is_static and checks.quirks.static_pods_have_no_claims:
            yield forbidden(NO_PATH, "static pods do not support resource claims")
            continue
        name = claim.get("name", "")
        if not name:
            yield required(f"{place}.name")
        elif name in seen:
            yield duplicate(f"{place}.name", name)
        else:
            yield from _name_errors(claim, metadata, f"{place}.name", checks)
            seen.add(name)
        if checks.quirks.claim_references_have_a_source:
            yield from _source_errors(claim.get("source") or {}, "ClaimSource", f"{place}.source", checks)
        else:
            yield from _source_errors(claim, "PodResourceClaim", place, checks)


def _name_errors(claim: Object, metadata: Object | None, path: str, checks: PodChecks) -> Errors:
    name = claim["name"]
    errors = validate_dns_label(name, path)
    yield from errors
    has_source = checks.quirks.claim_references_have_a_source
    if errors or metadata is None or not has_source:
        return
    if "resourceClaimTemplateName" in (claim.get("source") or {}):
        claim_name = f"{metadata.get('name', '')}-{name}"
        messages = names.name_is_dns_subdomain(claim_name, False)
        yield from each_invalid(
            path, claim_name, [f"final ResourceClaim name: {message}" for message in messages]
        )


def _source_errors(source: Object, type_name: str, path: str, checks: PodChecks) -> Errors:
    fields = ("resourceClaimName", "resourceClaimTemplateName")
    present = [name for name in fields if name in source]
    if len(present) > 1:
        rule = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, printed_struct(source, f"core/v1.{type_name}", checks.rules), rule)
    if not present:
        rule = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid(path, printed_struct(source, f"core/v1.{type_name}", checks.rules), rule)
    for name in present:
        messages = names.name_is_dns_subdomain(source[name], False)
        yield from each_invalid(f"{path}.{name}", source[name], messages)
