"""The text that the builder writes, on its own."""

import pytest

from dietcode import ir
from dietcode.dims import DynShapeVar
from dietcode.errors import InvalidArgumentError, ShapeError

T = DynShapeVar("T", 1, 128)
B = DynShapeVar("B", 1, 16, multiple_of=4)


def test_types():
    assert ir.tensor_type((16 * T, 768), "f16") == "tensor<?x768xf16>"
    assert ir.tensor_type((), "f32") == "tensor<f32>"
    value = ir.Value("%x", (B, T, 3), "i8")
    assert value.type == "tensor<?x?x3xi8>" and value.rank == 3
    assert ir.shape_text(value) == "(B, T, 3)"


@pytest.mark.parametrize("number, dtype, text", [
    (float("inf"), "f32", "0x7F800000"),
    (float("-inf"), "f32", "0xFF800000"),
    (float("nan"), "f32", "0x7FC00000"),
    (float("-inf"), "f16", "0xFC00"),
    (float("inf"), "bf16", "0x7F80"),
    (float("inf"), "f64", "0x7FF0000000000000"),
    (0.5, "f32", "5.00000000000000000e-01"),
])
def test_numbers(number, dtype, text):
    assert ir.float_text(number, dtype) == text


@pytest.mark.parametrize("size, text", [
    (768, "768"),
    (16 * T + 1, "s_T * 16 + 1"),
    (B * T - 2, "s_B * s_T + -2"),
    ((T + 1) // 2 * 3, "((s_T + 1) floordiv 2) * 3"),
])
def test_dimensions_of_maps(size, text):
    assert ir.spell_dim(size) == text


def test_declarations():
    workload = ir.Workload("w", [T, B], [[5, 4], [128, 16]], [1, 2.5])
    assert workload.text() == (
        "dietcode.shape_var @T range [1, 128]\n"
        "dietcode.shape_var @B range [1, 16] multiple_of 4\n"
        "dietcode.workload @w over [@T, @B] instances [[5, 4], [128, 16]] weights [1.0, 2.5]\n")
    assert ir.Workload("w", [T]).text() == "dietcode.shape_var @T range [1, 128]\n"


def test_a_function():
    function = ir.Function("f", [T], "w")
    x = function.argument("x", (2 * T + 1, 4), "f32")
    y = function.generic([x], function.empty((T, 4), "f32"), 2, [["d0 * 2", "d1"], ["d0", "d1"]],
                         lambda block, names: block.op("arith.negf", names[:1], "f32"))
    assert function.text([y]) == """\
func.func @f(%x: tensor<?x4xf32> {bufferization.writable = false}) -> (tensor<?x4xf32>) \
attributes {dietcode.workload = @w} {
  dietcode.bind_shape %x [@T], affine_map<()[s_T] -> (s_T * 2 + 1, 4)> : tensor<?x4xf32>
  %c$0 = arith.constant 0 : index
  %c$1 = arith.constant 1 : index
  %c$2 = arith.constant 2 : index
  %1 = tensor.dim %x, %c$0 : tensor<?x4xf32>
  %2 = arith.subi %1, %c$1 : index
  %3 = arith.divsi %2, %c$2 : index
  %4 = tensor.empty(%3) : tensor<?x4xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2, d1)>, \
affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>)
      outs(%4 : tensor<?x4xf32>) {
  ^bb0(%5: f32, %6: f32):
    %7 = arith.negf %5 : f32
    linalg.yield %7 : f32
  } -> tensor<?x4xf32>
  return %8 : tensor<?x4xf32>
}
"""


def test_sizes_are_computed_once():
    function = ir.Function("f", [T, B])
    function.argument("x", (T,), "f32")
    function.argument("y", (4 * B,), "f32")
    assert function.size(T * B + 2) == function.size(2 + B * T)
    assert function.size(4 * B) == "%2"


def test_mistakes():
    function = ir.Function("f", [T, B])
    function.argument("x", (T * B,), "f32")
    with pytest.raises(InvalidArgumentError, match="two arguments are called 'x'"):
        function.argument("x", (4,), "f32")
    with pytest.raises(ShapeError, match="no dimension of an argument determines the shape variable T"):
        function.size(T)
