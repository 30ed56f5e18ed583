"""With the feature gate CBORServingAndStorage, the server accepts and sends CBOR."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.cbor.decoding import decode, split
from fakeapi.machinery.cbor.encoding import encode
from fakeapi.testing.server import FakeAPI
from tests.http import wire
from tests.http.asking import ask

MAPS = "/api/v1/namespaces/default/configmaps"
CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
CBOR, SEQUENCE, APPLY = "application/cbor", "application/cbor-seq", "application/apply-patch+cbor"
UNREADABLE = "unable to determine group/version/kind"
TOO_MANY = "exceeded max number of elements 1024 for CBOR array"
UNKNOWN = "the body of the request was in an unknown format - accepted media types include"
OFFERED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33", feature_gates={"CBORServingAndStorage": True})


def send(api: FakeAPI, path: str, data: bytes, method: str = "POST", **headers: str) -> wire.Answer:
    named = {"content_type": CBOR, "accept": CBOR, **headers}
    lines = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Length", b"%d" % len(data))]
    lines += [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return wire.exchange(api.url, wire.head(method.encode(), path.encode(), lines) + data)


def config_map(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, **more}


def test_an_object_is_taken_and_answered_in_cbor(api: FakeAPI) -> None:
    answer = send(api, MAPS, encode(config_map("a", data={"x": "y"}, binaryData={"k": "AAEC"})))
    assert (answer.code, answer.headers["content-type"]) == (201, CBOR)
    assert answer.body.startswith(b"\xd9\xd9\xf7")
    assert decode(answer.body) == ask(api, f"{MAPS}/a").json()
    assert b"\x41k\xd6\x43\x00\x01\x02" in answer.body, "bytes are sent as bytes"
    listed = ask(api, MAPS, accept=CBOR)
    assert decode(listed.body)["items"][0]["binaryData"] == {"k": "AAEC"}
    changed = send(api, f"{MAPS}/a", encode(config_map("a", data={"x": "z"})), "PUT")
    assert decode(changed.body)["data"] == {"x": "z"}
    gone = send(api, f"{MAPS}/a", encode({"kind": "DeleteOptions", "apiVersion": "v1"}), "DELETE")
    assert decode(gone.body)["status"] == "Success"


def test_a_driver_s_parameters_are_kept_as_json(api: FakeAPI) -> None:
    parameters = {"a": [1, 1.5, None, True, {"z": "y"}]}
    config = [{"opaque": {"driver": "d.example.com", "parameters": parameters}}]
    requests = [{"name": "r", "deviceClassName": "c"}]
    claim = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": requests, "config": config}}}
    assert send(api, CLAIMS, encode(claim)).code == 201
    devices = ask(api, f"{CLAIMS}/c").json()["spec"]["devices"]
    assert devices["config"][0]["opaque"]["parameters"] == parameters
    devices = decode(ask(api, f"{CLAIMS}/c", accept=CBOR).body)["spec"]["devices"]
    assert devices["config"][0]["opaque"]["parameters"] == parameters


def test_a_configuration_is_applied_in_cbor(api: FakeAPI) -> None:
    path = f"{MAPS}/a?fieldManager=m"
    answer = send(api, path, encode(config_map("a", data={"x": "y"})), "PATCH", content_type=APPLY)
    assert answer.code == 201
    manager = decode(answer.body)["metadata"]["managedFields"][0]
    assert (manager["manager"], manager["operation"]) == ("m", "Apply")
    assert manager["fieldsV1"] == {"f:data": {"f:x": {}}}
    refused = send(api, path, b"\xa1", "PATCH", content_type=APPLY)
    assert refused.code == 400
    assert decode(refused.body)["message"] == "error decoding YAML: unexpected EOF"


def test_a_watch_is_a_sequence_of_events(api: FakeAPI) -> None:
    for name in ("a", "b"):
        ask(api, MAPS, "POST", config_map(name))
    for accept in (CBOR, f"{CBOR};stream=watch"):
        answer = ask(api, f"{MAPS}?watch=1&resourceVersion=0&timeoutSeconds=-1", accept=accept)
        assert answer.headers["content-type"] == SEQUENCE
        events = [decode(each) for each in split(answer.body)]
        assert [(each["type"], each["object"]["metadata"]["name"]) for each in events] == [
            ("ADDED", "a"),
            ("ADDED", "b"),
        ]


def test_a_status_is_in_cbor_too_and_in_json_where_cbor_is_not_served(api: FakeAPI) -> None:
    missing = ask(api, f"{MAPS}/x", accept=CBOR)
    assert (missing.code, missing.headers["content-type"]) == (404, CBOR)
    assert decode(missing.body)["reason"] == "NotFound"
    table = ask(api, MAPS, accept=f"{CBOR};as=Table;v=v1;g=meta.k8s.io")
    assert decode(table.body)["kind"] == "Table"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", f"{UNREADABLE}: EOF (<empty>)"),
        (b"\xa1", f"{UNREADABLE}: unexpected EOF (a1)"),
        (b"\x9a\xff\xff\xff\xff", f"{UNREADABLE}: cbor: {TOO_MANY} (9affffffff)"),
    ],
)
def test_malformed_data_is_refused(api: FakeAPI, data: bytes, words: str) -> None:
    refused = send(api, MAPS, data)
    assert refused.code == 400
    start = "the object provided is unrecognized (must be of type ConfigMap): "
    assert decode(refused.body)["message"] == start + words


def test_a_key_that_is_there_twice_is_refused(api: FakeAPI) -> None:
    refused = send(api, MAPS, bytes.fromhex("a14464617461a24161413141614132"))
    assert decode(refused.body)["message"] == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
        'cbor: found duplicate map key "a" at map element index 1'
    )


def test_the_first_unknown_field_is_warned_about_or_refused(api: FakeAPI) -> None:
    body = encode(config_map("a", nope=1, wrong=2))
    refused = send(api, f"{MAPS}?fieldValidation=Strict", body)
    assert decode(refused.body)["message"] == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
        "cbor: found unknown field at map element index 1"
    )
    answer = send(api, f"{MAPS}?fieldValidation=Warn", body)
    assert answer.code == 201
    assert answer.headers["warning"] == '299 - "cbor: found unknown field at map element index 1"'


def test_refusals_list_cbor_where_it_is_served(api: FakeAPI, fakeapi_factory: Callable[..., FakeAPI]) -> None:
    refused = send(api, MAPS, b"", content_type="text/plain", accept="application/json")
    assert (refused.code, json.loads(refused.body)["message"]) == (
        415,
        f"{UNKNOWN}: {OFFERED}, application/cbor",
    )
    for release in ("1.31", "1.33"):
        other = fakeapi_factory(release=release)
        assert send(other, MAPS, b"", accept="application/json").code == 415
        assert ask(other, MAPS, accept=CBOR).code == 406
        assert send(other, f"{MAPS}/a", b"", "PATCH", content_type=APPLY, accept="*/*").code in (406, 415)


def test_an_open_watch_in_cbor_is_sent_each_change(api: FakeAPI) -> None:
    request = urllib.request.Request(f"{api.url}{MAPS}?watch=1", headers={"Accept": CBOR})
    with urllib.request.urlopen(request, timeout=30) as stream:
        assert stream.headers["Content-Type"] == SEQUENCE
        ask(api, MAPS, "POST", config_map("later"))
        event = decode(stream.read1())
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "later")
