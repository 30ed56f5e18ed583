"""API versions are sorted as in k8s.io/apimachinery `pkg/version`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.releases import COMPILED_RELEASES
from fakeapi.releases.tables import tables_of
from fakeapi.releases.version_order import version_rank

IN_ORDER = ["v10", "v2", "v1", "v2beta2", "v1beta10", "v1beta3", "v12alpha1", "v11alpha2", "foo1", "foo10"]


@given(st.permutations(IN_ORDER))
@settings(max_examples=30, derandomize=True)
def test_stable_comes_before_beta_before_alpha_before_other_names(shuffled: list[str]) -> None:
    assert sorted(shuffled, key=version_rank, reverse=True) == IN_ORDER


@pytest.mark.parametrize("name", ["v", "v1beta", "V1", "v1rc1", "1", "v1\n", "v" + "9" * 5000])
def test_a_name_of_another_form_is_no_version(name: str) -> None:
    assert version_rank(name) < version_rank("v1alpha1")


@given(st.text(), st.text())
@settings(max_examples=50, derandomize=True)
def test_different_names_of_other_forms_have_different_ranks(one: str, other: str) -> None:
    assert (version_rank(one) == version_rank(other)) == (one == other)


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_discovery_lists_the_versions_of_a_group_in_this_order(release: str) -> None:
    versions = tables_of(release).index.group_versions
    for group in {each.group for each in versions}:
        listed = [each.version for each in versions if each.group == group]
        assert listed == sorted(listed, key=version_rank, reverse=True), group
