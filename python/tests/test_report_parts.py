"""Parts of reports: records, explainers, numbers, pictures."""

from __future__ import annotations

import json
import os
import stat
from itertools import chain

import pytest
from report_testing import CHARTS, INPUTS, StoredExplainer, load, qkv

from dietcode.report import ExtensionExplainer, ReportError, ToolExplainer, making, report
from dietcode.report.chart import Axis, number
from dietcode.report.data import read_operator
from dietcode.report.palette import DARK, LIGHT
from dietcode.report.records import read_records
from dietcode.report.search_charts import found_so_far
from dietcode.report.stats import agreement

RECORD = {
    "operator": "matmul f32 nt",
    "source": "0a",
    "schedule": "16x64x16_2x4",
    "twin": "aligned",
    "device": "virtual:t4",
    "toolchain": "x",
    "status": "ok",
    "runs": [{"seconds": 2e-6}, {"seconds": 0}, {"seconds": -1}, {}],
}


def write(path, lines, end="\n"):
    path.write_bytes(end.join(lines).encode())
    return path


def test_records_are_read_as_documented(tmp_path):
    spills = dict(RECORD, status="spills", runs=[])
    other = dict(RECORD, schedule="32x64x16_2x4", runs=[{"seconds": float("inf")}])
    lines = [json.dumps(spills), "", "{broken", json.dumps({"v": 1}), json.dumps(other)]
    lines += [json.dumps(RECORD), json.dumps(RECORD)[:40]]
    found = read_records(write(tmp_path / "r.jsonl", lines, end="\r\n"))
    # The last one of a key holds, at the place of the first.
    assert [record.schedule for record in found.records] == ["16x64x16_2x4", "32x64x16_2x4"]
    assert found.records[0].best_seconds == 2e-6
    assert found.records[1].best_seconds is None
    assert found.skipped == 3
    assert found.devices == ("virtual:t4",)
    assert found.of_source("0a", "matmul f32 nt") == found.records
    assert found.of_source("0b", "matmul f32 nt") == ()


def test_files_that_are_no_records(tmp_path):
    with pytest.raises(ReportError, match="no JSON object; give a file of records"):
        read_records(write(tmp_path / "r.jsonl", ["module {}"]))
    with pytest.raises(ReportError, match="No such file"):
        read_records(tmp_path / "none.jsonl")
    assert read_records(write(tmp_path / "empty.jsonl", [""])).records == ()


def program(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_programs_are_asked(tmp_path):
    program(tmp_path, "dietcode-explain", 'echo "{\\"given\\": \\"$*\\"}"')
    program(tmp_path, "dietcode-run", 'echo "{\\"given\\": \\"$*\\"}"')
    tool = ToolExplainer(tmp_path)
    tuned = INPUTS / "qkv.mlir"
    given = tool.overview(tuned, records=tmp_path / "r", model=tmp_path / "m", entry="f")
    assert given["given"] == (
        f"{tuned} --json --curve --records {tmp_path}/r --accuracy --model {tmp_path}/m "
        "--entry f --instances"
    )
    plain = tmp_path / "plain.mlir"
    plain.write_text("module {}")
    given = tool.overview(plain, records=None, model=None, entry=None)
    assert given["given"] == f"{plain} --json --curve"
    given = tool.timings(tuned, [{"T": 5, "H": 2}, {"T": 7, "H": 1}], entry="f")
    assert given["given"] == f"{tuned} --json --entry f --shape H=2,T=5 --shape H=1,T=7"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("echo 'x.mlir:1:1: error: bad' >&2; exit 1", "dietcode-explain: x.mlir:1:1: error: bad"),
        ("exit 3", "ended with status 3"),
        ("echo hello", "printed no JSON"),
        ("echo [1]", "printed no JSON object"),
        ("exec sleep 20", "took longer than 0.2 s; allow more"),
    ],
)
def test_programs_that_fail(tmp_path, body, message):
    program(tmp_path, "dietcode-explain", body)
    tool = ToolExplainer(tmp_path, timeout=0.2 if "sleep" in body else 60)
    with pytest.raises(ReportError, match=message):
        tool.overview(INPUTS / "qkv.mlir", records=None, model=None, entry=None)


def test_programs_that_are_not_there(tmp_path):
    tool = ToolExplainer(tmp_path)
    assert tool.timings(INPUTS / "qkv.mlir", [{"T": 5}], entry=None) is None
    with pytest.raises(ReportError, match="set DIETCODE_BIN to the folder"):
        tool.overview(INPUTS / "qkv.mlir", records=None, model=None, entry=None)


def test_the_extension_is_asked(tmp_path):
    class Native:
        def overview(self, text, name, entry, records, model):
            assert "dietcode.dispatch" in text and name.endswith("qkv.mlir")
            assert records.endswith("qkv.jsonl") and entry is None and model is None
            return json.dumps(load("qkv-overview.json"))

    page = report(
        INPUTS / "qkv.mlir",
        tmp_path / "report.html",
        records=INPUTS / "qkv.jsonl",
        explainer=ExtensionExplainer(Native()),
    )
    assert 'data-chart="accuracy"' in page.read_text(encoding="utf-8")


def test_the_extension_says_what_is_wrong():
    class Native:
        def overview(self, *arguments):
            raise ValueError("qkv.mlir:3:1: error: expected '('")

    with pytest.raises(ReportError, match="expected '\\('"):
        ExtensionExplainer(Native()).overview(
            INPUTS / "qkv.mlir", records=None, model=None, entry=None
        )


def test_agreement():
    found = agreement([1.0, 2.2, 3.0, 5.0], [1.0, 2.0, 4.0, 5.0])
    assert found is not None
    assert found.rank_correlation == pytest.approx(1.0)
    assert found.median_error == pytest.approx(0.05)
    assert found.worst_error == pytest.approx(0.25)
    assert 0.9 < found.determination < 1
    ties = agreement([1.0, 1.0], [2.0, 2.0])
    assert ties.rank_correlation is None and ties.determination is None
    assert agreement([], []) is None


def test_progress_never_falls_and_ends_at_all_of_it():
    operator = read_operator(load("qkv-overview.json")["operators"][0])
    found = found_so_far(operator)
    assert len(found) == 37
    assert found == sorted(found)
    assert 0 < found[0] < 0.5
    assert found[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("axis", "labels"),
    [
        (Axis("", 0, 0.05, percent=True), ["0 %", "1 %", "2 %", "3 %", "4 %", "5 %"]),
        (Axis("", 16, 1999, log=True), ["20", "50", "100", "200", "500", "1\u202f000"]),
        (Axis("", 0.5, 5.5, whole=True), ["1", "2", "3", "4", "5"]),
        (Axis("", 0, 2, categories=("a", "b")), ["a", "b"]),
    ],
)
def test_ticks(axis, labels):
    assert [text for _, text in axis.ticks()] == labels
    assert all(0 <= axis.place(value) <= 1 for value, _ in axis.ticks())


def test_numbers():
    values = (0, 0.25, 12.3456, 1234.5, 2e6, 1e-5)
    assert [number(v) for v in values] == ["0", "0.25", "12.35", "1\u202f234", "2e+06", "1e-05"]


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(palette):
    for paper in (palette.paper, palette.panel):
        for color in (palette.ink, palette.muted, palette.link):
            assert contrast(color, paper) >= 4.5, (color, paper)
        for color in palette.series:
            assert contrast(color, paper) >= 3, (color, paper)
    for color in palette.series:
        assert contrast(color, palette.on) >= 4.5, color


def pngs(tmp_path, explainer, name="png"):
    report(
        INPUTS / "qkv.mlir",
        tmp_path / "report.html",
        records=INPUTS / "qkv.jsonl",
        explainer=explainer,
        png=tmp_path / name,
    )
    return sorted((tmp_path / name).iterdir())


def test_pngs(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    files = pngs(tmp_path, qkv())
    assert [file.name for file in files] == sorted(f"qkv-matmul-{key}.png" for key in CHARTS)
    for file in files:
        picture = image.imread(file)
        assert picture.shape[1] > 1000
        colors = {tuple(pixel) for pixel in chain.from_iterable(picture[::7, ::7, :3].tolist())}
        assert len(colors) > 8, file
    again = pngs(tmp_path, qkv(), "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in files]


def test_pngs_need_matplotlib(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(making.png_files.importlib, "import_module", missing)
    with pytest.raises(ReportError, match="pip install matplotlib"):
        pngs(tmp_path, StoredExplainer(load("qkv-overview.json")))
    assert not (tmp_path / "report.html").exists()


def test_with_the_programs(tmp_path):
    """The stored answers are what the programs print."""
    if not os.environ.get("DIETCODE_BIN"):
        pytest.skip("DIETCODE_BIN is set by ctest only")
    tool = ToolExplainer()
    found = tool.overview(
        INPUTS / "qkv.mlir", records=INPUTS / "qkv.jsonl", model=None, entry=None
    )
    stored = load("qkv-overview.json")
    assert found["device"] == stored["device"]
    operator, expected = found["operators"][0], stored["operators"][0]
    assert operator["dispatch"] == expected["dispatch"]
    assert operator.keys() == expected.keys()
    for name in ("instances", "accuracy", "curve"):
        assert len(operator[name]) == len(expected[name])
        assert operator[name][0].keys() == expected[name][0].keys()
    page = report(
        INPUTS / "qkv.mlir", tmp_path / "report.html", records=INPUTS / "qkv.jsonl"
    )
    charts = [key for key in CHARTS if f'data-chart="{key}"' in page.read_text(encoding="utf-8")]
    assert charts == list(CHARTS)
