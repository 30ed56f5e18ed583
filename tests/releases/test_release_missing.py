"""tools/release_missing.py lists the parts of a Kubernetes release that fakeapi lacks."""

import pytest

from fakeapi.releases import offered
from fakeapi.releases.gates import EFFECTIVE
from tools.release_missing import main, missing, to_compare

UNKNOWN = "1.99"


def test_a_release_that_is_not_compiled_lacks_its_tables_and_recordings() -> None:
    lines = list(missing(UNKNOWN))
    assert "tools/modules.py: LAST_PATCHES" in lines
    assert "fakeapi/releases/offered.py: RELEASES" in lines
    assert f"fakeapi/releases/data/{UNKNOWN}/index.json (make releases ARGS={UNKNOWN})" in lines
    assert f"fixtures/traces/conformance/{UNKNOWN}.jsonl.gz" in lines
    assert f"docs/releases.md: does not name {UNKNOWN}" in lines


@pytest.mark.parametrize("release", offered.RELEASES)
def test_no_offered_release_lacks_tables_or_documents(release: str) -> None:
    lines = [line for line in missing(release) if not line.startswith("fixtures/")]
    assert [line for line in lines if not line.startswith(("tests/conformance", "docs/", "CHANGELOG"))] == []


def test_a_new_gate_without_an_effect_is_to_be_compared() -> None:
    lines = list(to_compare("1.37"))
    assert "gate WatchListCompression is new and not in gates.EFFECTIVE: it has no effect here" in lines
    assert not any(line.split()[1] in EFFECTIVE for line in lines if line.startswith("gate "))


def test_a_table_without_a_change_for_the_release_is_to_be_compared() -> None:
    lines = list(to_compare(UNKNOWN))
    assert f"fakeapi/releases/pod_quirks.py records no change for {UNKNOWN}" in lines
    assert f"fakeapi/releases/limits.py records no change for {UNKNOWN}" in lines


def test_a_release_that_lacks_something_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([UNKNOWN]) == 1
    assert f"Missing for {UNKNOWN}:" in capsys.readouterr().out
    assert main(["newest"]) == 2
