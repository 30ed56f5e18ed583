"""Numbers outside the range of float64 in a request body are refused or kept as text."""

import pytest

from fakeapi import FakeAPI, StatusError

NUMBER = "1" + "0" * 400
CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
PARAMETERS = (
    '{"spec":{"devices":{"config":[{"opaque":{"driver":"d.example.com","parameters":{"a":NUMBER}}}]}}}'
).replace("NUMBER", NUMBER)
GENERATION = (
    '{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"a","generation":NUMBER}}'
).replace("NUMBER", NUMBER)
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}


def sent(api: FakeAPI, method: str, path: str, body: str, media: str) -> StatusError:
    with pytest.raises(StatusError) as refused:
        api.request(method, path, body, content_type=f"application/{media}")
    return refused.value


def test_an_applied_number_is_read_as_yaml_reads_it() -> None:
    with FakeAPI(release="1.33") as api:
        path = f"{CLAIMS}/a?fieldManager=m"
        refused = sent(api, "PATCH", path, GENERATION, "apply-patch+yaml")
    assert ".metadata.generation: expected numeric (int or float), got string" in str(refused)


@pytest.mark.parametrize("media", ["merge-patch+json", "strategic-merge-patch+json"])
def test_a_patched_number_within_a_drivers_own_values_is_refused(media: str) -> None:
    with FakeAPI(release="1.33") as api:
        api.create(
            {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", "metadata": {"name": "a"}}
        )
        refused = sent(api, "PATCH", f"{CLAIMS}/a", PARAMETERS, media)
    assert refused.code in {400, 422}


def test_a_custom_objects_number_is_refused_in_the_words_of_go() -> None:
    with FakeAPI(release="1.33") as api:
        api.create(DEFINITION)
        body = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"n":NUMBER}'
        body = body.replace("NUMBER", NUMBER)
        refused = sent(api, "POST", "/apis/example.com/v1/namespaces/default/things", body, "json")
    assert refused.code == 400
    assert f"json: cannot unmarshal number {NUMBER} into Go value of type float64" in str(refused)
