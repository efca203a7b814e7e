#!/usr/bin/env python3
"""How near single operators come to the bounds of a T4, on its virtual model.

    benchmarks/operators/operators.py [--build BUILD] [--only TEXT]

Each operator is written as linalg, compiled with the micro-kernels that the
device table alone selects, and run on virtual:t4 at 1590 MHz: every figure is
`virtual`, an estimate and no measurement. What computes is compared with the FP32
peak, 8.14 TFLOP/s, what moves data with the bandwidth of DRAM, 220 GB/s, and the
bytes that have to move.
A launch takes 3.7 us of each time. Large products are those of
benchmarks/gemm/peak.py.
"""

import argparse
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Models"))

from linalg_text import Function  # noqa: E402
from make_model import layer_norm, softmax  # noqa: E402

# As in lib/Target/Devices/Turing.cpp, where the sources are.
PEAK = 40 * 64 * 2 * 1590e6
DRAM = 220e9


def shape_text(shape):
    return "x".join(str(size) for size in shape)


class Operator:
    """A function of linalg with its arguments' shapes, and what it has to do.

    `first` are the values of the first argument, integers of 64 bits; it is random
    without them, as the others are."""

    def __init__(self, name, text, shapes, flops=0, moved=0, first=None):
        self.name, self.text, self.shapes = name, text, shapes
        self.flops, self.moved, self.first = flops, moved, first

    def fraction(self, seconds):
        if self.moved:
            return self.moved / DRAM / seconds, "DRAM"
        return self.flops / PEAK / seconds, "FP32"


def build(name, shapes, body):
    """A function on static tensors; `body` gets the function and its arguments."""
    function = Function("operator", "unnamed")
    arguments = [function.argument(f"a{i}", shape) for i, shape in enumerate(shapes)]
    text = function.text([body(function, arguments)])
    # There is no workload: all is static.
    return text.replace("attributes {dietcode.workload = @unnamed} ", "")


def matmul(m, n, k):
    text = f"""
func.func @operator(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>,
                    %init: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
                     outs(%0 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %1 : tensor<{m}x{n}xf32>
}}
"""
    return Operator(f"matmul {m}x{n}x{k}", text, [(m, k), (k, n), (m, n)],
                    flops=2 * m * n * k)


def convolution(batch, size, channels, layout):
    """A 3x3 layer of ResNet-50, padded by one."""
    nhwc = layout == "nhwc"
    image = [batch, size, size, channels] if nhwc else [batch, channels, size, size]
    weights = [3, 3, channels, channels] if nhwc else [channels, channels, 3, 3]
    low = "[0, 1, 1, 0]" if nhwc else "[0, 0, 1, 1]"
    op = "conv_2d_nhwc_hwcf" if nhwc else "conv_2d_nchw_fchw"
    padded = [d + 2 if d == size else d for d in image]
    x, w, p = (f"tensor<{shape_text(s)}xf32>" for s in (image, weights, padded))
    text = f"""
func.func @operator(%x: {x}, %w: {w}, %init: {x}) -> {x} {{
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low{low} high{low} {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : {x} to {p}
  %1 = linalg.fill ins(%zero : f32) outs(%init : {x}) -> {x}
  %2 = linalg.{op} ins(%0, %w : {p}, {w}) outs(%1 : {x}) -> {x}
  return %2 : {x}
}}
"""
    return Operator(f"conv 3x3 {layout} {shape_text(image)}", text, [image, weights, image],
                    flops=2 * batch * size * size * channels * channels * 9)


def depthwise(batch, size, channels):
    """A 3x3 layer of MobileNet, of an image that has been padded."""
    image, weights = [batch, size + 2, size + 2, channels], [3, 3, channels]
    out = [batch, size, size, channels]
    x, w, y = (f"tensor<{shape_text(s)}xf32>" for s in (image, weights, out))
    text = f"""
func.func @operator(%x: {x}, %w: {w}, %init: {y}) -> {y} {{
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : {y}) -> {y}
  %1 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : {x}, {w}) outs(%0 : {y}) -> {y}
  return %1 : {y}
}}
"""
    return Operator(f"depthwise 3x3 {shape_text(out)}", text, [image, weights, out],
                    moved=4 * sum(math.prod(shape) for shape in (image, weights, out)))


def row_operator(name, rows, columns, body, extra=()):
    shapes = [(rows, columns)] + list(extra)
    moved = 4 * (2 * rows * columns + sum(shape[0] for shape in extra))
    return Operator(f"{name} {rows}x{columns}", build(name, shapes, body), shapes, moved=moved)


def matvec(rows, columns):
    text = f"""
func.func @operator(%a: tensor<{rows}x{columns}xf32>, %x: tensor<{columns}xf32>,
                    %init: tensor<{rows}xf32>) -> tensor<{rows}xf32> {{
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  %1 = linalg.matvec ins(%a, %x : tensor<{rows}x{columns}xf32>, tensor<{columns}xf32>)
                     outs(%0 : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  return %1 : tensor<{rows}xf32>
}}
"""
    return Operator(f"matvec {rows}x{columns}", text, [(rows, columns), (columns,), (rows,)],
                    moved=4 * (rows * columns + rows + columns))


def mean(images, size, channels, layout):
    """The mean of the pixels of each channel, as torch-mlir has it."""
    nhwc = layout == "nhwc"
    shape = (images, size, size, channels) if nhwc else (images, channels, size, size)
    order = "n, h, w, c" if nhwc else "n, c, h, w"
    kinds = {"n": "parallel", "c": "parallel", "h": "reduction", "w": "reduction"}
    iterators = ", ".join(f'"{kinds[dim]}"' for dim in order.split(", "))
    x, y = f"tensor<{shape_text(shape)}xf32>", f"tensor<{images}x{channels}xf32>"
    text = f"""
func.func @operator(%x: {x}, %init: {y}) -> {y} {{
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : {y}) -> {y}
  %1 = linalg.generic {{
      indexing_maps = [affine_map<({order}) -> ({order})>, affine_map<({order}) -> (n, c)>],
      iterator_types = [{iterators}]}} ins(%x : {x}) outs(%0 : {y}) {{
  ^bb0(%e: f32, %acc: f32):
    %3 = arith.addf %acc, %e : f32
    linalg.yield %3 : f32
  }} -> {y}
  %2 = linalg.generic {{
      indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (n, c)>],
      iterator_types = ["parallel", "parallel"]}} ins(%1 : {y}) outs(%init : {y}) {{
  ^bb0(%e: f32, %o: f32):
    %pixels = arith.constant {size * size}.0 : f32
    %3 = arith.divf %e, %pixels : f32
    linalg.yield %3 : f32
  }} -> {y}
  return %2 : {y}
}}
"""
    return Operator(f"mean {layout} {shape_text(shape)}", text, [shape, (images, channels)],
                    moved=4 * images * channels * (size * size + 1))


def total(shape):
    """The sum of all elements."""
    x = f"tensor<{shape_text(shape)}xf32>"
    dims = ", ".join(str(dim) for dim in range(len(shape)))
    text = f"""
func.func @operator(%x: {x}) -> tensor<f32> {{
  %init = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%init : tensor<f32>) -> tensor<f32>
  %1 = linalg.reduce {{ arith.addf }} ins(%x : {x}) outs(%0 : tensor<f32>) dimensions = [{dims}]
  return %1 : tensor<f32>
}}
"""
    return Operator(f"sum {shape_text(shape)}", text, [shape], moved=4 * math.prod(shape))


def embedding(tokens, rows, columns):
    """The embeddings of tokens drawn at random, as torch-mlir has it."""
    ids = [random.Random(token).randrange(rows) for token in range(tokens)]
    table, y = f"tensor<{rows}x{columns}xf32>", f"tensor<{tokens}x{columns}xf32>"
    text = f"""
func.func @operator(%ids: tensor<{tokens}xi64>, %table: {table}, %init: {y}) -> {y} {{
  %rows = arith.constant {rows} : index
  %0 = linalg.generic {{
      indexing_maps = [affine_map<(t, c) -> (t)>, affine_map<(t, c) -> (t, c)>],
      iterator_types = ["parallel", "parallel"]}} ins(%ids : tensor<{tokens}xi64>) outs(%init : {y}) {{
  ^bb0(%id: i64, %o: f32):
    %1 = arith.index_cast %id : i64 to index
    %2 = linalg.index 1 : index
    %3 = arith.cmpi slt, %1, %rows : index
    cf.assert %3, "index must be smaller than dim size"
    %4 = tensor.extract %table[%1, %2] : {table}
    linalg.yield %4 : f32
  }} -> {y}
  return %0 : {y}
}}
"""
    moved = 8 * tokens + 4 * columns * (len(set(ids)) + tokens)
    return Operator(f"embedding {tokens} of {rows}x{columns}", text,
                    [(tokens,), (rows, columns), (tokens, columns)], moved=moved, first=ids)


def all_operators():
    # Each convolution, and the product with the same extents.
    for size, channels in [(56, 64), (28, 128), (14, 256), (7, 512)]:
        yield convolution(16, size, channels, "nhwc")
        yield convolution(16, size, channels, "nchw")
        yield matmul(16 * size * size, channels, 9 * channels)
    for size, channels in [(56, 64), (14, 256)]:
        yield depthwise(16, size, channels)
    for columns in (768, 1024):
        yield row_operator("softmax", 16384, columns, lambda f, x: softmax(f, x[0], True))
        yield row_operator("layer_norm", 16384, columns,
                           lambda f, x: layer_norm(f, x[0], x[1], x[2], 1e-5),
                           extra=[(columns,), (columns,)])
    yield matvec(16384, 4096)
    yield matvec(4096, 4096)
    yield mean(16, 56, 256, "nhwc")
    yield mean(16, 56, 256, "nchw")
    yield total((16, 56, 56, 256))
    yield embedding(4096, 30522, 768)


def write_npy(file, values):
    """A vector of integers of 64 bits, in the format of numpy."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(values)}q", *values))
    file.flush()


def run(program, operator):
    """The kernels that one call launches, with the seconds of each."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as source, \
            tempfile.NamedTemporaryFile("wb", suffix=".npy") as first:
        source.write(operator.text)
        source.flush()
        shapes = ",".join(shape_text(shape) for shape in operator.shapes)
        command = [program, "--json", f"--arg-shapes={shapes}", source.name]
        if operator.first:
            write_npy(first, operator.first)
            command.append(f"--input={first.name}")
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    kernels = json.loads(done.stdout)["runs"][0]["kernels"]
    return [(kernel["name"], kernel["seconds"]) for kernel in kernels]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", help="build folder")
    parser.add_argument("--only", default="", help="operators with this in their name")
    options = parser.parse_args()
    program = pathlib.Path(options.build) / "bin" / "dietcode-run"
    print(f"{'operator':<32} {'time, virtual':>13} {'of bound':>9}  {'bound':<7} kernels")
    for operator in all_operators():
        if options.only not in operator.name:
            continue
        try:
            launched = run(program, operator)
        except RuntimeError as error:
            print(f"{operator.name:<32} {error}")
            continue
        seconds = sum(time for _, time in launched)
        fraction, bound = operator.fraction(seconds)
        names = ", ".join(name for name, _ in launched)
        print(f"{operator.name:<32} {seconds * 1e6:10.1f} us {fraction * 100:7.1f} %  "
              f"{bound:<7} {names}", flush=True)


if __name__ == "__main__":
    main()
