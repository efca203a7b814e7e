"""The installed package: its version, its types, its documented examples."""

import doctest
import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import dietcode

ROOT = pathlib.Path(dietcode.__file__).parent


def test_version():
    assert importlib.metadata.version("dietcode") == dietcode.__version__
    assert dietcode.__version__ == os.environ.get("DIETCODE_VERSION", dietcode.__version__)


def test_is_complete():
    """It brings all but LLVM and XGBoost, and nothing refers to where it was built."""
    assert (ROOT / "py.typed").exists()
    for path in (ROOT / "lib" / "libdietcode.so", ROOT / "bin" / "dietcode-measure"):
        loaded = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        assert "not found" not in loaded
        for line in loaded.splitlines():
            if "dietcode" in line:
                assert str(ROOT) in line


def test_missing_libraries_are_named():
    code = """
import builtins, sys
real = builtins.__import__
def fake(name, *args, **kw):
    if args and args[2] == ("_native",):
        raise ImportError("libMLIR.so.22.1: cannot open shared object file")
    return real(name, *args, **kw)
builtins.__import__ = fake
import dietcode
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "on Debian, install libmlir-22, libllvm22 and libxgboost0" in done.stderr


def test_types():
    pytest.importorskip("mypy")
    # Under a name that mypy knows as no installed package's.
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull,
                           "-p", "dietcode"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def modules():
    for module in pkgutil.walk_packages(dietcode.__path__, "dietcode."):
        is_there = module.name != "dietcode.torch" or importlib.util.find_spec("torch")
        if not module.name.endswith(("__main__", "_native")) and is_there:
            yield module.name


@pytest.mark.parametrize("name", ["dietcode", *modules()])
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_documentation():
    """Every example of docs/python.md."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0 and tried > 10


def test_everything_is_documented():
    for name in dietcode.__all__:
        if name != "__version__":
            assert getattr(dietcode, name).__doc__, name
