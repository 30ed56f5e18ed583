"""Each quirk of Kubernetes' behaviour is set for exactly the releases that have it."""

import re
from itertools import pairwise

import pytest

from fakeapi.releases import Limits, Quirks, load_release
from fakeapi.releases.allocation_quirks import AllocationQuirks
from fakeapi.releases.custom_quirks import CustomQuirks
from fakeapi.releases.history import Changes
from fakeapi.releases.kubelet_quirks import KubeletQuirks
from fakeapi.releases.node_quirks import NodeQuirks
from fakeapi.releases.pod_quirks import PodQuirks
from fakeapi.releases.release import COMPILED_RELEASES
from fakeapi.releases.rule_quirks import RuleQuirks
from fakeapi.releases.workload_quirks import WorkloadQuirks

CLASSES = (
    Quirks,
    PodQuirks,
    WorkloadQuirks,
    CustomQuirks,
    RuleQuirks,
    AllocationQuirks,
    KubeletQuirks,
    NodeQuirks,
    Limits,
)
DECLARED = [
    pytest.param(changes, id=f"{declared.__name__}.{name}")
    for declared in CLASSES
    for name, changes in declared.declared.items()
]


def releases_with(quirk: str) -> list[str]:
    return [name for name in COMPILED_RELEASES if getattr(load_release(name).quirks, quirk) is True]


FROM_1_28, FROM_1_31, FROM_1_32, FROM_1_33, FROM_1_34, FROM_1_35 = (
    list(COMPILED_RELEASES[at:]) for at in (1, 4, 5, 6, 7, 8)
)


@pytest.mark.parametrize(
    ("quirk", "releases"),
    [
        ("addresses_are_canonical", FROM_1_33),
        ("admin_access_needs_label", FROM_1_33),
        ("allocation_is_always_checked", ["1.31"]),
        ("apply_checks_type_first", FROM_1_28),
        ("watch_cache_serves_pages", FROM_1_31),
        ("initial_events_blueprint", ["1.32"]),
        ("list_over_limit_is_too_many", FROM_1_32),
        ("list_keys_may_be_absent", FROM_1_34),
        ("zero_creation_timestamp_is_null", list(COMPILED_RELEASES[:7])),
        ("uid_of_missing_object_conflicts", list(COMPILED_RELEASES[:7])),
        ("delete_body_error_is_500", list(COMPILED_RELEASES[:8])),
        ("openapi_items_have_defaults", list(COMPILED_RELEASES[:9])),
        ("unsafe_deletes_may_be_dry_runs", ["1.37"]),
        ("list_resource_version_error_is_500", list(COMPILED_RELEASES[:6])),
        ("list_parses_resource_version_before_continue", list(COMPILED_RELEASES[:3])),
        ("managed_fields_allow_duplicates", list(COMPILED_RELEASES[2:])),
        ("managed_fields_survive_errors", ["1.37"]),
        ("patches_are_checked_for_audit", ["1.37"]),
        ("node_selector_values_are_checked", FROM_1_32),
        ("request_fields_under_exactly", FROM_1_33),
        ("status_stores_metadata", ["1.27", "1.28", "1.29"]),
        ("distinct_attribute_is_gated", FROM_1_35),
        ("updates_are_checked_once", FROM_1_35),
        ("map_errors_name_the_key", ["1.32", "1.33", "1.34", "1.35"]),
    ],
)
def test_a_quirk_is_shown_by_its_releases(quirk: str, releases: list[str]) -> None:
    assert releases_with(quirk) == releases


@pytest.mark.parametrize("declared", DECLARED)
def test_a_quirk_declares_its_changes_in_order_and_the_upstream_package(declared: Changes) -> None:
    changes, upstream = declared
    assert list(changes) == sorted(changes)
    assert min(changes) == int(COMPILED_RELEASES[0].removeprefix("1."))
    assert all(before != after for before, after in pairwise(changes.values()))
    assert re.fullmatch(r"(pkg|plugin|staging/src/k8s\.io|[a-z0-9.]+\.(io|com))(/[\w.-]+)+", upstream)


@pytest.mark.parametrize("quirk", [*Quirks.declared, *("pods", "workloads", "custom", "rules")])
def test_a_quirk_tells_at_least_two_releases_apart(quirk: str) -> None:
    assert len({getattr(load_release(name).quirks, quirk) for name in COMPILED_RELEASES}) > 1


def test_a_text_beyond_its_limit_is_worded_anew_in_1_32() -> None:
    before, since = load_release("1.31").quirks, load_release("1.32").quirks
    assert before.too_long.format(128) == "must have at most 128 bytes"
    assert before.too_long_name.format(32) == "may not be longer than 32"
    assert since.too_long.format(128) == since.too_long_name.format(128) == "may not be more than 128 bytes"


def test_the_quirks_of_a_release_are_immutable() -> None:
    quirks = load_release("1.31").quirks
    with pytest.raises(AttributeError, match="Quirks is immutable: cannot set too_long"):
        quirks.too_long = "x"
