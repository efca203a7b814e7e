"""The example, the notebook and the benchmark run."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]
LENGTHS = (5, 24, 37, 128, 150)


def run(*command, cwd):
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True,
                          cwd=cwd, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_example(tmp_path):
    printed = run(PYTHON / "examples" / "qkv.py", "--trials", 2, cwd=tmp_path)
    assert re.match(r"\d+ candidates measured on virtual:t4\n", printed)
    for t in LENGTHS:
        assert re.search(rf"^T={t}: {16 * t} rows by simt_\w+, right$", printed, re.M)
    assert printed.endswith("wrote report.html\n")
    assert "<svg" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(PYTHON / "examples" / "qkv.ipynb", as_version=4)
    assert all(not c.get("outputs") for c in notebook.cells), "clear the outputs before a commit"
    # The kernel is this interpreter, whatever is registered on the machine.
    share = tmp_path / "share" / "jupyter" / "kernels" / "python3"
    share.mkdir(parents=True)
    (share / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3", "language": "python"}))
    os.environ["JUPYTER_PATH"] = str(tmp_path / "share" / "jupyter")
    os.environ["IPYTHONDIR"] = str(tmp_path / "ipython")
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(o.get("text", "") for c in notebook.cells for o in c.get("outputs", []))
    for t in LENGTHS:
        assert f"T={t}:" in printed
    assert "WRONG" not in printed
    assert (tmp_path / "report.html").exists()


def test_benchmark(tmp_path):
    printed = run(PYTHON / "benchmarks" / "call.py", cwd=tmp_path)
    assert float(printed.split()[0]) > 0
    assert "2 threads" in printed
