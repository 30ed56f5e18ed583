"""Events: core/v1 and events.k8s.io/v1 serve the same objects with different field names.

Follows k8s.io/kubernetes `pkg/registry/core/event`, `pkg/apis/core/validation/events.go` and
`pkg/apis/events/v1`.

The server stores Events as core/v1. It validates writes through core/v1 less strictly, because old clients
use core/v1.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.machinery.meta.object_meta import undomained_finalizer_errors
from fakeapi.registry.model.columns import UNKNOWN, Cell, at, since
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.deletion_policies import delete_alone
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

GROUP = "events.k8s.io"
TEXT_LENGTH_MAX = 128
"""Maximum size of `reportingInstance`, `action` and `reason` in bytes."""
NOTE_LENGTH_MAX = 1024

_NEW_NAMES = {
    "kind": "kind",
    "apiVersion": "apiVersion",
    "metadata": "metadata",
    "eventTime": "eventTime",
    "series": "series",
    "reportingComponent": "reportingController",
    "reportingInstance": "reportingInstance",
    "action": "action",
    "reason": "reason",
    "involvedObject": "regarding",
    "related": "related",
    "message": "note",
    "type": "type",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
"""Maps the core/v1 fields of an Event to their events.k8s.io/v1 names, in the order of events.k8s.io/v1."""

_CORE_FIELDS = (
    "kind",
    "apiVersion",
    "metadata",
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "series",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)
_ALWAYS_WRITTEN = ("reportingComponent", "reportingInstance")
_OF_OBJECT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_IMMUTABLE = (
    ("involvedObject", "core/v1.ObjectReference"),
    ("reason", ""),
    ("message", ""),
    ("source", "core/v1.EventSource"),
    ("firstTimestamp", "time"),
    ("lastTimestamp", "time"),
    ("count", "number"),
    ("reason", ""),
    ("type", ""),
    ("eventTime", "time"),
    ("action", ""),
    ("related", "core/v1.ObjectReference"),
    ("reportingController", ""),
    ("reportingInstance", ""),
)
"""Fields that updates through events.k8s.io cannot change, with the types that errors print."""


class EventStrategy(RulesStrategy):
    """Validates events that clients write through core/v1."""

    creates_on_update: ClassVar[bool] = True
    reporter = "reportingComponent"

    def authorize_create(self, obj: Object) -> list[FieldError]:
        """Returns the errors of a new event, except errors of its metadata.

        The API server reports these errors before errors of the metadata.
        """
        return self._loose_errors(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return self._loose_errors(new)

    def _loose_errors(self, obj: Object) -> list[FieldError]:
        own, about = obj["metadata"].get("namespace", ""), obj["involvedObject"].get("namespace", "")
        elsewhere = invalid("involvedObject.namespace", about, "does not match event.namespace")
        if obj.get("eventTime") is None:
            fits = own == about or (not about and own == "default")
            return [] if fits else [elsewhere]
        errors = [] if about or own in ("default", "kube-system") else [elsewhere]
        reporter, instance = obj.get("reportingComponent", ""), obj.get("reportingInstance", "")
        if not reporter:
            errors.append(required(self.reporter))
        unit = self._rules.quirks.wording.length_unit
        errors += [
            invalid(self.reporter, reporter, message) for message in names.is_qualified_name(reporter, unit)
        ]
        for field, text in (
            ("reportingInstance", instance),
            ("action", obj.get("action", "")),
            ("reason", obj.get("reason", "")),
        ):
            if not text:
                errors.append(required(field))
            errors += _length_errors(field, text, TEXT_LENGTH_MAX)
        return errors + _length_errors("message", obj.get("message", ""), NOTE_LENGTH_MAX)


class NewEventStrategy(EventStrategy):
    """Validates events that clients write through events.k8s.io. The rules are stricter than for core/v1."""

    reporter = "reportingController"

    def validate_create(self, obj: Object) -> list[FieldError]:
        name = obj["metadata"].get("name", "")
        errors = [invalid("metadata.name", name, message) for message in names.is_dns1123_subdomain(name)]
        errors += undomained_finalizer_errors(obj["metadata"], "metadata")
        errors += _series_errors(obj)
        if obj.get("eventTime") is None:
            errors.append(required("eventTime"))
        kind = obj.get("type", "")
        if kind not in ("Normal", "Warning"):
            errors.append(invalid("type", "", f"has invalid value: {kind}"))
        set_before = [
            name for name in ("firstTimestamp", "lastTimestamp", "count", "source") if obj.get(name)
        ]
        return errors + [invalid(field, "", "needs to be unset") for field in set_before]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*self._loose_errors(new), *metadata.of_change]
        errors += undomained_finalizer_errors(new["metadata"], "metadata")
        if not semantically_equal(new.get("series"), old.get("series")):
            errors += _series_errors(new)
        for field, kind in _IMMUTABLE:
            name = "reportingComponent" if field == "reportingController" else field
            if not semantically_equal(new.get(name), old.get(name)):
                errors.append(invalid(field, self._printed(new.get(name), kind), FIELD_IMMUTABLE))
        return errors

    def _printed(self, value: Any, kind: str) -> Any:
        if kind == "time":
            return self._rules.quirks.wording.time(value, zero="0001-01-01 00:00:00 +0000 UTC")
        if "/" in kind:
            return printed_struct(value, kind, self._rules)
        return value or (0 if kind == "number" else "")


def _length_errors(field: str, text: str, most: int) -> list[FieldError]:
    too_long = names.byte_length(text) > most
    return [invalid(field, "", f"can have at most {most} characters")] if too_long else []


def _series_errors(obj: Object) -> list[FieldError]:
    series = obj.get("series")
    if series is None:
        return []
    errors: list[FieldError] = []
    if series.get("count", 0) < 2:
        errors.append(invalid("series.count", "", "should be at least 2"))
    if series.get("lastObservedTime") is None:
        errors.append(required("series.lastObservedTime"))
    return errors


def _to_hub(obj: Object) -> Object:
    converted = {old: obj[new] for old, new in _NEW_NAMES.items() if new in obj}
    converted |= {name: converted.get(name, "") for name in _ALWAYS_WRITTEN}
    if (series := converted.get("series")) is not None:
        converted["series"] = {name: value for name, value in series.items() if name != "count" or value}
    return {name: converted[name] for name in _CORE_FIELDS if name in converted}


def _from_hub(obj: Object) -> Object:
    converted = {
        new: obj[old]
        for old, new in _NEW_NAMES.items()
        if old in obj and (obj[old] != "" or old not in _ALWAYS_WRITTEN)
    }
    if (series := converted.get("series")) is not None:
        converted["series"] = {"count": 0, **series}
    return converted


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": NewEventStrategy(rules) if kind.group == GROUP else EventStrategy(rules)}


def _field_labels(kind: Kind) -> FieldLabels:
    if kind.group == GROUP:
        own = (*(f"regarding.{name}" for name in _OF_OBJECT), "reportingController")
    else:
        own = (*(f"involvedObject.{name}" for name in _OF_OBJECT), "reportingComponent", "source")
    return FieldLabels((*own, "reason", "type", NAMESPACE, NAME), NOT_SUPPORTED, _fields)


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    """Returns the values of an event for field selectors, by the field names in v1 and in events.k8s.io."""
    about, reporter = obj["involvedObject"], obj.get("reportingComponent", "")
    of_object = {name: about.get(name, "") for name in _OF_OBJECT}
    return {
        **{f"involvedObject.{name}": value for name, value in of_object.items()},
        **{f"regarding.{name}": value for name, value in of_object.items()},
        "reason": obj.get("reason", ""),
        "reportingComponent": reporter,
        "reportingController": reporter,
        "source": obj["source"].get("component") or reporter,
        "type": obj.get("type", ""),
    }


def _first_seen(obj: Object, now: float) -> str:
    return since(obj.get("firstTimestamp") or obj.get("eventTime"), now)


def _last_seen(obj: Object, now: float) -> str:
    series = obj.get("series")
    if series is not None:
        return since(series.get("lastObservedTime"), now)
    last = since(obj.get("lastTimestamp"), now)
    return _first_seen(obj, now) if last == UNKNOWN else last


def _object(obj: Object, now: float) -> str:
    about = obj["involvedObject"]
    kind, name = about.get("kind", "").lower(), about.get("name", "")
    return f"{kind}/{name}" if name else kind


def _source(obj: Object, now: float) -> str:
    component = obj["source"].get("component") or obj.get("reportingComponent", "")
    instance = obj["source"].get("host") or obj.get("reportingInstance", "")
    return f"{component}, {instance}" if instance else component


def _count(obj: Object, now: float) -> int:
    series = obj.get("series")
    return obj.get("count") or 1 if series is None else series.get("count", 0)


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Last Seen": _last_seen,
        "Type": at("type"),
        "Reason": at("reason"),
        "Object": _object,
        "Subobject": at("involvedObject", "fieldPath"),
        "Source": _source,
        "Message": lambda obj, now: obj.get("message", "").strip(),
        "First Seen": _first_seen,
        "Count": _count,
    }


EVENT = KindDefinition(
    group="",
    also_in=frozenset((GROUP,)),
    resource="events",
    strategies=_strategies,
    deletion=delete_alone,
    conversions={f"{GROUP}/v1": Conversion(_to_hub, _from_hub)},
    name_validator=names.name_is_path_segment,
    field_labels=_field_labels,
    cells=_cells,
    core_metadata=False,
)
