"""Invalid protobuf gets the errors of Kubernetes' generated decoders.

`protobuf_refusals.json` has the results of k8s.io/api v0.33.13 for its sample objects with missing or changed
bytes.
"""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.protobuf_refusals import envelope_error, object_error
from fakeapi.releases.release import kinds_of_release

SAMPLES = json.loads((Path(__file__).parent / "protobuf_refusals.json").read_text())
KINDS = kinds_of_release("1.33")


@pytest.mark.parametrize("sample", SAMPLES, ids=[f"{each['kind']}: {each['error']}" for each in SAMPLES])
def test_what_kubernetes_refuses_is_refused_in_its_words(sample: dict[str, str]) -> None:
    schema = KINDS.type_of(sample["apiVersion"], sample["kind"])
    assert schema is not None
    with pytest.raises(protobuf.ProtobufError) as refused:
        protobuf.decode(protobuf.unwrap(bytes.fromhex(sample["hex"]))[2], schema)
    assert str(refused.value) == sample["error"]


@given(st.binary(max_size=60), st.sampled_from(["ConfigMap", "Pod", "Service", "Event"]))
def test_any_bytes_have_an_error_of_one_line_or_none(data: bytes, kind: str) -> None:
    schema = KINDS.type_of("v1", kind)
    assert schema is not None
    assert "\n" not in object_error(data, schema) + envelope_error(data)
    with contextlib.suppress(protobuf.ProtobufError):
        protobuf.decode(data, schema)
