"""The import graph follows rules that the contracts of import-linter cannot express."""

from graphlib import CycleError, TopologicalSorter

import pytest


def test_no_module_imports_itself_through_others_neither_lazily_nor_for_types() -> None:
    grimp = pytest.importorskip("grimp", reason="import-linter is not installed")
    graph = grimp.build_graph("fakeapi", "fakeapi_storage")
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))
