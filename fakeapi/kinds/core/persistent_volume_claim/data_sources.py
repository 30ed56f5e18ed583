"""Makes `dataSource` and `dataSourceRef` of a PersistentVolumeClaim equal.

Follows `NormalizeDataSources` and `EnforceDataSourceBackwardsCompatibility` of k8s.io/kubernetes
`pkg/api/persistentvolumeclaim`.
"""

from typing import Final

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases.rules import ReleaseRules

ANY_SOURCE: Final = "AnyVolumeDataSource"
CROSS_NAMESPACE: Final = "CrossNamespaceVolumeDataSource"
_KNOWN: Final = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def drop_reference_across_namespaces(claim: Object) -> None:
    """Drops `dataSourceRef` from a claim, in place, if the reference contains a namespace."""
    if (claim["spec"].get("dataSourceRef") or {}).get("namespace"):
        del claim["spec"]["dataSourceRef"]


def with_known_source(spec: Object, before: Object | None) -> Object:
    """Returns the spec without an unsupported `dataSource`.

    A `dataSource` without `dataSourceRef` must be a PersistentVolumeClaim or a VolumeSnapshot. An update
    keeps every `dataSource` if the old spec has a data source. `before`: the old spec; None for a new claim.
    """
    if before is not None and (before.get("dataSource") or before.get("dataSourceRef")) is not None:
        return spec
    source = spec.get("dataSource")
    if spec.get("dataSourceRef") is not None or source is None:
        return spec
    if (source.get("apiGroup") or "", source.get("kind", "")) in _KNOWN:
        return spec
    return {name: value for name, value in spec.items() if name != "dataSource"}


def with_matching_sources(spec: Object, spec_type: Struct, rules: ReleaseRules) -> Object:
    """Returns the spec with a missing `dataSource` or `dataSourceRef` copied from the other field.

    Does not copy a `dataSourceRef` with a namespace, because `dataSource` has no namespace. Returns the spec
    unchanged while the gate AnyVolumeDataSource is off.
    """
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if rules.drops(ANY_SOURCE) or (source is None) == (reference is None):
        return spec
    if source is not None:
        return _in_order({**spec, "dataSourceRef": _local(source)}, spec_type)
    if reference is None or reference.get("namespace"):
        return spec
    return _in_order({**spec, "dataSource": _local(reference)}, spec_type)


def _local(reference: Object) -> Object:
    return {name: reference[name] for name in ("apiGroup", "kind", "name") if name in reference}


def _in_order(spec: Object, spec_type: Struct) -> Object:
    return {name: spec[name] for name in spec_type.fields if name in spec}
