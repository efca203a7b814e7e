"""Modules of PyTorch, exported with dynamic shapes, agree with PyTorch."""

import subprocess
import sys

import numpy as np
import pytest

import dietcode as dc

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import torch.nn as nn
from torch.export import Dim, export

import torch_models as models

SHAPES = [(1, 2), (2, 1), (1, 7), (2, 9), (3, 16), (4, 5), (2, 31), (5, 3), (1, 40), (8, 2)]


def batch_and_length():
    return Dim("B", min=1, max=16), Dim("T", min=1, max=64)


def agree(module, kernel, *args, extra=()):
    with torch.no_grad():
        expected = module(*args)
    result = kernel(*args, *extra)
    assert isinstance(result, torch.Tensor) and result.shape == expected.shape
    assert (result - expected).abs().max() < 3e-6


def mlp(parameters):
    torch.manual_seed(0)
    module = models.MLP().eval()
    return module, dc.from_torch(module, (torch.randn(6, 64),), parameters=parameters,
                                 dynamic_shapes=({0: Dim("R", min=1, max=512)},))


@pytest.mark.parametrize("parameters", ["constants", "arguments"])
def test_mlp(parameters):
    module, workload = mlp(parameters)
    assert repr(workload).startswith("Workload(MLP(x: f32(R, 64)")
    kernel = dc.compile(workload, max_kernels=2)
    for rows in (1, 2, 3, 5, 8, 17, 64, 100, 333, 600):
        agree(module, kernel, torch.randn(rows, 64), extra=workload.parameters)


def test_parameters_as_arguments():
    module, workload = mlp("arguments")
    assert [a.name for a in workload.arguments] == ["x", "up_weight", "up_bias", "down_weight",
                                                    "down_bias"]
    assert workload.parameters[0].data_ptr() == module.up.weight.data_ptr()
    assert "dense_resource" not in workload.mlir


def test_parameters_are_one_or_the_other():
    with pytest.raises(dc.errors.InvalidArgumentError, match="expected 'constants' or 'arguments'"):
        dc.from_torch(models.MLP(), (torch.randn(2, 64),), parameters="files")


def test_bert_layer():
    torch.manual_seed(0)
    module = models.BertLayer().eval()
    B, T = batch_and_length()
    workload = dc.from_torch(module, (torch.randn(2, 7, 64), torch.zeros(2, 1, 1, 7)),
                             dynamic_shapes={"x": {0: B, 1: T}, "mask": {0: B, 3: T}})
    assert repr(workload) == "Workload(BertLayer(x: f32(B, T, 64), mask: f32(B, 1, 1, T)))"
    assert [(v.name, v.low, v.high) for v in workload.variables] == [("B", 1, 16), ("T", 1, 64)]
    kernel = dc.compile(workload, max_kernels=2)
    for batch, length in SHAPES:
        mask = torch.where(torch.rand(batch, 1, 1, length) < 0.2, -10000.0, 0.0)
        agree(module, kernel, torch.randn(batch, length, 64), mask)


@pytest.mark.filterwarnings("ignore::dietcode.DietCodeWarning")
def test_llama_block():
    torch.manual_seed(0)
    module = models.LlamaBlock().eval()
    B, T = batch_and_length()
    workload = dc.from_torch(module, (torch.randn(2, 7, 64), torch.zeros(2, 1, 7, 7)),
                             dynamic_shapes=({0: B, 1: T}, {0: B, 2: T, 3: T}))
    kernel = dc.compile(workload, max_kernels=2)
    for batch, length in SHAPES:
        mask = torch.full((length, length), -10000.0).triu(1).expand(batch, 1, length, length)
        agree(module, kernel, torch.randn(batch, length, 64), mask)


@pytest.mark.filterwarnings("ignore::dietcode.DietCodeWarning")
@pytest.mark.parametrize("groups, masked", [(2, False), (4, True)])
def test_attention(groups, masked):
    torch.manual_seed(0)
    module = models.Attention(groups=groups).eval()
    B, T = batch_and_length()
    masks = {"mask": {0: B, 2: T, 3: T}} if masked else {}
    example = (torch.randn(2, 7, 64), *((torch.zeros(2, 1, 7, 7),) if masked else ()))
    workload = dc.from_torch(module, example, dynamic_shapes={"x": {0: B, 1: T}, **masks})
    kernel = dc.compile(workload, max_kernels=1)
    for batch, length in ((1, 2), (2, 9), (3, 16)):
        x, mask = torch.randn(batch, length, 64), torch.randn(batch, 1, length, length)
        agree(module, kernel, x, *((mask,) if masked else ()))


def test_conv_net():
    torch.manual_seed(0)
    module = models.ConvNet().eval()
    workload = dc.from_torch(module, (torch.randn(2, 3, 16, 16),),
                             dynamic_shapes=({0: Dim("B", min=1, max=16)},))
    with pytest.warns(dc.DietCodeWarning, match="pooling_nchw_max' op will run on the host"):
        kernel = dc.compile(workload, max_kernels=2)
    for batch in (1, 2, 3, 5, 8, 13, 16, 17, 20, 33):
        agree(module, kernel, torch.randn(batch, 3, 16, 16))


@pytest.mark.filterwarnings("ignore::dietcode.DietCodeWarning")
def test_integers_are_inputs():
    torch.manual_seed(0)
    module = models.Embeddings().eval()
    B, T = batch_and_length()
    workload = dc.from_torch(module, (torch.randint(0, 100, (2, 7)),),
                             dynamic_shapes=({0: B, 1: T},))
    assert repr(workload) == "Workload(Embeddings(ids: i64(B, T)))"
    kernel = dc.compile(workload)
    for batch, length in SHAPES:
        agree(module, kernel, torch.randint(0, 100, (batch, length)))


class Joined(nn.Module):
    """Joins dynamic dimensions, and splits them again."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, 32))

    def forward(self, x):
        batch, length, _ = x.shape
        rows = x.view(batch * length, 64) @ self.weight
        return rows.view(batch, length, 4, 8).reshape(batch, length * 4, 8)


def test_views():
    module = Joined().eval()
    B, T = batch_and_length()
    workload = dc.from_torch(module, (torch.randn(2, 7, 64),), dynamic_shapes=({0: B, 1: T},))
    kernel = dc.compile(workload, max_kernels=2)
    for batch, length in SHAPES:
        with torch.no_grad():
            expected = module(x := torch.randn(batch, length, 64))
        assert np.allclose(kernel(x), expected, atol=1e-4)


@pytest.mark.parametrize("operand, result, groups", [
    ((2, 3, 64), (6, 64), [(0, 2, 0, 1), (2, 3, 1, 2)]),
    ((2, 3, 64), (2, 3, 4, 16), [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 4)]),
    ((2, 1, 3), (2, 3), [(0, 1, 0, 1), (1, 3, 1, 2)]),
    ((2, 3), (2, 3, 1), [(0, 1, 0, 1), (1, 2, 1, 3)]),
    ((6, 4, 5), (3, 8, 5), [(0, 2, 0, 2), (2, 3, 2, 3)]),
])
def test_dimensions_of_views(operand, result, groups):
    from dietcode.frontends.views import match

    assert [tuple(group) for group in match(operand, result)] == groups


class Interleaved(nn.Module):
    """Views of which no dimension is one of the operand's."""

    def forward(self, x):
        batch, length, _ = x.shape
        return x.view(batch * 4, length * 8) + 1


def test_views_of_all_dimensions():
    module = Interleaved()
    B, T = batch_and_length()
    kernel = dc.compile(dc.from_torch(module, (torch.randn(2, 7, 32),),
                                      dynamic_shapes=({0: B, 1: T},)))
    for batch, length in ((1, 2), (2, 9), (3, 16)):
        agree(module, kernel, torch.randn(batch, length, 32))


class Halves(nn.Module):
    def forward(self, x, y):
        return x[::2] + y


def test_derived_dimensions():
    T = Dim("T", min=2, max=50)
    module = Halves()
    workload = dc.from_torch(module, (torch.randn(14, 3), torch.randn(7, 3)), instances=[(5,), (9,)],
                             dynamic_shapes=({0: 2 * T}, {0: T}), weights=[1, 2], name="halves")
    assert repr(workload) == "Workload(halves(x: f32(2*T, 3), y: f32(T, 3)))"
    assert "instances [[5], [9]] weights [1.000000e+00, 2.000000e+00]" in workload.mlir
    kernel = dc.compile(workload)
    for t in (2, 5, 50, 77):
        agree(module, kernel, torch.randn(2 * t, 3), torch.randn(t, 3))
    with pytest.raises(dc.errors.ShapeError, match=r"argument 'y' has shape \(4, 3\); expected"):
        kernel(torch.randn(10, 3), torch.randn(4, 3))


def test_ranges_without_an_end():
    workload = dc.from_torch(Halves(), (torch.randn(14, 3), torch.randn(7, 3)), max_size=99,
                             dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}))
    assert all(variable.high == 99 for variable in workload.variables)


def test_exported_program():
    module = models.MLP().eval()
    program = export(module, (torch.randn(6, 64),), dynamic_shapes=({0: Dim("R", max=9)},))
    workload = dc.from_torch(program)
    assert workload.name == "exported"
    agree(module, dc.compile(workload, max_kernels=1), torch.randn(5, 64))


def test_tuning():
    module, workload = mlp("arguments")
    tuned = dc.tune(workload, trials=2, batch=2)
    assert tuned.report["trials"] == 2
    agree(module, dc.compile(tuned), torch.randn(9, 64), extra=workload.parameters)


class Several(nn.Module):
    def forward(self, x, unused, *, scale=2.0):
        return {"twice": x * scale, "sum": x.sum(-1)}


def test_several_results():
    workload = dc.from_torch(Several(), (torch.randn(4, 5), None),
                             dynamic_shapes=({0: Dim("N", max=64)}, None))
    twice, total = dc.compile(workload)(x := torch.randn(7, 5))
    assert torch.equal(twice, 2 * x) and torch.allclose(total, x.sum(-1), atol=1e-5)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x * 2


class Running(nn.Module):
    def forward(self, x):
        return torch.cummax(x, 0)[0]


def test_what_cannot_be_imported():
    with pytest.raises(dc.errors.InvalidArgumentError, match="the program changes 'calls'"):
        dc.from_torch(Counting(), (torch.randn(3),))
    with pytest.raises(dc.errors.CompileError, match="torch-mlir cannot lower aten.cummax: "):
        dc.from_torch(Running(), (torch.randn(3, 4),))
    with pytest.raises(dc.errors.CompileError, match="elements of complex64 are not supported"):
        dc.from_torch(Running(), (torch.randn(3, 4, dtype=torch.complex64),))
    with pytest.raises(TypeError, match="module is a function; expected a torch.nn.Module"):
        dc.from_torch(lambda x: x, (torch.randn(3),))


@pytest.mark.parametrize("missing", ["torch", "torch_mlir"])
def test_missing_packages_are_named(missing):
    code = f"""
import sys
sys.modules[{missing!r}] = None
import dietcode
dietcode.from_torch(None)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"from_torch needs the package {missing.replace('_', '-')}" in done.stderr
    assert "It was tested with" in done.stderr


@pytest.mark.parametrize("first", ["dietcode", "torch_mlir"])
def test_order_of_imports(first):
    """torch-mlir has an LLVM of its own in the same process."""
    second = {"dietcode": "torch_mlir.fx", "torch_mlir": "dietcode"}[first]
    code = f"""
import {first}, {second}, torch, dietcode as dc
module = torch.nn.ReLU()
kernel = dc.compile(dc.from_torch(module, (torch.randn(3, 4),)))
x = torch.randn(3, 4)
assert torch.equal(kernel(x), module(x))
print("right")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "right\n", done.stderr
