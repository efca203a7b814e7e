"""The package, its metadata and the CMake project are of one version."""

import email
import os
import pathlib
import shutil

import pytest

import dietcode

PACKAGE_ROOT = pathlib.Path(__file__).resolve().parents[1]


def test_version_is_that_of_the_cmake_project():
    expected = os.environ.get("DIETCODE_VERSION")
    if expected is None:
        pytest.skip("DIETCODE_VERSION is set by ctest only")
    assert dietcode.__version__ == expected


def test_version_is_that_of_the_built_package(tmp_path, monkeypatch):
    build_meta = pytest.importorskip("setuptools.build_meta")
    pytest.importorskip("wheel")
    source = tmp_path / "source"
    shutil.copytree(PACKAGE_ROOT, source)
    monkeypatch.chdir(source)
    info = build_meta.prepare_metadata_for_build_wheel(str(tmp_path))
    metadata = email.message_from_string((tmp_path / info / "METADATA").read_text())
    assert metadata["Name"] == "dietcode"
    assert metadata["Version"] == dietcode.__version__
