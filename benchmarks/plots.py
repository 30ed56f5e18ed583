"""Plots the growth of benchmark results in one SVG file: a panel for each row, with logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLUMNS = 3
WIDTH, HEIGHT = 300, 210
LEFT, RIGHT, TOP, BOTTOM = 24, 60, 52, 34
LEAST = 1e-3
"""The smallest figure on the vertical axis. Smaller figures are drawn at the height of this figure."""
STEEP = 8
"""Maximum rise of a line in pixels beside a label; a steeper line would cross a label right of its point."""
INK, PALE, FAINT, LINE = "#333", "#777", "#bbb", "#2a6fb0"


@dataclass(frozen=True, slots=True)
class Series:
    """The data of one panel: the measured figures of a benchmark row by size, and their unit."""

    name: str
    unit: str
    figures: Mapping[int, float]
    sizes_of: str = "objects"
    law: str = ""
    """Describes the growth of the row, such as "constant"."""


def svg(rows: Sequence[Series]) -> str:
    """Returns an SVG image of all rows, a panel for each row.

    A figure that grows in proportion to the size is drawn as the diagonal of its panel.
    """
    lines = math.ceil(len(rows) / COLUMNS)
    width, height = COLUMNS * WIDTH, lines * HEIGHT
    panels = [
        _panel(row, index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT) for index, row in enumerate(rows)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="11" fill="{INK}">'
    )
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *panels, "</svg>\n"])


def _panel(row: Series, x: int, y: int) -> str:
    sizes = sorted(row.figures)
    heights = {size: math.log10(max(figure, LEAST)) for size, figure in row.figures.items()}
    floor = min(heights.values())
    decades = max(math.log10(sizes[-1] / sizes[0]), 1e-9)
    spans = max(max(heights.values()) - floor, decades)
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(size: int) -> tuple[float, float]:
        along = math.log10(size / sizes[0]) / decades
        up = (heights[size] - floor) / spans
        return x + LEFT + along * inner_width, y + TOP + (1 - up) * inner_height

    points = [place(size) for size in sizes]
    path = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
    base = y + HEIGHT - BOTTOM
    parts = [
        f'<text x="{x + LEFT}" y="{y + 18}" font-weight="bold">{escape(row.name)}, {escape(row.unit)}</text>',
        f'<text x="{x + LEFT}" y="{y + 33}" fill="{PALE}">{escape(row.law)}</text>',
        f'<path d="M{x + LEFT} {y + TOP}V{base}H{x + WIDTH - RIGHT}" fill="none" stroke="{FAINT}"/>',
        f'<polyline points="{path}" fill="none" stroke="{LINE}" stroke-width="2"/>',
    ]
    for number, (size, (across, down)) in enumerate(zip(sizes, points, strict=True)):
        rises = number + 1 < len(points) and points[number + 1][1] < down - STEEP
        anchor, aside = ("end", -3) if rises and number else ("start", -4 if rises else 6)
        parts += [
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{LINE}"/>',
            (
                f'<text x="{across + aside:.1f}" y="{down - 7:.1f}" text-anchor="{anchor}">'
                f"{_short(row.figures[size])}</text>"
            ),
            f'<text x="{across:.1f}" y="{base + 14}" text-anchor="middle">{size:,}</text>',
        ]
    end = x + WIDTH - RIGHT + 8
    parts.append(f'<text x="{end}" y="{base + 26}" text-anchor="end" fill="{PALE}">{row.sizes_of}</text>')
    return "\n".join(parts)


def _short(figure: float) -> str:
    if figure >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"
