"""Reports in a real browser: every chart is drawn, in both color schemes, nothing is on
the console, and tables are sorted by keyboard."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess

import pytest
from report_testing import CHARTS, INPUTS, qkv, two

from dietcode.report import report
from dietcode.report.palette import DARK, LIGHT

BROWSER = next(
    (path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path),
    None,
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium on PATH")

WIDTH, HEIGHT = 1000, 9000
SCHEMES = {"light": "1", "dark": "0"}  # Of Chromium's setting preferredColorScheme.

# Runs in the page, and leaves what it found in an element.
PROBE = """
const press = (target, key) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const table = document.querySelector("table");
const column = (i) => [...table.tBodies[0].rows].map((row) => row.cells[i].textContent);
const found = { scheme: {}, charts: {}, texts: [], sorted: {}, walk: [] };
found.scheme.page = getComputedStyle(document.body).backgroundColor;
found.scheme.text = getComputedStyle(document.querySelector("svg text")).fill;
for (const figure of document.querySelectorAll("figure")) {
  const picture = figure.querySelector("svg[role=img]");
  const box = picture.getBoundingClientRect();
  found.charts[figure.dataset.chart] = [box.left, box.top + scrollY, box.width, box.height];
  for (const text of picture.querySelectorAll("text")) {
    const place = text.getBoundingClientRect();
    found.texts.push([figure.dataset.chart, text.textContent, text.getAttribute("class"),
      place.left - box.left, place.top - box.top, place.right - box.left,
      place.bottom - box.top, box.width, box.height]);
  }
}
const buttons = [...table.querySelectorAll("th button")];
const time = buttons.findIndex((button) => button.textContent.startsWith("predicted"));
for (const way of ["ascending", "descending"]) {
  buttons[time].click();
  found.sorted[way] = column(time);
  found.sorted[way + "-aria"] = buttons[time].closest("th").getAttribute("aria-sort");
}
table.parentNode.focus();
found.walk.push(document.activeElement.className);
press(document.activeElement, "ArrowDown");
for (const key of ["ArrowDown", "ArrowRight", "ArrowDown", "End", "Home", "ArrowUp"]) {
  found.walk.push(document.activeElement.textContent.trim());
  press(document.activeElement, key);
}
found.width = document.documentElement.scrollWidth;
const result = document.createElement("pre");
result.id = "found";
result.textContent = JSON.stringify(found);
document.body.append(result);
"""


def browse(tmp_path, page, scheme, *options, width=WIDTH):
    command = [
        BROWSER,
        "--headless",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--window-size={width},{HEIGHT}",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
        *options,
        page.as_uri(),
    ]
    if os.geteuid() == 0:  # Who has no sandbox.
        command.insert(1, "--no-sandbox")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert console == []
    return done.stdout


def probe(tmp_path, page, scheme, width=WIDTH):
    probed = tmp_path / "probed.html"
    text = page.read_text(encoding="utf-8")
    probed.write_text(text.replace("</body>", f"<script>{PROBE}</script></body>"))
    dom = browse(tmp_path, probed, scheme, "--dump-dom", width=width)
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert found, dom[-2000:]
    return json.loads(html.unescape(found.group(1)))


def make(tmp_path, name):
    return report(
        INPUTS / f"{name}.mlir",
        tmp_path / f"{name}.html",
        records=INPUTS / f"{name}.jsonl",
        explainer={"qkv": qkv, "two": two}[name](),
    )


def overlapping(texts):
    """Labels of axes that touch another one, or leave their picture."""
    wrong = []
    for i, (chart, text, kind, left, top, right, bottom, width, height) in enumerate(texts):
        if left < -1 or top < -1 or right > width + 1 or bottom > height + 1:
            wrong.append((chart, text, "outside"))
        if kind == "on":
            continue
        for other in texts[i + 1 :]:
            apart = right <= other[3] or other[5] <= left or bottom <= other[4] or other[6] <= top
            if other[0] == chart and other[2] != "on" and not apart:
                wrong.append((chart, text, other[1]))
    return wrong


def rgb(color):
    """As the browser writes it."""
    return f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["qkv", "two"])
def test_charts_are_drawn(tmp_path, name, scheme):
    page = make(tmp_path, name)
    assert page.stat().st_size < 3 << 20
    found = probe(tmp_path, page, scheme)
    expected = [key for key in CHARTS if name == "qkv" or key not in ("stalls", "losses")]
    assert list(found["charts"]) == expected
    palette = {"light": LIGHT, "dark": DARK}[scheme]
    assert found["scheme"] == {"page": rgb(palette.paper), "text": rgb(palette.ink)}
    assert overlapping(found["texts"]) == []
    check_pixels(tmp_path, page, scheme, found["charts"])


def check_pixels(tmp_path, page, scheme, charts):
    """Each chart is more than its background in a screenshot."""
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "screen.png"
    browse(tmp_path, page, scheme, f"--screenshot={file}")
    screen = image.open(file).convert("RGB")
    for key, (left, top, width, height) in charts.items():
        assert top + height < HEIGHT, key
        picture = screen.crop((int(left), int(top), int(left + width), int(top + height)))
        counts = sorted((n for n, _ in picture.getcolors(1 << 24)), reverse=True)
        pixels = picture.width * picture.height
        assert len(counts) > 16, key
        assert 0.01 * pixels < pixels - counts[0] < 0.95 * pixels, key


def test_tables_are_sorted_and_walked_by_keyboard(tmp_path):
    found = probe(tmp_path, make(tmp_path, "qkv"), "light")
    ascending = [float(text) for text in found["sorted"]["ascending"]]
    assert ascending == sorted(ascending) and len(ascending) == 8
    assert [float(text) for text in found["sorted"]["descending"]] == ascending[::-1]
    assert found["sorted"]["ascending-aria"] == "ascending"
    assert found["sorted"]["descending-aria"] == "descending"
    assert found["walk"][0] == "scroll"
    assert found["walk"][1:3] == ["instance", "T=128"]
    assert found["walk"][3].startswith("m = 2048") and found["walk"][4].startswith("m = 1904")
    assert found["walk"][5].endswith("%") and found["walk"][6] == "T=119"


def test_narrow_windows_scroll_inside(tmp_path):
    found = probe(tmp_path, make(tmp_path, "qkv"), "light", width=500)
    assert found["width"] <= 500
    assert all(box[2] >= 600 for box in found["charts"].values())
