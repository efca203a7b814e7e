"""Models of ONNX with symbolic dimensions."""

import subprocess
import sys

import numpy as np
import pytest

import dietcode as dc

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch_mlir")

from onnx import TensorProto, helper, numpy_helper


def model(nodes, inputs, outputs, constants=(), opset=20):
    infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in part]
             for part in (inputs, outputs)]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph(nodes, "network", *infos, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


@pytest.fixture
def network(random):
    """Two layers, with a softmax; and what it should give."""
    up, down, bias = (random.standard_normal(shape, dtype="float32")
                      for shape in ((64, 128), (128, 32), 128))
    nodes = [
        helper.make_node("MatMul", ["x", "up"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["sum"]),
        helper.make_node("Relu", ["sum"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "down"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["y"], axis=-1),
    ]
    proto = model(nodes, [("x", ["batch", "length", 64])], [("y", ["batch", "length", 32])],
                  [("up", up), ("down", down), ("bias", bias)])

    def reference(x):
        scores = np.maximum(x.astype("float64") @ up + bias, 0) @ down
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)

    return proto, reference


@pytest.mark.filterwarnings("ignore::dietcode.DietCodeWarning")
def test_network(network, random, tmp_path):
    proto, reference = network
    onnx.save(proto, tmp_path / "network.onnx")
    length = dc.DynShapeVar("length", 1, 64)
    workload = dc.from_onnx(tmp_path / "network.onnx", variables=[length],
                            instances=[{"length": 5, "batch": 2}])
    assert repr(workload) == "Workload(network(x: f32(batch, length, 64)))"
    assert [(v.name, v.low, v.high) for v in workload.variables] == [("length", 1, 64),
                                                                    ("batch", 1, 4096)]
    kernel = dc.compile(workload, max_kernels=2)
    for shape in ((1, 2), (2, 1), (1, 7), (2, 9), (3, 16), (4, 5), (2, 31), (5, 3), (1, 40), (8, 2)):
        x = random.standard_normal((*shape, 64), dtype="float32")
        assert np.allclose(kernel(x), reference(x), atol=1e-4)


def integers(name, *values):
    return name, np.array(values, dtype="int64")


# The first two sizes of x, and their product.
SIZES = [
    helper.make_node("Shape", ["x"], ["all"]),
    helper.make_node("Slice", ["all", "first", "end"], ["some"]),
    helper.make_node("ReduceProd", ["some"], ["joined"]),
]
FIRST = [integers("first", 0), integers("end", 2)]


@pytest.mark.parametrize("nodes, constants, declared, shape", [
    ([], [integers("sizes", 0, 0, 4, 16)], ["B", "T", 4, 16], (2, 3, 4, 16)),
    ([], [integers("sizes", -1, 64)], ["N", 64], (6, 64)),
    ([*SIZES[:2], helper.make_node("Concat", ["some", "split"], ["sizes"], axis=0)],
     [*FIRST, integers("split", 4, 16)], ["B", "T", 4, 16], (2, 3, 4, 16)),
    ([*SIZES, helper.make_node("Concat", ["joined", "last"], ["sizes"], axis=0)],
     [*FIRST, integers("last", 64)], ["N", 64], (6, 64)),
], ids=["kept", "inferred", "split", "joined"])
def test_reshape(nodes, constants, declared, shape, random):
    nodes = [*nodes, helper.make_node("Reshape", ["x", "sizes"], ["view"]),
             helper.make_node("Relu", ["view"], ["y"])]
    kernel = dc.compile(dc.from_onnx(model(nodes, [("x", ["B", "T", 64])], [("y", declared)],
                                           constants)))
    x = random.standard_normal((2, 3, 64), dtype="float32")
    assert np.array_equal(kernel(x), np.maximum(x.reshape(shape), 0))


def test_what_cannot_be_imported(network):
    proto, _ = network
    with pytest.raises(dc.errors.InvalidArgumentError,
                       match="no dimension of an input is called T; there are batch, length"):
        dc.from_onnx(proto, variables=[dc.DynShapeVar("T")])
    with pytest.raises(TypeError, match="model is a int; expected an onnx.ModelProto or a path"):
        dc.from_onnx(7)
    unknown = model([helper.make_node("Unique", ["x"], ["y"])], [("x", [7])], [("y", [7])])
    with pytest.raises(dc.errors.CompileError, match="torch-mlir (crashed|cannot lower).*Unique"):
        dc.from_onnx(unknown)


@pytest.mark.parametrize("missing", ["onnx", "torch_mlir"])
def test_missing_packages_are_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; import dietcode; dietcode.from_onnx(None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"from_onnx needs the package {missing.replace('_', '-')}" in done.stderr
