"""The rules of the import graph that import-linter's contracts cannot express."""

from graphlib import CycleError, TopologicalSorter

import pytest


def test_no_module_imports_itself_by_way_of_others_not_even_lazily() -> None:
    grimp = pytest.importorskip("grimp", reason="import-linter is not installed")
    graph = grimp.build_graph("fakeapi", "fakeapi_storage", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))
