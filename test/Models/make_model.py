#!/usr/bin/env python3
"""Writes one layer of a known model as linalg on tensors, with dynamic shapes.

    make_model.py bert-layer --hidden 24 --heads 3 --ffn 40 > layer.mlir

The operations are those that torch-mlir and IREE's importers give the compiler:
weights are arguments and lie as in PyTorch, products of three dimensions go
through reshapes, normalisations and softmax are chains of generics.
"""

import argparse
import math
import sys

from linalg_text import Function, chain


def add(function, a, b):
    return function.elementwise([a, b], chain([("s", "arith.addf", ["0", "1"])]))


def linear(function, x, weight, bias, transposed=True):
    """x W^T + b, or x W + b, on the last dimension of x."""
    rank = len(x.shape)
    columns = weight.shape[0 if transposed else 1]
    rows = function.collapse(x, [list(range(rank - 1)), [rank - 1]])
    init = function.fill([rows.shape[0], columns], 0.0)
    if transposed:
        weight = function.transpose(weight, [1, 0])
    product = function.named("matmul", [rows, weight], init)
    product = add(function, product, bias)
    return function.expand(product, [list(range(rank - 1)), [rank - 1]],
                           list(x.shape[:-1]) + [columns])


def layer_norm(function, x, gamma, beta, epsilon):
    size = float(x.shape[-1])
    total = function.reduce_last(x, "arith.addf", 0.0)
    mean = function.elementwise([total], chain([("m", "arith.divf", ["0", size])]))
    centered = function.elementwise([x, mean], chain([("c", "arith.subf", ["0", "1"])]))
    square = function.elementwise([centered], chain([("q", "arith.mulf", ["0", "0"])]))
    total = function.reduce_last(square, "arith.addf", 0.0)
    scale = function.elementwise([total], chain([
        ("v", "arith.divf", ["0", size]), ("e", "arith.addf", ["v", epsilon]),
        ("r", "math.rsqrt", ["e"])]))
    return function.elementwise([centered, scale, gamma, beta], chain([
        ("n", "arith.mulf", ["0", "1"]), ("g", "arith.mulf", ["n", "2"]),
        ("b", "arith.addf", ["g", "3"])]))


def softmax(function, x, named):
    """Over the last dimension."""
    if named:
        return function.softmax(x, len(x.shape) - 1)
    largest = function.reduce_last(x, "arith.maximumf", float("-inf"))
    exp = function.elementwise([x, largest], chain([
        ("d", "arith.subf", ["0", "1"]), ("e", "math.exp", ["d"])]))
    total = function.reduce_last(exp, "arith.addf", 0.0)
    return function.elementwise([exp, total], chain([("p", "arith.divf", ["0", "1"])]))


def gelu_erf(function, x):
    return function.elementwise([x], chain([
        ("a", "arith.divf", ["0", math.sqrt(2)]), ("e", "math.erf", ["a"]),
        ("s", "arith.addf", ["e", 1.0]), ("h", "arith.mulf", ["s", 0.5]),
        ("y", "arith.mulf", ["0", "h"])]))


def gelu_tanh(function, x):
    return function.elementwise([x], chain([
        ("q", "arith.mulf", ["0", "0"]), ("c", "arith.mulf", ["q", "0"]),
        ("t", "arith.mulf", ["c", 0.044715]), ("i", "arith.addf", ["0", "t"]),
        ("a", "arith.mulf", ["i", math.sqrt(2 / math.pi)]), ("e", "math.tanh", ["a"]),
        ("s", "arith.addf", ["e", 1.0]), ("h", "arith.mulf", ["s", 0.5]),
        ("y", "arith.mulf", ["0", "h"])]))


def split_heads(function, x, heads):
    """[b, t, heads * d] to [b, heads, t, d]."""
    b, t, hidden = x.shape
    x = function.expand(x, [[0], [1], [2, 3]], [b, t, heads, hidden // heads])
    return function.transpose(x, [0, 2, 1, 3])


def batch_matmul(function, a, b):
    """On the last two of four dimensions."""
    groups = [[0, 1], [2], [3]]
    left, right = function.collapse(a, groups), function.collapse(b, groups)
    shape = [left.shape[0], left.shape[1], right.shape[2]]
    product = function.named("batch_matmul", [left, right], function.fill(shape, 0.0))
    return function.expand(product, groups, list(a.shape[:2]) + shape[1:])


def attention(function, q, k, v, mask, options):
    """Of queries, keys and values [b, heads, t, d], and what is added to the
    scores [b, heads, t, t], if anything; [b, t, heads * d]."""
    b, heads, t, d = q.shape
    scores = batch_matmul(function, q, function.transpose(k, [0, 1, 3, 2]))
    scale = 1 / math.sqrt(d)
    if mask is None:
        scores = function.elementwise([scores], chain([("m", "arith.mulf", ["0", scale])]))
    else:
        scores = function.elementwise([scores, mask], chain([
            ("m", "arith.mulf", ["0", scale]), ("a", "arith.addf", ["m", "1"])]))
    weights = softmax(function, scores, options.named_softmax)
    context = batch_matmul(function, weights, v)
    context = function.transpose(context, [0, 2, 1, 3])
    return function.collapse(context, [[0], [1], [2, 3]])


def declare(variables, workload, instances):
    lines = [f"dietcode.shape_var @{name} range [{low}, {high}]"
             for name, (low, high) in variables.items()]
    rows = ", ".join(str(list(i)) for i in instances)
    over = ", ".join(f"@{name}" for name in variables)
    return lines + [f"dietcode.workload @{workload} over [{over}] instances [{rows}]", ""]


def bert_layer(options):
    """An encoder layer, normalised after each part (post-norm)."""
    hidden, heads, ffn = options.hidden, options.heads, options.ffn
    function = Function("bert_layer", "bert")
    x = function.argument("x", [options.batch or "B", "T", hidden])
    mask = function.argument("mask", [options.batch or "B", 1, 1, "T"])
    weights = {}
    for name, rows, columns in [
            ("q", hidden, hidden), ("k", hidden, hidden), ("v", hidden, hidden),
            ("o", hidden, hidden), ("up", ffn, hidden), ("down", hidden, ffn)]:
        weights[name] = (function.argument(f"{name}_weight", [rows, columns]),
                         function.argument(f"{name}_bias", [rows]))
    norms = [(function.argument(f"norm{i}_gamma", [hidden]),
              function.argument(f"norm{i}_beta", [hidden])) for i in (1, 2)]
    variables = {"T": (1, 512)} if options.batch else {"B": (1, 16), "T": (1, 512)}
    b = str(options.batch or "b")
    function.bind(x, variables, [b, "t", str(hidden)])
    function.bind(mask, variables, [b, "1", "1", "t"])
    batch = options.batch or function.dim(x, 0)
    x.shape = (batch, function.dim(x, 1), hidden)
    mask.shape = (batch, 1, 1, x.shape[1])

    q, k, v = [split_heads(function, linear(function, x, *weights[name]), heads)
               for name in "qkv"]
    context = attention(function, q, k, v, mask, options)
    x = layer_norm(function, add(function, linear(function, context, *weights["o"]), x),
                   *norms[0], 1e-12)
    up = gelu_erf(function, linear(function, x, *weights["up"]))
    down = linear(function, up, *weights["down"])
    y = layer_norm(function, add(function, down, x), *norms[1], 1e-12)
    instances = [(1, 16), (1, 128), (8, 64), (16, 128), (4, 384)]
    if options.batch:
        instances = [(16,), (64,), (128,), (384,)]
    head = declare(variables, "bert", instances)
    return head, function.text([y])


def append(function, cache, value):
    """The cache [b, heads, l, d] with the value [b, heads, 1, d] behind it."""
    b, heads, length, d = cache.shape
    longer = function.integer_op("addi", length, function.index(1))
    into = function.empty([b, heads, longer, d])
    into = function.insert(cache, into, [0, 0, 0, 0])
    return function.insert(value, into, [0, 0, length, 0])


def gpt2_block(options):
    """A decoding step: one token for each of B sequences, of L tokens so far."""
    hidden, heads, ffn = options.hidden, options.heads, options.ffn
    function = Function("gpt2_block", "gpt2")
    x = function.argument("x", ["B", 1, hidden])
    caches = [function.argument(f"{n}_cache", ["B", heads, "L", hidden // heads])
              for n in "kv"]
    # Conv1D of the original: the weights are not transposed.
    weights = {}
    for name, rows, columns in [("qkv", hidden, 3 * hidden), ("o", hidden, hidden),
                                ("up", hidden, ffn), ("down", ffn, hidden)]:
        weights[name] = (function.argument(f"{name}_weight", [rows, columns]),
                         function.argument(f"{name}_bias", [columns]), False)
    norms = [(function.argument(f"norm{i}_gamma", [hidden]),
              function.argument(f"norm{i}_beta", [hidden])) for i in (1, 2)]
    function.bind(x, ["B", "L"], ["b", "1", str(hidden)])
    for cache in caches:
        function.bind(cache, ["B", "L"], ["b", str(heads), "l", str(hidden // heads)])
    batch, length = function.dim(x, 0), function.dim(caches[0], 2)
    x.shape = (batch, 1, hidden)
    for cache in caches:
        cache.shape = (batch, heads, length, hidden // heads)

    normal = layer_norm(function, x, *norms[0], 1e-5)
    qkv = linear(function, normal, *weights["qkv"])
    q, k, v = [split_heads(function, function.slice(qkv, [0, 0, i * hidden], x.shape), heads)
               for i in range(3)]
    k, v = append(function, caches[0], k), append(function, caches[1], v)
    context = attention(function, q, k, v, None, options)
    x = add(function, linear(function, context, *weights["o"]), x)
    up = gelu_tanh(function, linear(function, layer_norm(function, x, *norms[1], 1e-5),
                                    *weights["up"]))
    y = add(function, linear(function, up, *weights["down"]), x)
    head = declare({"B": (1, 32), "L": (1, 1023)}, "gpt2",
                   [(1, 16), (1, 512), (8, 128), (32, 1023)])
    return head, function.text([y, k, v])


def convolution(function, x, weight, scale, bias, relu):
    """NHWC by HWCF, with the batch norm folded to a scale and a bias."""
    batch, height, width, _ = x.shape
    kernel, _, _, filters = weight.shape
    if kernel > 1:
        edge = kernel // 2
        x = function.pad(x, [0, edge, edge, 0], [0, edge, edge, 0], 0.0)
    init = function.fill([batch, height, width, filters], 0.0)
    attributes = ", ".join(f"{name} = dense<1> : vector<2xi64>"
                           for name in ("dilations", "strides"))
    y = function.named("conv_2d_nhwc_hwcf", [x, weight], init, f"{{{attributes}}} ")
    steps = [("m", "arith.mulf", ["0", "1"]), ("a", "arith.addf", ["m", "2"])]
    if relu:
        steps.append(("r", "arith.maximumf", ["a", 0.0]))
    return function.elementwise([y, scale, bias], chain(steps))


def resnet_bottleneck(options):
    """1x1, 3x3 and 1x1, and what came in added to what comes out."""
    channels, middle = options.channels, options.channels // 4
    function = Function("resnet_bottleneck", "resnet")
    x = function.argument("x", ["N", "H", "W", channels])
    weights = []
    for i, (kernel, inputs, filters) in enumerate(
            [(1, channels, middle), (3, middle, middle), (1, middle, channels)]):
        weights.append((function.argument(f"conv{i}_weight", [kernel, kernel, inputs, filters]),
                        function.argument(f"conv{i}_scale", [filters]),
                        function.argument(f"conv{i}_bias", [filters])))
    function.bind(x, ["N", "H", "W"], ["n", "h", "w", str(channels)])
    x.shape = tuple(function.dim(x, i) for i in range(3)) + (channels,)
    y = convolution(function, x, *weights[0], relu=True)
    y = convolution(function, y, *weights[1], relu=True)
    y = convolution(function, y, *weights[2], relu=False)
    y = function.elementwise([y, x], chain([
        ("s", "arith.addf", ["0", "1"]), ("r", "arith.maximumf", ["s", 0.0])]))
    head = declare({"N": (1, 64), "H": (7, 112), "W": (7, 112)}, "resnet",
                   [(1, 56, 56), (8, 56, 56), (16, 40, 60)])
    return head, function.text([y])


MODELS = {"bert-layer": bert_layer, "gpt2-block": gpt2_block,
          "resnet-bottleneck": resnet_bottleneck}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--ffn", type=int, default=3072)
    parser.add_argument("--batch", type=int, default=0,
                        help="a static number of sentences for bert-layer")
    parser.add_argument("--channels", type=int, default=256,
                        help="of what comes in; the middle has a quarter")
    parser.add_argument("--named-softmax", action="store_true",
                        help="linalg.softmax instead of generics")
    options = parser.parse_args()
    if options.hidden % options.heads:
        parser.error("--hidden must be a multiple of --heads")
    if options.channels % 4:
        parser.error("--channels must be a multiple of 4")
    head, function = MODELS[options.model](options)
    sys.stdout.write("\n".join(head) + function)


if __name__ == "__main__":
    main()
