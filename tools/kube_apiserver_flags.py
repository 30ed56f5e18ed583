"""Compiles the flags of kube-apiserver in each release into fakeapi/envtest/kube_apiserver_flags.json.

    python -m tools.kube_apiserver_flags [RELEASE …]

Needs Go. The tool compiles a short Go program that imports kube-apiserver's options and prints its flags.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.interop import go_programs
from tests.interop.toolchain import BUILDS
from tools.modules import LAST_PATCHES

TABLE = Path(__file__).parent.parent / "fakeapi" / "envtest" / "kube_apiserver_flags.json"

_PROGRAM = """package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

type flag struct {
	Name, Type, Shorthand, Alone string
}

func main() {
	flags := []flag{}
	app.NewAPIServerCommand().Flags().VisitAll(func(f *pflag.Flag) {
		flags = append(flags, flag{f.Name, f.Value.Type(), f.Shorthand, f.NoOptDefVal})
	})
	json.NewEncoder(os.Stdout).Encode(flags)
}
"""


def flags_of(release: str) -> list[dict[str, str]]:
    """Returns the flags of kube-apiserver in one release, each with the keys Name, Type, Shorthand and Alone.

    Alone is the value that `--name` without a value means; "" if the flag needs a value.
    """
    program = go_programs.build(
        f"kube-apiserver-flags-{release}",
        go_programs.with_kubernetes(release),
        {"main.go": _PROGRAM},
        builds=BUILDS,
    )
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    flags: list[dict[str, str]] = json.loads(printed)
    return flags


def main() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    for release in sys.argv[1:] or LAST_PATCHES:
        table[release] = {
            flag["Name"]: [flag["Type"], flag["Shorthand"], flag["Alone"]] for flag in flags_of(release)
        }
        print(f"{release}: {len(table[release])} flags")
    ordered = sorted(table, key=lambda release: int(release.partition(".")[2]))
    TABLE.write_text(json.dumps({name: table[name] for name in ordered}, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
