"""Defines the kind CSIDriver of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/csidriver` and `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_incremented_generation
from fakeapi.registry.model.semantic_equality import semantically_equal, validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

FS_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
LIFECYCLE_MODES: Final = ("Persistent", "Ephemeral")
TOKEN_SECONDS_MIN: Final = 600
TOKEN_SECONDS_MAX: Final = 1 << 32
UPDATE_PERIOD_MIN: Final = 10

SE_LINUX_MOUNT: Final = "SELinuxMountReadWriteOncePod"
ALLOCATABLE_COUNT: Final = "MutableCSINodeAllocatableCount"
TOKENS_IN_SECRETS: Final = "CSIServiceAccountTokenSecrets"
VOLUME_LIMIT_SCALING: Final = "VolumeLimitScaling"
GATED_FIELDS: Final = (
    GatedFields(SE_LINUX_MOUNT, ("spec.seLinuxMount",)),
    GatedFields(ALLOCATABLE_COUNT, ("spec.nodeAllocatableUpdatePeriodSeconds",)),
    GatedFields(TOKENS_IN_SECRETS, ("spec.serviceAccountTokenInSecrets",)),
    GatedFields(VOLUME_LIMIT_SCALING, ("spec.preventPodSchedulingIfMissing",)),
)
"""Fields of a CSIDriver that the server drops while their feature gate is off.

Follows `PrepareForCreate` of k8s.io/kubernetes `pkg/registry/storage/csidriver`.
"""
_TOKENS_WARNING: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent "
    "possible logging of tokens in volume attributes"
)
_GENERATION_FIELDS: Final = ("tokenRequests", "requiresRepublish", "seLinuxMount")
"""Fields whose changes increment the generation up to 1.29. From 1.30 on, all changes of the spec increment
it.
"""


class CSIDriverStrategy(RulesStrategy):
    """Strategy for CSIDrivers. Rejects changes of `attachRequired` and `volumeLifecycleModes`.

    Up to 1.29 `fsGroupPolicy` and `podInfoOnMount` are also immutable.
    """

    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        return drop_disabled_fields(obj, None, GATED_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = drop_disabled_fields(new, old, GATED_FIELDS, self._rules)
        if self._is_new_generation(new["spec"], old["spec"]):
            new = with_incremented_generation(new, old)
        return new

    def _is_new_generation(self, new: Object, old: Object) -> bool:
        if self._rules.quirks.csi_drivers_may_change:
            return not semantically_equal(new, old)
        return any(not semantically_equal(new.get(name), old.get(name)) for name in _GENERATION_FIELDS)

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = [
            required(f"spec.{path_name}")
            for name, path_name in (
                ("attachRequired", "attachedRequired"),
                ("podInfoOnMount", "podInfoOnMount"),
                ("storageCapacity", "storageCapacity"),
            )
            if spec.get(name) is None
        ]
        policy = spec.get("fsGroupPolicy")
        if policy is not None and policy not in FS_GROUP_POLICIES:
            errors.append(not_supported("spec.fsGroupPolicy", policy, FS_GROUP_POLICIES))
        errors += _validate_token_requests(spec)
        errors += [
            not_supported("spec.volumeLifecycleModes", mode, LIFECYCLE_MODES)
            for mode in spec.get("volumeLifecycleModes") or ()
            if mode not in LIFECYCLE_MODES
        ]
        period = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if period is not None and period < UPDATE_PERIOD_MIN:
            rule = "must be greater than or equal to 10 seconds"
            errors.append(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, rule))
        in_secrets = spec.get("serviceAccountTokenInSecrets")
        if in_secrets is not None and not spec.get("tokenRequests"):
            rule = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
            errors.append(invalid("spec.serviceAccountTokenInSecrets", in_secrets, rule))
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change, *self.validate_create(new)]
        fixed = ["attachRequired", "volumeLifecycleModes"]
        if not self._rules.quirks.csi_drivers_may_change:
            fixed[1:1] = ["fsGroupPolicy", "podInfoOnMount"]
        for name in fixed:
            path = "spec." + ("attachedRequired" if name == "attachRequired" else name)
            errors += validate_immutable(new["spec"].get(name), old["spec"].get(name), path, self._printed)
        if not self._rules.quirks.csi_drivers_may_change:
            errors += _validate_token_requests(new["spec"])
        return errors

    def _printed(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return printed_strings(value, self._rules.quirks.wording, "[]storage.VolumeLifecycleMode")

    def warnings_on_create(self, obj: Object) -> list[str]:
        spec = obj["spec"]
        warns = self._knows_tokens_in_secrets and spec.get("tokenRequests")
        return [_TOKENS_WARNING] if warns and spec.get("serviceAccountTokenInSecrets") is None else []

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = semantically_equal(new["spec"].get("tokenRequests"), old["spec"].get("tokenRequests"))
        return [] if same else self.warnings_on_create(new)

    @property
    def _knows_tokens_in_secrets(self) -> bool:
        return self._rules.quirks.csi_drivers_know_secrets and not self._rules.drops(TOKENS_IN_SECRETS)


def _validate_token_requests(spec: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    known: set[str] = set()
    for index, request in enumerate(spec.get("tokenRequests") or ()):
        path = f"spec.tokenRequests[{index}]"
        audience, seconds = request["audience"], request.get("expirationSeconds")
        if audience in known:
            errors.append(duplicate(f"{path}.audience", audience))
            continue
        known.add(audience)
        if seconds is not None and seconds < TOKEN_SECONDS_MIN:
            rule = "may not specify a duration less than 10 minutes"
            errors.append(invalid(f"{path}.expirationSeconds", seconds, rule))
        if seconds is not None and seconds > TOKEN_SECONDS_MAX:
            rule = "may not specify a duration larger than 2^32 seconds"
            errors.append(invalid(f"{path}.expirationSeconds", seconds, rule))
    return errors


def _flag(name: str, default: bool) -> Cell:  # noqa: FBT001 - the value of an absent field
    def cell(obj: Object, now: float) -> bool:
        value: bool | None = obj["spec"].get(name)
        return default if value is None else value

    return cell


def _audiences(obj: Object, now: float) -> str:
    requests = obj["spec"].get("tokenRequests")
    return "<unset>" if requests is None else ",".join(request["audience"] for request in requests)


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "AttachRequired": _flag("attachRequired", True),
        "PodInfoOnMount": _flag("podInfoOnMount", False),
        "StorageCapacity": _flag("storageCapacity", False),
        "TokenRequests": _audiences,
        "RequiresRepublish": _flag("requiresRepublish", False),
        "Modes": lambda obj, now: ",".join(obj["spec"].get("volumeLifecycleModes") or ()) or "<none>",
    }


CSI_DRIVER = KindDefinition(
    group="storage.k8s.io", resource="csidrivers", strategies=of_rules(CSIDriverStrategy), cells=_cells
)
