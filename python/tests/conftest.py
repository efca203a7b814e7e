"""Tests run on the virtual T4, whatever the machine has."""

import os

os.environ["DIETCODE_DEVICE"] = "virtual:t4"

import numpy as np
import pytest

import dietcode as dc


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def dense():
    """(16 T, 32) by (48, 32) transposed, a bias and a ReLU."""
    T = dc.DynShapeVar("T", 1, 128)

    def fn(x, w, bias):
        return dc.matmul(x, w, transpose_b=True, epilogue=lambda y: dc.relu(y + bias))

    return dc.Workload(fn, args=[(16 * T, 32), (48, 32), (48,)], instances=[(5,), (128,)],
                       weights=[1, 3], name="dense")


@pytest.fixture(scope="session")
def kernel(dense):
    return dc.compile(dense)


def dense_reference(x, w, bias):
    return np.maximum(x.astype("float64") @ w.astype("float64").T + bias, 0)


@pytest.fixture
def operands(random):
    def make(t):
        return (random.standard_normal((16 * t, 32), dtype="float32"),
                random.standard_normal((48, 32), dtype="float32"),
                random.standard_normal(48, dtype="float32"))

    return make


@pytest.fixture
def agrees():
    """Whether results of `dense` are right."""

    def check(y, operands):
        expected = dense_reference(*operands)
        return y.shape == expected.shape and np.abs(y - expected).max(initial=0) < 2e-5

    return check
