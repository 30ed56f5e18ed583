"""The files of the live page are small, typed and pinned. They need no token, and load no other hosts."""

import hashlib
import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

import fakeapi.control.ui
from fakeapi import FakeAPI

STATIC = Path(fakeapi.control.ui.__file__).parent / "static"
SIZE_MAX = 400_000
"""Maximum size of all files of the page in bytes."""


def test_the_files_of_the_page_need_no_token_and_everything_else_does() -> None:
    with FakeAPI(token="secret") as api:
        for path in ("ui/", "ui/main.js", "ui/style.css"):
            with urllib.request.urlopen(f"{api.url}/_fakeapi/{path}") as response:
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        private = ("devices", "claims", "table?resource=pods", "controllers", "requests", "kinds", "pending")
        for path in ("state", "ui/../state", "ui/%2e%2e/state", "ui/../../state", "uistate", *private):
            with pytest.raises(HTTPError) as refusal:
                urllib.request.urlopen(f"{api.url}/_fakeapi/{path}")
            refusal.value.close()
            assert refusal.value.code == 401, path


@pytest.mark.parametrize("path", ["", "/", "/ui"])
def test_the_path_of_the_control_api_leads_to_the_page_without_a_token(path: str) -> None:
    with FakeAPI(token="secret") as api:
        with urllib.request.urlopen(f"{api.url}/_fakeapi{path}") as response:
            assert response.url == f"{api.url}/_fakeapi/ui/"
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        for private in ("//", "/../state", "/.", "?all=1/../state/"):
            request = urllib.request.Request(f"{api.url}/_fakeapi{private}", method="POST")
            with pytest.raises(HTTPError) as refusal:
                urllib.request.urlopen(request)
            refusal.value.close()
            assert refusal.value.code in (401, 404), private


@pytest.mark.parametrize(
    "name", ["none.js", "..%2fpage.py", "page.py", "static", "preact.txt", "preact.d.ts"]
)
def test_a_file_that_the_page_does_not_have_is_not_found(name: str) -> None:
    with FakeAPI() as api, pytest.raises(HTTPError) as refusal:
        urllib.request.urlopen(f"{api.url}/_fakeapi/ui/{name}")
    refusal.value.close()
    assert refusal.value.code == 404


def test_no_file_of_the_page_names_another_host() -> None:
    for file in STATIC.iterdir():
        text = re.sub(
            r"http://www\.w3\.org/(2000/svg|1999/xhtml|1998/Math/MathML|1999/xlink)", "", file.read_text()
        )
        assert "http:" not in text, file.name
        assert "https:" not in text, file.name


def test_preact_is_the_file_that_preact_txt_names() -> None:
    checksum = re.search(r"^ +sha512 +([0-9a-f]{128})$", (STATIC / "preact.txt").read_text(), re.MULTILINE)
    assert checksum is not None
    assert hashlib.sha512((STATIC / "preact.js").read_bytes()).hexdigest() == checksum[1]


def test_the_page_is_small() -> None:
    assert sum(file.stat().st_size for file in STATIC.iterdir()) <= SIZE_MAX


def test_every_module_is_imported_by_another_and_imports_existing_ones() -> None:
    imported = {"main.js", "theme.js"}
    for file in STATIC.glob("*.js"):
        names = set(re.findall(r'from "\./([\w.]+)"', file.read_text()))
        assert names <= {each.name for each in STATIC.glob("*.js")}, file.name
        imported |= names
    assert imported == {file.name for file in STATIC.glob("*.js")}


def test_every_module_is_requested_before_the_modules_that_import_it_are_read() -> None:
    text = (STATIC / "index.html").read_text()
    preloaded = re.findall(r'<link rel="modulepreload" href="([\w.]+)">', text)
    assert sorted(preloaded) == sorted({file.name for file in STATIC.glob("*.js")} - {"main.js", "theme.js"})


def test_no_module_makes_markup_of_text() -> None:
    for file in STATIC.glob("*.js"):
        if file.name != "preact.js":
            for sink in (
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "Function(",
            ):
                assert sink not in file.read_text(), f"{file.name}: {sink}"


@pytest.mark.timeout(180)
def test_the_types_in_the_comments_of_the_modules_are_right() -> None:
    compiler = _typescript()
    if compiler is None:
        pytest.skip("typescript is not installed")
    project = Path(__file__).parent / "typescript.json"
    done = subprocess.run([*compiler, "-p", str(project)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def _typescript() -> list[str] | None:
    """Returns the command of the TypeScript compiler: from NODE_PATH, or `tsc`. Returns None without a
    compiler.
    """
    node = shutil.which("node")
    packages = [
        Path(path) / "typescript/bin/tsc" for path in os.environ.get("NODE_PATH", "").split(os.pathsep)
    ]
    found = next((path for path in packages if path.is_file()), None)
    if found is not None and node is not None:
        return [node, str(found)]
    return [command] if (command := shutil.which("tsc")) else None
