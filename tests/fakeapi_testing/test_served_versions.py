"""A server serves the default API versions of its release, and the versions that options enable."""

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.releases import RuntimeConfigError

GROUP = "resource.k8s.io"


def test_a_version_that_is_switched_off_is_not_served() -> None:
    with FakeAPI(release="1.34", runtime_config=f"{GROUP}/v1beta1=false,api/alpha=false") as api:
        versions = api.request("GET", f"/apis/{GROUP}")["versions"]
        assert [each["version"] for each in versions] == ["v1", "v1beta2"]
        with pytest.raises(StatusError, match="could not find the requested resource"):
            api.request("GET", f"/apis/{GROUP}/v1beta1/resourceclaims")


def test_a_runtime_config_that_kube_apiserver_refuses_is_refused() -> None:
    with pytest.raises(RuntimeConfigError, match="has not been registered"):
        FakeAPI(release="1.34", runtime_config=f"{GROUP}/v1alpha2=true").start()
