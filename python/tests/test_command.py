"""``python -m dietcode``."""

import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from dietcode.__main__ import main

EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "qkv.py"
WORKLOAD = f"{EXAMPLE}:qkv"


@pytest.fixture
def command(capsys):
    def run(*arguments, status=0):
        assert main([str(a) for a in arguments]) == status
        printed = capsys.readouterr()
        return printed.out if status == 0 else printed.err

    return run


def test_all_of_it(command, tmp_path):
    records, tuned, kernel = (tmp_path / n for n in ("r.jsonl", "tuned.mlir", "qkv.dietcode"))
    said = command("tune", WORKLOAD, "--trials", 2, "--records", records, "-o", tuned)
    assert re.match(r"\d+ trials on virtual:t4 in .* s\nwrote ", said)
    assert "dietcode.dispatch @qkv_matmul" in tuned.read_text()
    assert "@qkv matmul: m = 592" in command("explain", tuned, "--shape", "T=37", "--records", records)
    said = command("compile", WORKLOAD, "-o", kernel)
    assert said == f"wrote {kernel}: Kernel(qkv(x: f32(16*T, 128), weight: f32(384, 128), bias: f32(384,)))\n"
    said = command("run", kernel, "--shape", "T=5", "-o", tmp_path / "y.npy")
    assert "result 0: float32 (80, 384)" in said and "virtual:t4 (model, not a measurement)" in said
    assert np.load(tmp_path / "y.npy").shape == (80, 384)
    (one,) = json.loads(command("explain", kernel, "--shape", "T=5", "--json"))
    assert one["shape"] == "m = 80, n = 384, k = 128"


def test_inputs_from_files(command, tmp_path):
    names = []
    for name, shape in (("x", (16, 128)), ("w", (384, 128)), ("b", (384,))):
        names += ["--input", tmp_path / f"{name}.npy"]
        np.save(names[-1], np.ones(shape, "float32"))
    command("run", WORKLOAD, *names, "-o", tmp_path / "y.npy")
    assert (np.load(tmp_path / "y.npy") == 129).all()


def test_tunes_to_a_kernel_and_as_json(command, tmp_path):
    report = json.loads(command("tune", WORKLOAD, "--model-only", "--json", "-o", tmp_path / "k"))
    assert report["trials"] == 0
    assert "(80, 384)" in command("run", tmp_path / "k", "--shape", "T=5")


@pytest.mark.parametrize("arguments, message", [
    (["tune", "none.mlir"], "none.mlir"),
    (["tune", f"{EXAMPLE}:none"], "has no Workload that is called none"),
    (["tune", WORKLOAD, "--device", "virtual:none"], "virtual:none: there is no such device"),
    (["tune", WORKLOAD, "--trials", "0"], "give a budget"),
    (["run", WORKLOAD, "--shape", "T"], "'T' is no shape; write e.g. T=37,H=768"),
    (["run", WORKLOAD], "--shape gives no value for T"),
    (["run", "none"], "none"),
    (["explain", WORKLOAD], "there is no value for the shape variable @T"),
])
def test_mistakes_are_one_line(command, arguments, message):
    said = command(*arguments, status=1)
    assert said.startswith("error: ") and message in said and said.count("\n") == 1


def test_is_a_module():
    done = subprocess.run([sys.executable, "-m", "dietcode", "--version"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and re.match(r"\d+\.\d+\.\d+\n", done.stdout)
    done = subprocess.run([sys.executable, "-m", "dietcode"], capture_output=True, text=True)
    assert done.returncode == 2 and "usage: python -m dietcode" in done.stderr
