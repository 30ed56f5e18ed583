"""Test modules do not import each other. Shared fixtures and helpers are in modules without tests."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent


def imported_test_modules(module: Path) -> list[str]:
    """Returns the names of the test modules that the file `module` imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tests"):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.startswith("tests.")]
    return [
        name
        for name in names
        if any((ROOT.parent / part).with_suffix(".py").is_file() for part in paths_of_test_modules(name))
    ]


def paths_of_test_modules(name: str) -> list[str]:
    """Returns the paths, without suffix, of the test modules that a dotted name may refer to.

    The file name of a test module starts with `test_`.
    """
    parts = name.split(".")
    paths = [parts[: end + 1] for end in range(len(parts)) if parts[end].startswith("test_")]
    return ["/".join(path) for path in paths]


def test_no_module_imports_a_test_module() -> None:
    imports = {
        str(module.relative_to(ROOT)): names
        for module in ROOT.rglob("*.py")
        if (names := imported_test_modules(module))
    }
    assert imports == {}
