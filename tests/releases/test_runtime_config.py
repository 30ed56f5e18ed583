"""Group versions are enabled and disabled as with kube-apiserver's option `--runtime-config`."""

import pytest

from fakeapi.releases import RuntimeConfigError, served
from fakeapi.releases.runtime_config import (
    EnabledAPIs,
    check_groups,
    enabled_apis,
    parse_runtime_config,
)
from fakeapi.releases.tables import tables_of

GROUP = "resource.k8s.io"


def enabled(text: str, release: str = "1.33") -> EnabledAPIs:
    tables = tables_of(release).index.group_versions
    settings = parse_runtime_config(text)
    check_groups(settings, tables)
    return enabled_apis(tables, settings)


def versions_on(text: str, group: str, release: str = "1.33") -> list[str]:
    enabled_names = enabled(text, release).versions
    return [version for (each, version), on in enabled_names.items() if each == group and on]


def test_settings_are_read_with_spaces_empty_parts_and_keys_without_a_value() -> None:
    assert parse_runtime_config("") == parse_runtime_config(",") == {}
    assert parse_runtime_config(" apps/v1 = false ,batch/v1,apps/v1=1") == {"apps/v1": "1", "batch/v1": ""}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("api/all=false", "invalid runtime-config with only api/all=false"),
        ("api/beta=1", "invalid value api/beta=1"),
        ("api/ga", "invalid value api/ga="),
        ("v1=true", "runtime-config invalid key v1"),
        ("a/b/c/d=true", "runtime-config invalid key a/b/c/d"),
        (
            "apps/v1=yes",
            'invalid value of apps/v1: yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
        ),
        (
            "apps/v1/Deployments=true",
            (
                "invalid key apps/v1/Deployments: "
                'group/version/resource and resource is always lowercase plural, not "Deployments"'
            ),
        ),
        ("none.example.com/v1=true,api/v1=true", "unknown api groups api/v1,none.example.com/v1"),
        ("apps/v7=true", "group version apps/v7 that has not been registered"),
        ("/v2=true", "group version v2 that has not been registered"),
    ],
)
def test_a_setting_is_refused_in_the_words_of_kubernetes(text: str, message: str) -> None:
    with pytest.raises(RuntimeConfigError) as refused:
        enabled(text)
    assert str(refused.value) == message


def test_unasked_the_stable_versions_are_on_and_all_of_resource_k8s_io() -> None:
    assert versions_on("", "storage.k8s.io") == ["v1"]
    assert versions_on("", GROUP) == ["v1beta2", "v1beta1", "v1alpha3"]
    assert versions_on("", "internal.apiserver.k8s.io") == []


def test_a_resource_that_is_on_in_a_version_that_is_off_says_so_in_the_table() -> None:
    flowcontrol = "flowcontrol.apiserver.k8s.io"
    enabled_names = enabled("", "1.28")
    assert not enabled_names.versions[flowcontrol, "v1beta3"]
    assert enabled_names.has(flowcontrol, "v1beta3", "flowschemas")
    assert not enabled(f"{flowcontrol}/v1beta3=false", "1.28").has(flowcontrol, "v1beta3", "flowschemas")


@pytest.mark.parametrize(
    ("text", "group", "on"),
    [
        ("api/all=true", "storage.k8s.io", ["v1", "v1beta1", "v1alpha1"]),
        ("api/beta=true", "storage.k8s.io", ["v1", "v1beta1"]),
        ("api/alpha=true", "storage.k8s.io", ["v1", "v1alpha1"]),
        ("api/ga=false,storage.k8s.io/v1beta1", "storage.k8s.io", ["v1beta1"]),
        ("api/all=false,storage.k8s.io/v1=true", "storage.k8s.io", ["v1"]),
        ("api/beta=false,api/all=true", GROUP, ["v1alpha3"]),
        (f"{GROUP}/v1beta1=false", GROUP, ["v1beta2", "v1alpha3"]),
        (f"api/alpha=false,{GROUP}/v1alpha3=true", GROUP, ["v1beta2", "v1beta1", "v1alpha3"]),
    ],
)
def test_versions_are_set_by_stage_first_and_then_by_name(text: str, group: str, on: list[str]) -> None:
    assert versions_on(text, group) == on


def test_a_resource_is_set_whatever_its_version_is() -> None:
    enabled_names = enabled("storage.k8s.io/v1beta1/volumeattributesclasses,storage.k8s.io/v1/csinodes=false")
    assert enabled_names.has("storage.k8s.io", "v1beta1", "volumeattributesclasses")
    assert not enabled_names.has("storage.k8s.io", "v1", "csinodes")
    assert enabled_names.has("storage.k8s.io", "v1", "csidrivers")


def test_a_server_serves_what_is_on() -> None:
    only_beta = served("1.33", runtime_config=f"{GROUP}/v1alpha3=false,{GROUP}/v1beta1/deviceclasses=false")
    claims = [each for each in only_beta.versions if each.group == GROUP]
    assert [each.version for each in claims] == ["v1beta2", "v1beta1"]
    assert "deviceclasses" not in [kind.resource for kind in claims[-1].kinds]


def test_side_by_side_a_setting_holds_for_the_releases_that_have_what_it_names() -> None:
    serving = served(runtime_config=f"{GROUP}/v1alpha2=false,{GROUP}/v1beta2=false")
    left = [each.version for each in serving.versions if each.group == GROUP]
    assert left == ["v1", "v1beta1", "v1alpha3"]


def test_namespaces_cannot_be_switched_off() -> None:
    with pytest.raises(RuntimeConfigError, match="namespaces of v1 cannot be switched off"):
        served(runtime_config="/v1=false")
