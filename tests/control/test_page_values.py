"""The page shows which conditions need attention, and cuts the long values of changed fields."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import fakeapi.control.ui

STATIC = Path(fakeapi.control.ui.__file__).parent / "static"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def run(tmp_path: Path, module: str, expression: str) -> Any:
    """Evaluates an expression with the functions of a module of the page; returns its value."""
    for file in STATIC.glob("*.js"):
        shutil.copy(file, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script = f'import * as page from "./{module}";\nconsole.log(JSON.stringify({expression}));\n'
    (tmp_path / "script.js").write_text(script)
    done = subprocess.run(
        ["node", str(tmp_path / "script.js")], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    return json.loads(done.stdout)


def test_a_condition_needs_attention_if_its_status_is_bad_for_its_type(tmp_path: Path) -> None:
    bad_if_true = [
        "MemoryPressure",
        "NetworkUnavailable",
        "ReplicaFailure",
        "FailureTarget",
        "Failed",
        "NamespaceContentRemaining",
        "DisruptionTarget",
    ]
    bad_if_false = ["Ready", "Available", "PodScheduled", "DisruptionAllowed"]
    conditions = [
        {"type": kind, "status": status}
        for kind in bad_if_true + bad_if_false
        for status in ("True", "False", "Unknown")
    ]
    expected = [True, False, True] * len(bad_if_true) + [False, True, True] * len(bad_if_false)
    assert run(tmp_path, "conditions.js", f"{json.dumps(conditions)}.map(page.needsAttention)") == expected


def test_each_line_of_a_changed_value_is_cut(tmp_path: Path) -> None:
    after = {"text": "x" * 1000, "map": {"long": "y" * 100_000, "short": "z"}}
    text, mapping = run(tmp_path, "diff.js", f"page.differences({{}}, {json.dumps(after)})")
    assert text["text"] == '"' + "x" * 299 + "…"
    assert mapping["text"] == "\nlong: " + "y" * 294 + "…\nshort: z"


def test_columns_are_sorted_by_the_values_of_their_texts(tmp_path: Path) -> None:
    columns = {
        "numbers": ["9", "10", "-5", "1.5"],
        "restarts": ["10 (2m ago)", "9", "0"],
        "ages": ["2m", "90s", "3h5m", "1d", "119s", "<unknown>"],
        "quantities": ["1Gi", "512Mi", "2", "1500m", "1e3", "100k"],
        "names": ["node-10", "node-2", "node-1", "a-9", "5m"],
    }
    expected = {
        "numbers": ["-5", "1.5", "9", "10"],
        "restarts": ["0", "9", "10 (2m ago)"],
        "ages": ["<unknown>", "90s", "119s", "2m", "3h5m", "1d"],
        "quantities": ["1500m", "2", "1e3", "100k", "512Mi", "1Gi"],
        "names": ["5m", "a-9", "node-1", "node-2", "node-10"],
    }
    script = "page.sorted({}, (text) => text, 1)"
    for name, texts in columns.items():
        assert run(tmp_path, "order.js", script.format(json.dumps(texts))) == expected[name], name


def test_a_driver_says_which_states_its_prepared_claims_have(tmp_path: Path) -> None:
    same = {"preparedClaims": 2, "preparedStates": {"prepared": 2}}
    other = {"preparedClaims": 10, "preparedStates": {"prepared": 9, "allocated": 1}}
    assert prepared_text(tmp_path, same) == "the driver has prepared 2 claims"
    assert prepared_text(tmp_path, other) == (
        "the driver has prepared 10 claims: 9 in use by running pods, 1 allocated"
    )


def prepared_text(tmp_path: Path, driver: dict[str, Any]) -> Any:
    return run(tmp_path, "prepared_text.js", f"page.preparedText({json.dumps(driver)})")
