"""Creates the rules for how a release interprets the OpenAPI schemas of custom resources.

Sources are k8s.io/apiextensions-apiserver `pkg/apiserver` and k8s.io/kube-openapi `pkg/validation` at the
release's last patch.
"""

from typing import Any

from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.releases.history import value_at
from fakeapi.releases.release import Release

HISTORY: dict[str, dict[int, Any]] = {
    "knows_bare_mac": {27: False, 34: True},
    "correlates_free_members": {27: True, 33: False},
    "knows_name_formats": {27: False, 34: True},
    "warns_of_formats": {27: False, 34: True},
    "formats_follow_types": {27: False, 36: True},
    "count_of_properties_ends_check": {27: True, 28: False},
    "documents_are_structural": {27: False, 36: True},
    "branches_may_refuse_others": {27: False, 31: True},
    "rule_errors_name_member": {27: True, 34: False},
    "missing_type_meta": {27: "must not be empty", 34: ""},
}
"""Maps each rule to its values by the first minor release that has them."""


def schema_rules_of(release: Release) -> SchemaRules:
    """Returns the rules for the OpenAPI schemas of custom resources in a release with its feature gates."""
    facts = {rule: value_at(changes, release.minor) for rule, changes in HISTORY.items()}
    ratchets = release.gates.get("CRDValidationRatcheting", False)
    return SchemaRules(
        words=release.quirks.wording,
        too_long=release.quirks.too_long_name,
        ratchets=ratchets,
        **facts,
    )
