"""An NRI plugin, made with the published stub in Go, registers at the socket of a node."""

from pathlib import Path

from fakeapi import FakeAPI
from tests.interop import go_programs
from tests.interop.processes import Program

NRI = "v0.10.0"
GO_MOD = f"module program\n\ngo 1.24.0\n\nrequire github.com/containerd/nri {NRI}\n"
SOURCE = Path(__file__).parent / "nri-plugin" / "main.go"


def test_a_plugin_made_with_the_published_stub_registers_and_is_told_that_the_runtime_ends(
    short_folder: Path,
) -> None:
    program = go_programs.build("nri-plugin", GO_MOD, {"main.go": SOURCE.read_text(encoding="utf-8")})
    with FakeAPI(controllers="kubelet", nri=True, kubelet_directory=short_folder) as api:
        socket = short_folder / "node" / "host/run/nri/nri.sock"
        with Program([program, socket], short_folder / "plugin.log") as plugin:
            plugin.await_line('configured "" by fakeapi')
            plugin.await_line("updated, 0 failed, error <nil>")
            api.stop()
            plugin.await_line("disconnected")
    assert "synchronized 0 pods, 0 containers" in (short_folder / "plugin.log").read_text(encoding="utf-8")
