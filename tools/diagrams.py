"""Draws the diagrams of the documentation: `python -m tools.diagrams` writes docs/images/*.svg.

A diagram is a table of boxes and arrows. Colours follow the light or dark theme of the reader.
"""

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLE = """
text { font: 15px system-ui, sans-serif; fill: #1f2328 } .small { font-size: 12.5px; fill: #59636e }
rect { fill: #f6f8fa; stroke: #818b98; stroke-width: 1.2 } .ours rect { fill: #ddf4ff; stroke: #0969da }
path { stroke: #59636e; stroke-width: 1.4; fill: none; marker-end: url(#tip) } marker path { fill: #59636e }

@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } rect { fill: #212830; stroke: #656c76 }
  .ours rect { fill: #0c2d6b; stroke: #4493f8 } path { stroke: #9198a1 } marker path { fill: #9198a1 }

}
"""
HEIGHT = 56


@dataclass(frozen=True)
class Box:
    """A box with a name and a line of text below it. `is_ours`: whether the box is a part of fakeapi."""

    x: int
    y: int
    name: str
    about: str = ""
    width: int = 190
    is_ours: bool = False

    def svg(self) -> str:
        middle = self.x + self.width / 2
        name_y = self.y + (24 if self.about else 33)
        return (
            f'<g class="{"ours" if self.is_ours else "other"}">'
            f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{HEIGHT}" rx="8"/>'
            f'<text x="{middle}" y="{name_y}" text-anchor="middle" font-weight="600">'
            f"{escape(self.name)}</text>"
            f'<text x="{middle}" y="{self.y + 43}" text-anchor="middle" class="small">'
            f"{escape(self.about)}</text></g>"
        )


@dataclass(frozen=True)
class Arrow:
    """An arrow through points, with an optional label. `at`: the position of the label."""

    points: tuple[tuple[int, int], ...]
    label: str = ""
    at: tuple[int, int] = (0, 0)

    def svg(self) -> str:
        line = " L ".join(f"{x} {y}" for x, y in self.points)
        x, y = self.at
        label = f'<text x="{x}" y="{y}" class="small">{escape(self.label)}</text>' if self.label else ""
        return f'<path d="M {line}"/>{label}'


@dataclass(frozen=True)
class Diagram:
    """A diagram with its size in pixels, and with a title for screen readers."""

    title: str
    width: int
    height: int
    parts: tuple[Box | Arrow, ...]

    def svg(self) -> str:
        tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" orient="auto">'
        body = "\n".join(part.svg() for part in self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img">'
            f"<title>{escape(self.title)}</title><style>{STYLE}</style>"
            f'<defs>{tip}<path d="M 0 0 L 8 4 L 0 8 z" style="marker-end:none;stroke:none"/></marker></defs>'
            f"\n{body}\n</svg>\n"
        )


OBJECTS = Diagram(
    "The objects of Dynamic Resource Allocation and who writes them",
    840,
    330,
    (
        Box(20, 20, "DeviceClass", "selects devices by CEL"),
        Box(20, 140, "ResourceClaimTemplate", "one claim for each pod"),
        Box(20, 260, "Pod", "names its claims"),
        Box(325, 140, "ResourceClaim", "requests and allocation"),
        Box(630, 20, "ResourceSlice", "devices of a node"),
        Box(630, 140, "Node", "runs the driver"),
        Box(325, 260, "Scheduler", "allocates and binds"),
        Arrow(((210, 48), (420, 48), (420, 138)), "class of a request", (230, 40)),
        Arrow(((210, 168), (323, 168)), "generates", (232, 160)),
        Arrow(((115, 258), (115, 198)), "refers to", (125, 232)),
        Arrow(((515, 168), (570, 168), (570, 60), (628, 60)), "allocates", (580, 128)),
        Arrow(((725, 138), (725, 78)), "publishes", (735, 112)),
        Arrow(((420, 258), (420, 198)), "writes", (430, 232)),
        Arrow(((323, 288), (212, 288)), "binds to a node", (222, 280)),
    ),
)
LIFE = Diagram(
    "The life of a claim in six steps",
    840,
    250,
    (
        Box(20, 30, "1  Driver", "publishes ResourceSlices", 220),
        Box(310, 30, "2  Claim controller", "makes a claim of a template", 220),
        Box(600, 30, "3  Scheduler", "allocates devices, reserves", 220),
        Box(600, 160, "4  Kubelet", "asks the driver to prepare", 220),
        Box(310, 160, "5  Pod", "runs with its device", 220),
        Box(20, 160, "6  Kubelet", "asks the driver to unprepare", 220),
        Arrow(((240, 58), (308, 58))),
        Arrow(((530, 58), (598, 58))),
        Arrow(((710, 86), (710, 158))),
        Arrow(((600, 188), (532, 188))),
        Arrow(((310, 188), (242, 188)), "deleted", (252, 180)),
    ),
)
REQUEST = Diagram(
    "The way of a request through fakeapi",
    840,
    390,
    (
        Box(20, 20, "Client", "kubectl, your code, a driver", 220),
        Box(310, 20, "Connection", "HTTP/1.1, HTTP/2, TLS", 220, is_ours=True),
        Box(600, 20, "Filters", "user, journal, faults, limits", 220, is_ours=True),
        Box(600, 120, "Decoding", "schema and defaults of a version", 220, is_ours=True),
        Box(600, 220, "Admission", "plugins, policies, webhooks", 220, is_ours=True),
        Box(600, 320, "Validation", "rules of the release", 220, is_ours=True),
        Box(310, 320, "Storage", "memory, SQLite, PostgreSQL", 220, is_ours=True),
        Box(310, 170, "Watches", "each event, once, in order", 220, is_ours=True),
        Box(20, 320, "Response", "the stored object", 220),
        Box(20, 170, "Watching clients", "informers, controllers", 220),
        Arrow(((240, 48), (308, 48))),
        Arrow(((530, 48), (598, 48))),
        Arrow(((710, 76), (710, 118))),
        Arrow(((710, 176), (710, 218))),
        Arrow(((710, 276), (710, 318))),
        Arrow(((600, 348), (532, 348)), "commit", (544, 340)),
        Arrow(((420, 318), (420, 228))),
        Arrow(((310, 198), (242, 198))),
        Arrow(((310, 348), (242, 348))),
    ),
)
DIAGRAMS = {"dra-objects": OBJECTS, "dra-life": LIFE, "request": REQUEST}


def main() -> None:
    for name, diagram in DIAGRAMS.items():
        (IMAGES / f"{name}.svg").write_text(diagram.svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
