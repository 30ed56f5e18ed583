"""The commands and examples in the documentation work."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.cli.themes import OTHER, theme_of
from fakeapi.faults.reading import read_rules
from fakeapi.settings import options
from tests.installation import ROOT
from tests.newest_client import INSTALL_SECONDS, packages_of_newest_client
from tools import reference_pages

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (
    "custom-resources",
    "clock",
    "snapshots",
    "requests",
    "faults",
    "recipes",
    "testing",
    "controllers",
    "devices",
    "drivers",
    "manifests",
    "explain",
    "pods",
    "start",
    "python",
    "serve",
    "install",
    "options",
    "cli",
    "releases",
    "why",
    "faq",
    "dra",
    "how",
    "run",
)
EXAMPLES = README + "".join((ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in PAGES)
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", EXAMPLES, re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
TESTS = [text for text in PYTHON if "def test_" in text]
FAILING = re.findall(r"^<!-- fails -->\n```python\n(.*?)^```$", EXAMPLES, re.MULTILINE | re.DOTALL)
SCRIPTS = [text for text in PYTHON if "def test_" not in text]
YAML = [text for language, text in BLOCKS if language == "yaml"]
COMMANDS = dict.fromkeys(
    line.partition("#")[0].strip()
    for language, text in BLOCKS
    if language == "sh"
    for line in text.splitlines()
)


NAMES = [re.findall(r"def (test_\w+)", text)[0] for text in TESTS]
"""The first test of each example. Several pages may use one name."""


@pytest.mark.parametrize("text", TESTS, ids=[f"{number}-{name}" for number, name in enumerate(NAMES)])
@pytest.mark.network  # pip downloads the newest client the first time
@pytest.mark.timeout(INSTALL_SECONDS + 60)
def test_an_example_of_a_test_passes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if "ResourceV1Api" in text:
        monkeypatch.setenv("PYTHONPATH", str(packages_of_newest_client()))
    pytester.makepyfile(text)
    number = text.count("def test_")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    if text in FAILING:
        result.assert_outcomes(failed=number)
    else:
        result.assert_outcomes(passed=number)


@pytest.mark.parametrize("text", SCRIPTS, ids=[f"script-{number}" for number in range(len(SCRIPTS))])
def test_an_example_of_a_script_runs(text: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "print(api.url" not in text or result.stdout.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("text", [text for text in YAML if "kind:" not in text])
def test_an_example_of_a_file_of_faults_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_rules(path)


@pytest.mark.parametrize("text", [text for text in YAML if "kind:" in text])
def test_an_example_of_a_manifest_is_accepted(text: str) -> None:
    with FakeAPI() as api:
        assert api.create_all(text)


def test_every_language_of_an_example_is_tried() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "sh", "yaml", "text", "ini"}
    assert TESTS
    assert SCRIPTS


@pytest.mark.parametrize(
    "line", [line for line in COMMANDS if line.startswith("fakeapi ") and not line.endswith("--help")]
)
def test_an_example_of_the_command_is_understood(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert isinstance(command.make_context(name, arguments), click.Context)


def test_the_make_targets_exist_that_the_documents_name() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    documents = README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^ *|`)make ([a-z0-9-]+)", documents, re.MULTILINE))
    assert {"run", "test", "check"} <= named <= targets


def test_make_looks_for_every_supported_python() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    supported = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    assert f"for p in python3 {' '.join(f'python{each}' for each in reversed(supported))}; do" in makefile


def test_the_documents_link_to_files_that_exist() -> None:
    documents = [*(ROOT / "docs").glob("*.md")]
    documents += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
    for document in documents:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), (document, target)


@pytest.mark.parametrize("page", ["c", "java", "javascript", "rust"])
def test_the_code_of_a_language_is_that_of_its_example(page: str) -> None:
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^<!-- (examples/\S+) -->\n(```\w+\n.*?^```$)", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for path, block in blocks:
        assert block in (ROOT / path).read_text(encoding="utf-8"), path


def test_the_table_of_contents_names_every_page() -> None:
    contents = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", contents))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_the_generated_pages_of_the_reference_are_those_of_the_code() -> None:
    for name, make in reference_pages.PAGES.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == make(), f"{name}: run `make reference`"


def test_every_option_of_the_server_has_a_theme() -> None:
    names = {setting.name for setting, option in options() if option.flag}
    assert {name for name in names if theme_of(name) == OTHER} == set(), "add it to fakeapi/cli/themes.py"


def test_the_readme_has_one_screen_and_the_measured_fidelity() -> None:
    assert len(README.splitlines()) <= 130
    page = (ROOT / "docs/fidelity.md").read_text(encoding="utf-8")
    table = page.partition("| recording |")[2].partition("\n\n")[0].replace(",", "")
    rows = re.findall(r"^\|[^|]+\| \d+ \| (\d+) \| (\d+) \|", table, re.MULTILINE)
    exchanges, equal = (sum(map(int, column)) for column in zip(*rows, strict=True))
    assert f"Of {exchanges:,} exchanges" in README
    assert f"{100 * equal / exchanges:.1f} % get the same answer" in README


def test_ci_runs_the_checks_and_the_tests() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = script.splitlines()
    assert {"make check", "make test"} <= {*lines}
    assert any(line.startswith("export ALL_TESTS=1") for line in lines[: lines.index("make test")])
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
