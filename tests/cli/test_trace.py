"""The commands `fakeapi trace …` convert, check and show traces."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fakeapi.cli import trace
from fakeapi.cli.main import main
from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Request
from tests.installation import ROOT
from tests.traces.samples import EXCHANGES, HEADER, plain, written

LOG = ROOT / "fixtures" / "traces" / "audit-k8s1.31-v1alpha3.jsonl.gz"


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_help_tells_of_every_command_without_loading_it() -> None:
    program = (
        "import sys; from fakeapi.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert {'fakeapi.traces', 'msgspec', 'starlette'}.isdisjoint(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    for name in ("record", "trace", "serve"):
        assert re.search(rf"^  {name} +\w", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.har", "t.har.gz"])
def test_a_trace_is_converted_by_the_names_of_the_files(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    done = run("trace", "convert", LOG, target)
    assert (done.exit_code, done.output) == (0, f"Wrote 60 exchanges to {target}\n")
    with open_trace(target) as reader:
        assert reader.format == ("har" if "har" in name else "native")
        assert (reader.header.source, reader.header.redacted) == ("audit", ("credentials",))
        assert len(list(reader)) == 60
    assert run("trace", "validate", target).output == f"{target} is a valid trace\n"


def test_options_of_convert_are_heeded(tmp_path: Path) -> None:
    target = tmp_path / "t.jsonl"
    run(
        "trace",
        "convert",
        LOG,
        target,
        "--release",
        "1.32",
        "--patch-type",
        "merge",
        "--redact",
        "metadata.uid",
    )
    with open_trace(target) as reader:
        assert (reader.header.release, reader.header.redacted) == ("1.32", ("credentials", "metadata.uid"))
        patches = [exchange.inferred[0] for exchange in reader if exchange.request.method == "PATCH"]
    assert sum("merge (assumed" in str(inferred) for inferred in patches) == 2
    assert b'"uid":"redacted"' in target.read_bytes()


def test_credentials_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    source = written(tmp_path / "s.jsonl", plain(1, b'{"token":"abc"}'))
    for options, kept in (((), False), (("--keep-credentials",), True)):
        assert run("trace", "convert", source, tmp_path / "t.jsonl", *options).exit_code == 0
        assert (b'"abc"' in (tmp_path / "t.jsonl").read_bytes()) is kept


def test_a_trace_in_disorder_is_sorted(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    lines = [
        native_lines.header_line(HEADER),
        *(native_lines.exchange_line(plain(n, offset=9.0 - n)) for n in range(3)),
    ]
    source.write_bytes(b"\n".join(lines))
    assert run("trace", "show", source).exit_code == 1
    assert run("trace", "convert", source, tmp_path / "t.jsonl").exit_code == 0
    assert [line.split()[1] for line in run("trace", "show", tmp_path / "t.jsonl").output.splitlines()] == [
        "#2",
        "#1",
        "#0",
    ]


def test_a_conversion_that_fails_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "audit.log.gz"
    source.write_bytes(LOG.read_bytes()[:4_000])
    done = run("trace", "convert", source, tmp_path / "t.jsonl")
    assert done.exit_code == 1
    assert re.fullmatch(rf"Error: {re.escape(str(source))}:\d+: .*cut short\n", done.output)
    assert [path.name for path in tmp_path.iterdir()] == ["audit.log.gz"]


def test_a_target_that_cannot_be_is_told_first(tmp_path: Path) -> None:
    done = run("trace", "convert", LOG, tmp_path / "no" / "t.jsonl")
    assert (done.exit_code, "does not exist" in done.output) == (1, True)


@pytest.mark.parametrize("command", ["convert", "show", "stats", "validate"])
def test_a_source_that_is_no_trace_is_one_line_and_exit_1(tmp_path: Path, command: str) -> None:
    (tmp_path / "x").write_text("no trace\n")
    done = run("trace", command, tmp_path / "x", *([tmp_path / "t.jsonl"] if command == "convert" else []))
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    assert "x:1: is not a trace (not JSON)" in done.output


def test_validate_tells_every_problem_of_a_native_trace(tmp_path: Path) -> None:
    good = native_lines.exchange_line(plain(1, b"{}", 5.0))
    lines = [
        native_lines.header_line(HEADER),
        good,
        good.replace(b'"id":1', b'"id":"1"'),
        good.replace(b'"offset":5.0', b'"offset":4.0')
        .replace(b'"/api', b'"api')
        .replace(b'"POST"', b'"post"'),
        good.replace(b'"x-twice"', b'"X-Twice"', 1).replace(b'"id":1', b'"id":2'),
        b'{"\xff',
        good[:-9],
    ]
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join(lines))
    done = run("trace", "validate", path)
    assert done.exit_code == 1
    assert [line.removeprefix(str(path)) for line in done.output.splitlines()] == [
        ":3: id: Expected `int`, got `str`",
        ":4: request.target: does not begin with a slash",
        ":4: request.method: is not in upper case",
        ":4: offset: 4.0 is before that of the line above (5.0)",
        ":4: id: 1 is used by an earlier line",
        ":5: request.headers[1]: X-Twice is not in lower case",
        ":6: : is not UTF-8: invalid start byte at byte 3".replace(" : ", " "),
        ":7: ends in the middle of its JSON: the file was cut short",
    ]


def test_validate_tells_events_in_disorder_and_a_trace_of_something_else(tmp_path: Path) -> None:
    late = native_lines.exchange_line(EXCHANGES[-3]).replace(b'"offset":50.0,"body"', b'"offset":60.0,"body"')
    path = tmp_path / "t.jsonl"
    path.write_bytes(native_lines.header_line(HEADER) + b"\n" + late.replace(b'"/api/', b'"/shop/'))
    assert [line.removeprefix(str(path)) for line in run("trace", "validate", path).output.splitlines()] == [
        ":2: response.events[1].offset: 50.25 is before that of the event before it (60.0)",
        ": contains no request to Kubernetes",
    ]


def test_show_lists_selects_and_prints_in_full(tmp_path: Path) -> None:
    listed = run("trace", "show", LOG).output.splitlines()
    assert len(listed) == 60
    scheduled = run("trace", "show", LOG, "--actor", "ks131", "--grep", "PUT ").output.splitlines()
    assert scheduled == [line for line in listed if "ks131" in line and " PUT " in line]
    identity = re.search(r"#(\d+)", scheduled[0])
    assert identity is not None
    text = run("trace", "show", LOG, "--id", identity[1]).output
    assert text.splitlines()[0] == scheduled[0].strip()
    assert "> content-type: application/json" in text
    assert '  "kind": "ResourceClaim",' in text
    assert "missing: headers" in text
    assert run("trace", "show", LOG, "--id", 999).exit_code == 1
    everything = run("trace", "show", written(tmp_path / "t.jsonl", *EXCHANGES), "--full")
    assert everything.exit_code == 0


def test_stats_tell_what_is_there_and_what_is_not() -> None:
    facts = json.loads(run("trace", "stats", LOG, "--json").output)
    assert (facts["format"], facts["release"], facts["exchanges"], facts["watches"]) == (
        "audit",
        "1.31",
        60,
        9,
    )
    assert facts["requests"] == {"POST": 16, "GET": 14, "PUT": 10, "WATCH": 9, "DELETE": 7, "PATCH": 4}
    assert facts["missing"]["watch events"] == 9
    assert facts["inferred"]["patch type: apply (only an apply accepts `force`)"] == 2


def test_long_tables_of_stats_are_cut_unless_all_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "LISTED", 3)
    text = run("trace", "stats", LOG).output
    assert "exchanges  60" in text
    assert "… and 3 more" in text
    assert "… and" not in run("trace", "stats", LOG, "--all").output


def test_the_schema_is_printed() -> None:
    assert json.loads(run("trace", "schema").output)["title"] == "One line of a fakeapi trace"


def test_a_field_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    done = run("trace", "convert", LOG, tmp_path / "t.jsonl", "--redact", "a..b")
    assert (done.exit_code, "is not a field path" in done.output) == (2, True)


@pytest.mark.parametrize("command", [("show",), ("show", "--full"), ("stats",)])
def test_escape_sequences_of_a_trace_do_not_reach_the_terminal(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    red = "\x1b[31m\x07"
    request = Request("GET", f"/{red}", ((f"x-{red}", red),), red.encode())
    path = written(tmp_path / "t.jsonl", replace(plain(1), request=request, actor=red))
    done = run("trace", *command, path)
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "\\x1b[31m" in done.output


def test_validate_prints_the_first_problems_and_counts_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "PROBLEMS_MAX", 2)
    path = tmp_path / "t.jsonl"
    path.write_bytes(native_lines.header_line(HEADER) + b"\n" + b"{}\n" * 5)
    result = run("trace", "validate", path)
    lines = result.output.splitlines()
    assert result.exit_code == 1
    assert [line.startswith(f"{path}:") for line in lines] == [True, True, False]
    assert re.fullmatch(r"… and \d+ more", lines[-1])
