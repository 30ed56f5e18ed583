"""The wheel can be built from the source distribution and works in a new virtual environment."""

import json
import subprocess
import zipfile
from pathlib import Path

from tests.installation import ROOT, Installation
from tools import metadata_hook


def members(installation: Installation) -> set[str]:
    with zipfile.ZipFile(installation.wheel) as archive:
        return set(archive.namelist())


def test_its_only_top_level_names_are_ours(installation: Installation) -> None:
    tops = {name.split("/")[0] for name in members(installation)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"fakeapi", "fakeapi_storage"}


def test_every_file_of_the_packages_is_inside(installation: Installation) -> None:
    inside = members(installation)
    for root, package in ((ROOT, "fakeapi"), (ROOT / "storage", "fakeapi_storage")):
        files = {str(path.relative_to(root)) for path in (root / package).rglob("*") if path.is_file()}
        expected = {name for name in files if "__pycache__" not in name}
        assert expected
        assert expected <= inside
    assert {name for name in inside if name.startswith("fakeapi/releases/data/")}
    assert "fakeapi/py.typed" in inside


def test_nothing_else_is_installed_than_its_users_need(installation: Installation) -> None:
    program = (
        "from importlib.util import find_spec as f; print(*filter(f, ['pytest', 'kubernetes', 'hatchling']))"
    )
    assert installation.run("python", "-c", program).stdout == "\n"


def test_the_installed_package_is_the_one_that_runs(installation: Installation) -> None:
    program = (
        "import fakeapi.testing.server, fakeapi_storage; print(fakeapi.__file__, fakeapi_storage.__file__)"
    )
    result = installation.run("python", "-c", program)
    assert result.stderr == ""
    assert all(Path(path).is_relative_to(installation.bin.parent) for path in result.stdout.split())


def test_the_command_serves_from_there(installation: Installation, tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    command = [str(installation.bin / "fakeapi"), "serve", "--port", "0", "--tls", "--ready-file", str(ready)]
    with subprocess.Popen(
        command, env=installation.environment(), cwd=tmp_path, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Serving ")
        facts = json.loads(ready.read_text())
        port = facts["url"].rpartition(":")[2]
        assert installation.run("fakeapi", "healthcheck", "--tls", "--port", port).stdout == "ok\n"
        process.terminate()
        assert process.wait(10) == 0


def test_a_test_of_a_user_finds_the_plugin(installation: Installation) -> None:
    with zipfile.ZipFile(installation.wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(entry_points).decode()
    assert "[pytest11]\nfakeapi = fakeapi.pytest_plugin" in text
    assert "[console_scripts]\nfakeapi = fakeapi.cli.main:main\nfakeapi-k8s = fakeapi.cli.main:main" in text


def test_the_description_has_no_relative_links(installation: Installation) -> None:
    with zipfile.ZipFile(installation.wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(name).decode()
    assert "# fakeapi" in text
    assert metadata_hook.LINK.search(text) is None


def test_links_lead_into_the_repository_when_it_has_an_address() -> None:
    text = "![picture](docs/a.png) [page](docs/a.md) [site](https://example.com) [here](#here)"
    assert metadata_hook.absolute_links(text, "https://example.com/x") == (
        "![picture](https://example.com/x/raw/main/docs/a.png) "
        "[page](https://example.com/x/blob/main/docs/a.md) [site](https://example.com) [here](#here)"
    )
    assert metadata_hook.absolute_links("![picture](a.png)[page](a.md)", "") == "page"
    assert metadata_hook.urls("") == {}
