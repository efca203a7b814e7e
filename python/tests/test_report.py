"""Reports from stored explanations: what is on the page."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import types
from html.parser import HTMLParser

import pytest
from report_testing import CHARTS, INPUTS, StoredExplainer, load, qkv, two

from dietcode.__main__ import main as package_main
from dietcode.report import ReportError, report
from dietcode.report.__main__ import main


class Checker(HTMLParser):
    """Collects ids and what refers to them, and finds elements that are not closed."""

    VOID = {"meta", "link", "br", "img", "input"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.charts: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        self.references |= set((given.get("aria-labelledby") or "").split())
        if (given.get("href") or "").startswith("#"):
            self.references.add(given["href"][1:])
        if "data-chart" in given:
            self.charts.append(given["data-chart"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


def check(path) -> Checker:
    text = path.read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(text)
    assert not checker.open
    assert len(checker.ids) == len(set(checker.ids))
    assert checker.references <= set(checker.ids)
    return checker


def make(tmp_path, explainer, **options):
    name = "two" if "two" in str(options.pop("name", "")) else "qkv"
    return report(
        INPUTS / f"{name}.mlir",
        tmp_path / "report.html",
        records=INPUTS / f"{name}.jsonl",
        explainer=explainer,
        **options,
    )


def test_every_chart_is_on_the_page(tmp_path):
    explainer = qkv()
    page = make(tmp_path, explainer)
    assert check(page).charts == list(CHARTS)
    # For each micro-kernel that serves an instance, the smallest one.
    assert explainer.shapes == [{"T": 5}, {"T": 24}, {"T": 81}]
    text = page.read_text(encoding="utf-8")
    assert "Times of virtual:t4 are estimates of a model of that device" in text
    assert "time (µs, virtual, log scale)" in text
    # The tool's numbers as they are: 78.3 of 36.6 microseconds.
    for number in ("T=5", "46.8 %", ">78.3<", ">36.6<", "m in [33, 96]", "measurements"):
        assert number in text, number


def test_two_variables_are_a_map(tmp_path):
    page = make(tmp_path, two(), name="two")
    charts = check(page).charts
    assert charts == [key for key in CHARTS if key not in ("stalls", "losses")]
    text = page.read_text(encoding="utf-8")
    assert "An area for each of 55 cases of the dispatch" in text
    assert "n (elements, log scale)" in text
    assert "stalls: there is no dietcode-run to run kernels with" in text


def test_pages_are_deterministic_and_need_no_network(tmp_path):
    first = make(tmp_path, qkv()).read_bytes()
    assert make(tmp_path, qkv()).read_bytes() == first
    text = first.decode()
    assert not re.search(r"https?:|\bsrc=|url\(|@import|<link|fetch\(", text)
    assert "default-src 'none'" in text
    assert str(INPUTS) not in text


def test_names_are_escaped(tmp_path):
    overview = load("qkv-overview.json")
    overview["operators"][0]["operator"] = "@<script>alert(1)</script> \"'&"
    overview["operators"][0]["instances"][0]["chosen"]["kernel"] = "<b>"
    overview["operators"][0]["dispatch"]["kernels"].append({"kernel": "<b>", "schedule": "<i>"})
    page = make(tmp_path, StoredExplainer(overview))
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text and "<b>" not in text and "<i>" not in text
    assert "&lt;script&gt;alert" in text
    check(page)


def test_operators_of_the_same_name_have_their_own_anchors(tmp_path):
    overview = load("qkv-overview.json")
    overview["operators"] = [copy.deepcopy(overview["operators"][0]) for _ in range(3)]
    page = make(tmp_path, StoredExplainer(overview))
    assert check(page).charts.count("dispatch") == 3


def test_pages_of_many_measurements_are_small(tmp_path):
    overview = load("qkv-overview.json")
    runs = overview["operators"][0]["accuracy"]
    many = [dict(run, schedule=f"{i}x{run['schedule']}") for i in range(100) for run in runs]
    overview["operators"][0]["accuracy"] = many
    overview["operators"] = [copy.deepcopy(overview["operators"][0]) for _ in range(7)]
    page = make(tmp_path, StoredExplainer(overview))
    assert page.stat().st_size < 3 << 20
    # What is drawn is thinned, and what is counted is not.
    assert f">{len(many):,}<".replace(",", "\u202f") in page.read_text(encoding="utf-8")


def test_static_shapes_have_no_picture_of_the_dispatch(tmp_path):
    overview = load("qkv-overview.json")
    operator = overview["operators"][0]
    kernels = operator["dispatch"]["kernels"][:1]
    operator["dispatch"].update(dims=[], domain=[], kernels=kernels)
    operator["dispatch"].update(
        cases=[{"box": [], "kernel": kernels[0]["kernel"]}], otherwise=kernels[0]["kernel"]
    )
    del operator["instances"], operator["accuracy"], operator["curve"]
    page = make(tmp_path, StoredExplainer(overview))
    assert check(page).charts == []
    text = page.read_text(encoding="utf-8")
    assert "a picture of the dispatch: all shapes are static" in text
    assert "the static shape" in text
    assert "times: the function has no workload" in text


def test_three_variables_are_a_slice(tmp_path):
    overview = load("two-overview.json")
    dispatch = overview["operators"][0]["dispatch"]
    dispatch["dims"].append("b")
    dispatch["domain"].append([1, 16])
    for case in dispatch["cases"]:
        case["box"].append([1, 8])
    half = copy.deepcopy(dispatch["cases"])
    for case in half[:7]:
        case["box"][2] = [9, 16]
        dispatch["cases"].append(case)
    page = make(tmp_path, StoredExplainer(overview), name="two")
    text = page.read_text(encoding="utf-8")
    assert "Which micro-kernel serves which shape at b = 16" in text
    assert "An area for each of 7 cases" in text


def test_shapes_without_anything_to_compute(tmp_path):
    overview = load("qkv-overview.json")
    instance = overview["operators"][0]["instances"][0]
    kept = ("operator", "source", "shape", "path", "leaf", "values", "weight", "extents")
    empty = {name: instance[name] for name in kept}
    empty["chosen"] = {"kernel": instance["chosen"]["kernel"]}
    empty["nothing"] = "nothing to compute, no kernel is launched"
    overview["operators"][0]["instances"][0] = empty
    explainer = StoredExplainer(overview)
    page = make(tmp_path, explainer)
    assert {"T": 5} not in explainer.shapes
    assert "nothing to compute, no kernel is launched" in page.read_text(encoding="utf-8")


def test_records_alone(tmp_path):
    page = report(INPUTS / "qkv.jsonl", tmp_path / "report.html")
    assert check(page).charts == []
    text = page.read_text(encoding="utf-8")
    assert "no tuned file was given" in text
    assert "virtual:t4" in text and "shortest run (µs, virtual)" in text


def test_tuned_text(tmp_path):
    text = (INPUTS / "qkv.mlir").read_text(encoding="utf-8")
    page = report(text, tmp_path / "report.html", explainer=qkv())
    assert "dispatch" in check(page).charts


def test_what_tune_returns(tmp_path):
    class Tuned:
        mlir = (INPUTS / "qkv.mlir").read_text(encoding="utf-8")
        name = "qkv"
        records = str(INPUTS / "qkv.jsonl")
        model = None

    class Asked(StoredExplainer):
        def overview(self, tuned, *, records, model, entry):
            assert tuned.read_text(encoding="utf-8") == Tuned.mlir
            assert (str(records), model, entry) == (Tuned.records, None, "qkv")
            return super().overview(tuned)

    page = report(Tuned(), tmp_path / "report.html", explainer=Asked(load("qkv-overview.json")))
    assert "accuracy" in check(page).charts


def test_progress_by_events(tmp_path):
    events = [
        {"operator": "@qkv matmul", "trials": 16, "best": 5e-4},
        {"operator": "@qkv matmul", "trials": 32, "best": 4e-4},
        {"operator": "@other matmul", "trials": 48, "best": 1e-4},
    ]
    direct = make(tmp_path, qkv(), progress=events).read_bytes()
    file = tmp_path / "progress.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    page = make(tmp_path, qkv(), progress=file)
    assert page.read_bytes() == direct
    objects = [types.SimpleNamespace(**event) for event in events]
    assert make(tmp_path, qkv(), progress=objects).read_bytes() == direct
    text = page.read_text(encoding="utf-8")
    assert "time of a call (µs, virtual)" in text and ">trials<" in text


@pytest.mark.parametrize(
    "events", [[{"operator": "x"}], [3], [{"operator": "x", "trials": "y", "best": 1}]]
)
def test_events_that_are_none(tmp_path, events):
    with pytest.raises(ReportError, match="an event of progress"):
        make(tmp_path, qkv(), progress=events)


def test_timings_may_fail_or_be_left_out(tmp_path):
    class Failing(StoredExplainer):
        def timings(self, tuned, shapes, **options):
            raise ReportError("dietcode-run: no such device")

    page = make(tmp_path, Failing(load("qkv-overview.json")))
    assert "stalls: dietcode-run: no such device" in page.read_text(encoding="utf-8")
    page = make(tmp_path, qkv(), timings=False)
    assert "stalls: not asked for" in page.read_text(encoding="utf-8")
    real = load("qkv-timings.json")
    for run in real["runs"]:
        for kernel in run["kernels"]:
            del kernel["timing"]
    page = make(tmp_path, StoredExplainer(load("qkv-overview.json"), real))
    assert "only the virtual GPU says what warps wait for" in page.read_text(encoding="utf-8")


def test_what_is_wrong_is_named(tmp_path):
    output = tmp_path / "report.html"
    with pytest.raises(ReportError, match="qkv.jsonl and .*two.jsonl are both records"):
        report(INPUTS / "qkv.jsonl", output, records=INPUTS / "two.jsonl")
    with pytest.raises(ReportError, match="none.mlir: No such file"):
        report(tmp_path / "none.mlir", output)
    with pytest.raises(ReportError, match="qkv.mlir lacks 'operators'"):
        report(
            INPUTS / "qkv.mlir",
            output,
            explainer=StoredExplainer({"function": "f", "device": "virtual:t4"}),
        )
    with pytest.raises(ReportError, match="No such file or directory"):
        report(INPUTS / "qkv.jsonl", tmp_path / "none" / "report.html")
    assert not output.exists()


def test_command(tmp_path, capsys, monkeypatch):
    output = tmp_path / "report.html"
    assert main([str(INPUTS / "qkv.jsonl"), "-o", str(output)]) == 0
    assert capsys.readouterr().out == f"wrote {output}\n"
    assert main(["a", "b", "c"]) == 1
    assert capsys.readouterr().err.startswith("error: there are more than two files")
    # As a part of the package's command, and by the extension where there are no programs.
    monkeypatch.setenv("DIETCODE_BIN", str(tmp_path))
    both = [str(INPUTS / "qkv.jsonl"), str(INPUTS / "qkv.mlir"), "-o", str(output)]
    assert package_main(["report", *both]) == 0
    page = output.read_text(encoding="utf-8")
    assert "Which micro-kernel serves which shape" in page
    assert "there is no dietcode-run to run kernels with" in page


def test_import_is_light():
    code = "import sys, dietcode.report; print('matplotlib' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
