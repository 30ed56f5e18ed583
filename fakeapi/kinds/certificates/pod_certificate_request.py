"""PodCertificateRequest of certificates.k8s.io: a kubelet's request for a certificate of a pod.

Follows k8s.io/kubernetes `pkg/registry/certificates/podcertificaterequest`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.certificates.pod_request_status import DECIDED, validate_status
from fakeapi.kinds.certificates.pod_request_validation import validate_pod_request
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

_LABELS = ("spec.signerName", "spec.podName", "spec.nodeName")


class PodRequestStrategy(StatusKeptStrategy):
    """Strategy for creates and updates of PodCertificateRequests. Rejects changes of the spec."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, kind: Kind, rules: ReleaseRules) -> None:
        self._rules = rules
        self._spec = f"certificates/{kind.version}.PodCertificateRequestSpec"

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_pod_request(obj["spec"], self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_change,
            *validate_immutable_struct(new["spec"], old["spec"], "spec", self._spec, self._rules),
        ]


class PodRequestStatusStrategy(StatusOnlyStrategy, PodRequestStrategy):
    """Strategy for `/status` of PodCertificateRequests.

    The status is immutable once the request is issued, denied or failed.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def __init__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> None:
        super().__init__(kind, rules)
        self._context = context

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        if metadata.of_change:
            return [*metadata.of_change]
        return validate_status(new, old, self._context.now(), self._rules)


class ResettingPodRequestStrategy(PodRequestStrategy):
    """Strategy for PodCertificateRequests in releases with the quirk `pod_certificates_reset_fields`."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)


class ResettingPodRequestStatusStrategy(PodRequestStatusStrategy):
    """Strategy for `/status` in releases with the quirk `pod_certificates_reset_fields`."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    if rules.quirks.pod_certificates_reset_fields:
        return {
            "": ResettingPodRequestStrategy(kind, rules),
            "status": ResettingPodRequestStatusStrategy(kind, rules, context),
        }
    return {"": PodRequestStrategy(kind, rules), "status": PodRequestStatusStrategy(kind, rules, context)}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "PodName": lambda obj, now: obj["spec"].get("podName", ""),
        "ServiceAccountName": lambda obj, now: obj["spec"].get("serviceAccountName", ""),
        "NodeName": lambda obj, now: obj["spec"].get("nodeName", ""),
        "SignerName": lambda obj, now: obj["spec"].get("signerName", ""),
        "State": _state,
        "UnverifiedUserAnnotations": _annotations,
    }


def _state(obj: Object, now: float) -> str:
    kinds = [
        condition["type"]
        for condition in obj["status"].get("conditions") or ()
        if condition["type"] in DECIDED
    ]
    return kinds[-1] if kinds else "Pending"


def _annotations(obj: Object, now: float) -> str:
    annotations = obj["spec"].get("unverifiedUserAnnotations") or {}
    return ",".join(f"{key}={value}" for key, value in sorted(annotations.items())) or "<none>"


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    return {label: obj["spec"].get(label.partition(".")[2], "") for label in _LABELS}


POD_CERTIFICATE_REQUEST = KindDefinition(
    group="certificates.k8s.io",
    resource="podcertificaterequests",
    strategies=_strategies,
    field_labels=lambda kind: FieldLabels((NAME, *_LABELS), NOT_SUPPORTED, _fields),
    cells=_cells,
)
