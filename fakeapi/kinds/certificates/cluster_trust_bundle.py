"""Defines the kind ClusterTrustBundle of certificates.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/certificates/clustertrustbundle` and
`pkg/apis/certificates/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.certificates.pem import CERTIFICATE, Block, authority_of, blocks
from fakeapi.kinds.common.signer_names import is_bundle_name, validate_signer_name
from fakeapi.machinery.field_errors import FieldError, invalid, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.machinery.meta.names import byte_length
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

BUNDLE_MAX = 1024 * 1024
_BUNDLE, _OMITTED = "spec.trustBundle", "<value omitted>"


class TrustBundleStrategy(RulesStrategy):
    """Strategy for ClusterTrustBundles. Rejects changes of the signer."""

    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._errors(obj, parses=True)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = new["spec"]["trustBundle"] != old["spec"]["trustBundle"]
        signer, before = new["spec"].get("signerName", ""), old["spec"].get("signerName", "")
        return [
            *metadata.of_object,
            *self._errors(new, parses=changed),
            *metadata.of_change,
            *validate_immutable(signer, before, "spec.signerName"),
        ]

    def _errors(self, obj: Object, *, parses: bool) -> list[FieldError]:
        name, spec = obj["metadata"].get("name", ""), obj["spec"]
        signer = spec.get("signerName", "")
        errors = [invalid("metadata.name", name, why) for why in is_bundle_name(name, signer) if name]
        if signer:
            errors += validate_signer_name(signer, "spec.signerName", self._rules.quirks.wording)
        return errors + (self._bundle_errors(spec["trustBundle"]) if parses else [])

    def _bundle_errors(self, text: str) -> list[FieldError]:
        if byte_length(text) > BUNDLE_MAX:
            return [too_long(_BUNDLE, BUNDLE_MAX, self._rules.quirks.too_long)]
        anchors: dict[bytes, list[int]] = {}
        errors: list[FieldError] = []
        for index, block in enumerate(blocks(text.encode())):
            problem = _problem(block)
            if problem:
                errors.append(invalid(_BUNDLE, _OMITTED, f"entry {index} {problem}"))
            else:
                anchors.setdefault(block.content, []).append(index)
        if errors:
            return errors
        if not anchors:
            return [invalid(_BUNDLE, _OMITTED, "at least one trust anchor must be provided")]
        return [
            invalid(_BUNDLE, _OMITTED, f"duplicate trust anchor (indices [{' '.join(map(str, places))}])")
            for places in anchors.values()
            if len(places) > 1
        ]


def _problem(block: Block) -> str:
    if block.label != CERTIFICATE:
        return f"has bad block type: {block.label}"
    if block.headers:
        return "has PEM block headers"
    authority = authority_of(block)
    if authority is None:
        return "does not parse as X.509"
    return "" if authority else "does not have the CA bit set"


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"SignerName": lambda obj, now: obj["spec"].get("signerName") or "<none>"}


def _signer(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"spec.signerName": obj["spec"].get("signerName", "")}


def _any_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    """Accepts every name, because `TrustBundleStrategy` checks the name together with the signer."""
    return []


CLUSTER_TRUST_BUNDLE = KindDefinition(
    group="certificates.k8s.io",
    resource="clustertrustbundles",
    strategies=of_rules(TrustBundleStrategy),
    name_validator=_any_name,
    field_labels=lambda kind: FieldLabels((NAME, "spec.signerName"), NOT_SUPPORTED, _signer),
    cells=_cells,
)
