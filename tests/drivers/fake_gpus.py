"""Writes the files of Linux about Intel's GPUs, which drivers read at /sys and /dev."""

from pathlib import Path

from tests.drivers.fake_files import write

GPUS = 4
_FLEX_170 = "0x56c0"
_MEMORY = 14_248 << 20


def write_gpus(root: Path) -> None:
    """Writes four GPUs without SR-IOV, as the kernel's driver i915 shows them.

    `root`: the root directory of the node.
    """
    drm = root / "sys" / "class" / "drm"
    for gpu in range(GPUS):
        names = device_names(gpu)
        device = root / "sys" / "bus" / "pci" / "drivers" / "i915" / f"0000:{gpu + 3:02x}:00.0"
        write(device / "device", _FLEX_170)
        for name in names:
            (device / "drm" / name).mkdir(parents=True)
            write(root / "dev" / "dri" / name, "")
        write(drm / names[0] / "lmem_total_bytes", str(_MEMORY))


def device_names(gpu: int) -> tuple[str, str]:
    """Returns the names of the device nodes of a GPU in /dev/dri."""
    return f"card{gpu}", f"renderD{128 + gpu}"
