"""torch.compile with the backend of this package."""

import importlib.metadata
import subprocess
import sys
import warnings

import pytest

import dietcode as dc

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import torch.nn as nn
import torch.nn.functional as F
from torch._dynamo.testing import CompileCounterWithBackend

import dietcode.torch
import torch_models as models


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()


def compiled(module, **options):
    """Compiled as one graph, or else it raises; and what counts compilations."""
    options = {"max_kernels": 2, **options}
    return torch.compile(module, backend="dietcode", dynamic=True, fullgraph=True, options=options)


def agree(expected, actual, tolerance=3e-6):
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    assert (actual - expected).abs().max() < tolerance


@pytest.fixture
def compilations(monkeypatch):
    """The kernels that were compiled."""
    from dietcode.frontends import split

    made = []

    def counted(*args, **kwargs):
        made.append(dc.compile(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(split, "compile", counted)
    return made


@torch.no_grad()
def test_mlp_at_fifty_lengths(compilations):
    module = models.MLP().eval()
    fast = compiled(module)
    for rows in range(2, 52):
        agree(module(x := torch.randn(rows, 64)), fast(x))
    assert len(compilations) == 1
    report = dietcode.torch.last_report()
    assert not report.left and not report.parts[0].on_host
    assert report.parts[0].operators.count("aten.addmm") == 2


@torch.no_grad()
def test_bert_layer(compilations):
    module = models.BertLayer().eval()
    fast = compiled(module)
    for length in range(2, 52):
        batch = 2 + length % 3
        mask = torch.where(torch.rand(batch, 1, 1, length) < 0.2, -10000.0, 0.0)
        x = torch.randn(batch, length, 64)
        result = fast(x, mask)
        if length % 5 == 0:
            agree(module(x, mask), result)
    assert len(compilations) == 1 and not dietcode.torch.last_report().left


@torch.no_grad()
def test_llama_block(compilations):
    module = models.LlamaBlock().eval()
    fast = compiled(module)
    for batch, length in ((2, 7), (3, 4), (2, 16), (4, 5), (2, 31), (5, 3), (2, 40), (8, 2), (6, 6),
                          (3, 20)):
        mask = torch.full((length, length), -10000.0).triu(1).expand(batch, 1, length, length)
        x = torch.randn(batch, length, 64)
        agree(module(x, mask), fast(x, mask))
    assert len(compilations) == 1 and not dietcode.torch.last_report().left


@torch.no_grad()
def test_what_is_left_to_torch(compilations):
    module = models.ConvNet().eval()
    fast = compiled(module)
    with pytest.warns(dc.DietCodeWarning) as warned:
        fast(torch.randn(4, 3, 24, 24))
    texts = [str(w.message) for w in warned]
    assert texts == ["aten.max_pool2d_with_indices is left to torch: DietCode has no kernel for it"]
    # torch compiles convolutions for batches of 16 and more on their own.
    for batch in (2, 3, 5, 6, 7, 8, 9, 11, 13, 15):
        agree(module(x := torch.randn(batch, 3, 24, 24)), fast(x))
    report = dietcode.torch.last_report()
    assert [(one.operator, one.count) for one in report.left] == [("aten.max_pool2d_with_indices", 1)]
    assert len(report.parts) == len(compilations) == 2
    assert "left to torch: DietCode has no kernel for it" in str(report)


@torch.no_grad()
def test_torch_mlir_may_fail():
    """What it cannot lower is left to torch, and the rest is not."""
    from dietcode.frontends import support

    def fn(x):
        return torch.cummax(torch.relu(x) + 1, 1)[0] * 2

    supported = support._SUPPORTED
    try:
        support._SUPPORTED = supported | {"aten.cummax"}
        with pytest.warns(dc.DietCodeWarning, match="torch-mlir cannot lower aten.cummax"):
            result = compiled(fn)(x := torch.randn(5, 6))
    finally:
        support._SUPPORTED = supported
    agree(fn(x), result)
    assert [p.operators for p in dietcode.torch.last_report().parts] == [("aten.relu", "aten.add"),
                                                                        ("aten.mul",)]


@pytest.mark.parametrize("masked", [False, True])
@torch.no_grad()
def test_attention(masked, compilations):
    """scaled_dot_product_attention, causal or with a mask of which one row is all masked."""
    module = models.Attention().eval()
    fast = compiled(module)
    for length in (5, 9, 30):
        mask = torch.rand(2, 1, length, length) < 0.7
        mask[0, 0, 0] = False
        args = (torch.randn(2, length, 64), *((mask,) if masked else ()))
        agree(module(*args), fast(*args))
    assert len(compilations) == 1 and not dietcode.torch.last_report().left


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.complex64])
@torch.no_grad()
def test_element_types(dtype):
    def fn(x):
        return x * 2 + 1

    with pytest.warns(dc.DietCodeWarning, match="no kernels for elements of"):
        assert torch.equal(compiled(fn)(x := torch.ones(4, 5, dtype=dtype)), fn(x))
    assert not dietcode.torch.last_report().parts


@torch.no_grad()
def test_layouts():
    """Transposed and sliced inputs, views of them, and views of results in torch."""
    def fn(x, y):
        z = (x.transpose(0, 1) * 2 + y).transpose(0, 1)
        return torch.cummax(z, 0)[0].transpose(0, 1) + 1, z.transpose(0, 1), x[1:]

    fast = compiled(fn)
    for n in (4, 7):
        x, y = torch.randn(n, 20)[:, ::2], torch.randn(n, 10).T
        for a, b in zip(fn(x, y), fast(x, y)):
            agree(a, b)


@torch.no_grad()
def test_changed_inputs():
    def fn(x):
        x.add_(1)
        return x * 2

    fast = compiled(fn)
    x, y = torch.ones(4, 5), torch.ones(4, 5)
    assert torch.equal(fast(x), fn(y)) and torch.equal(x, y)


def test_gradients_are_left_to_torch():
    module = models.MLP()
    fast = compiled(module)
    with pytest.warns(dc.DietCodeWarning, match="it needs gradients, and DietCode is for inference"):
        loss = fast(torch.randn(5, 64)).sum()
    loss.backward()
    assert module.up.weight.grad is not None
    assert dietcode.torch.last_report().left[0].operator == "the graph"
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        fast(torch.randn(5, 64))


@torch.no_grad()
def test_ranges():
    """Those of mark_dynamic; else the end is an option."""
    x = torch.randn(5, 6)
    torch._dynamo.mark_dynamic(x, 0, min=3, max=77)
    fast = torch.compile(torch.tanh, backend="dietcode", dynamic=True, options={"max_size": 500})
    fast(x)
    (part,) = dietcode.torch.last_report().parts
    ranges = {(v.low, v.high) for size in part.kernel.arguments[0].shape for v in size.variables()}
    assert ranges == {(3, 77), (2, 500)}


@torch.no_grad()
def test_divisors():
    def fn(x):
        return x.view(-1, 4) * 2 if x.shape[0] % 4 == 0 else x

    compiled(fn)(torch.randn(12))
    (part,) = dietcode.torch.last_report().parts
    assert "range [2, 4096] multiple_of 4" in part.kernel.mlir


def test_unknown_options():
    with pytest.raises(Exception, match="options of the backend dietcode are max_kernels, max_size"):
        compiled(torch.tanh, speed=1)(torch.randn(3, 4))


def test_counter_of_graphs():
    """One graph for all shapes, also by torch's own count."""
    counter = CompileCounterWithBackend("dietcode")
    fast = torch.compile(torch.tanh, backend=counter, dynamic=True, fullgraph=True)
    with torch.no_grad():
        for rows in range(2, 52):
            fast(torch.randn(rows, 3))
    assert counter.frame_count == 1


def test_is_found_without_an_import():
    points = importlib.metadata.entry_points(group="torch_dynamo_backends")
    if "dietcode" not in points.names:
        pytest.skip("the package is not installed")
    code = """
import torch
fast = torch.compile(torch.nn.ReLU(), backend="dietcode")
x = torch.randn(3, 4)
with torch.no_grad():
    print(torch.equal(fast(x), x.relu()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
