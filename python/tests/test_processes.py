"""Other libraries in the process, forks, and no CUDA."""

import importlib.util
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

import dietcode as dc

CODE = """
import numpy as np
def use():
    import dietcode as dc
    T = dc.DynShapeVar("T", 1, 64)
    w = dc.Workload(lambda x, w: x @ w, args=[(T, 8), (8, 8)], instances=[5], name="w")
    y = dc.compile(dc.tune(w, trials=2, batch=1))(np.ones((5, 8), "f"), np.ones((8, 8), "f"))
    assert (y == 8).all()
"""
OTHERS = {
    "torch": "import torch; assert float(torch.ones(8) @ torch.ones(8)) == 8",
    "triton": "import triton",
    "onnxruntime": "import onnxruntime; onnxruntime.get_available_providers()",
    "xgboost": """
import xgboost
data = xgboost.DMatrix(np.arange(40.0).reshape(20, 2), np.arange(20.0))
xgboost.train({"max_depth": 2}, data, 3).predict(data)
""",
    "jax": "import jax; assert float(jax.numpy.ones(8).sum()) == 8",
}


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", OTHERS)
def test_next_to_others(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    run(CODE + OTHERS[name] + "\nuse()\n" + OTHERS[name])
    run(CODE + "use()\n" + OTHERS[name] + "\nuse()")


def test_imported_twice():
    run(CODE + """
import sys
use()
for name in [n for n in sys.modules if n.startswith("dietcode") and n != "dietcode._native"]:
    del sys.modules[name]
use()
""")


def test_without_cuda():
    """The default device is a virtual one where there is no driver."""
    code = ("import os\nos.environ.pop('DIETCODE_DEVICE')\nos.environ['DIETCODE_LIBCUDA'] = '/none'\n"
            + CODE + "use()\nimport dietcode\nassert dietcode.device().startswith('virtual:t4')")
    run(code)


def test_device_of_the_environment():
    done = subprocess.run([sys.executable, "-c", CODE + "use()"], capture_output=True, text=True,
                          env={**os.environ, "DIETCODE_DEVICE": "virtual:none"})
    assert "DeviceError" in done.stderr and "virtual:none" in done.stderr


def test_set_device():
    run(CODE + "import dietcode as dc; dc.set_device('virtual:a100'); use(); "
        "assert dc.device().startswith('virtual:a100')")


def child(kernel, queue):
    """Calls what the parent has compiled, if it can, and compiles something itself."""
    T = dc.DynShapeVar("T", 1, 64)
    own = dc.compile(dc.Workload(lambda x: dc.exp(x), args=[(T, 4)], name="own"))
    results = [float(own(np.zeros((5, 4), "float32")).sum())]
    if kernel is not None:
        results.append(kernel(np.ones((16, 32), "float32"), np.ones((48, 32), "float32"),
                              np.ones(48, "float32")).shape)
    tuned = dc.tune(dc.Workload(lambda x, w: x @ w, args=[(T, 8), (8, 8)], instances=[5],
                                name="w"), trials=1)
    queue.put(results + [tuned.report["trials"] >= 1])


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_in_a_child(kernel, method, operands, agrees):
    given = operands(1)
    assert agrees(kernel(*given), given)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    # Kernels live in their process; a forked one has what its parent had.
    process = context.Process(target=child, args=(kernel if method == "fork" else None, queue))
    process.start()
    expected = [20.0] + ([(16, 48)] if method == "fork" else []) + [True]
    assert queue.get(timeout=120) == expected
    process.join(30)
    assert process.exitcode == 0
    assert agrees(kernel(*given), given)
