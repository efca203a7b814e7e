#!/usr/bin/env python3
"""Runs a layer that make_model.py writes, and compares it with its definition.

    check_model.py dietcode-run layer.mlir bert-layer --heads 3 --shape T=5

`dietcode-run --check` compares with the same operations in float64; this compares
with the formulas of the layer, evaluated here on lists, so that it says whether
the operations are those of the layer.
"""

import argparse
import array
import math
import random
import re
import subprocess
import sys
import tempfile


class Tensor:
    def __init__(self, shape, data):
        self.shape, self.data = list(shape), data

    def at(self, *index):
        offset = 0
        for size, i in zip(self.shape, index):
            offset = offset * size + i
        return self.data[offset]


def write_npy(path, tensor):
    shape = ", ".join(map(str, tensor.shape)) + ("," if len(tensor.shape) == 1 else "")
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        array.array("f", tensor.data).tofile(file)


def read_npy(path):
    with open(path, "rb") as file:
        content = file.read()
    end = 10 + int.from_bytes(content[8:10], "little")
    shape = re.search(rb"'shape': \(([^)]*)\)", content[10:end]).group(1)
    data = array.array("f")
    data.frombytes(content[end:])
    return Tensor([int(s) for s in shape.split(b",") if s.strip()], list(data))


def read_arguments(path, sizes):
    """Names and shapes of the function's arguments; `sizes` are those of the
    dynamic dimensions, which bind_shape gives."""
    with open(path) as file:
        text = file.read()
    shapes = {}
    for name, dims in re.findall(r"    %(\w+): tensor<([\dx?]+)xf32>[,)]", text):
        shapes[name] = dims.split("x")
    for name, dims in re.findall(
            r"bind_shape %(\w+) \[[^]]*\], affine_map<\(\)\[[^]]*\] -> \(([^)]*)\)>", text):
        shapes[name] = [sizes.get(d, d) for d in dims.split(", ")]
    return {name: [int(d) for d in dims] for name, dims in shapes.items()}


# Layers, on vectors and matrices that are lists.


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def row(tensor, *index):
    size = tensor.shape[-1]
    offset = 0
    for s, i in zip(tensor.shape, index):
        offset = offset * s + i
    return tensor.data[offset * size:(offset + 1) * size]


def linear(x, weight, bias, transposed):
    """Of one vector, with weights [out, in] if `transposed`, or else [in, out]."""
    if transposed:
        columns = [row(weight, j) for j in range(weight.shape[0])]
    else:
        columns = [[weight.at(i, j) for i in range(weight.shape[0])]
                   for j in range(weight.shape[1])]
    return [dot(x, column) + b for column, b in zip(columns, bias.data)]


def layer_norm(x, gamma, beta, epsilon):
    mean = math.fsum(x) / len(x)
    variance = math.fsum((v - mean) ** 2 for v in x) / len(x)
    return [(v - mean) / math.sqrt(variance + epsilon) * g + b
            for v, g, b in zip(x, gamma.data, beta.data)]


def attend(q, keys, values, heads, mask):
    """One query against keys and values, all [heads * d]."""
    d = len(q) // heads
    result = []
    for h in range(heads):
        part = slice(h * d, (h + 1) * d)
        scores = [dot(q[part], k[part]) / math.sqrt(d) + m for k, m in zip(keys, mask)]
        largest = max(scores)
        weights = [math.exp(s - largest) for s in scores]
        total = math.fsum(weights)
        result += [dot([w / total for w in weights], [v[part][i] for v in values])
                   for i in range(d)]
    return result


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def bert_layer(a, heads):
    def apply(name, x):
        return linear(x, a[f"{name}_weight"], a[f"{name}_bias"], True)

    def norm(i, x):
        return layer_norm(x, a[f"norm{i}_gamma"], a[f"norm{i}_beta"], 1e-12)

    batch, length, _ = a["x"].shape
    output = []
    for b in range(batch):
        xs = [row(a["x"], b, t) for t in range(length)]
        keys, values = [apply("k", x) for x in xs], [apply("v", x) for x in xs]
        for x in xs:
            context = attend(apply("q", x), keys, values, heads, row(a["mask"], b, 0, 0))
            x = norm(1, plus(apply("o", context), x))
            up = [v / 2 * math.erfc(-v / math.sqrt(2)) for v in apply("up", x)]
            output += norm(2, plus(apply("down", up), x))
    return [output]


def gpt2_block(a, heads):
    def apply(name, x):
        return linear(x, a[f"{name}_weight"], a[f"{name}_bias"], False)

    def norm(i, x):
        return layer_norm(x, a[f"norm{i}_gamma"], a[f"norm{i}_beta"], 1e-5)

    batch, _, hidden = a["x"].shape
    length, d = a["k_cache"].shape[2:]
    y, caches = [], ([], [])
    for b in range(batch):
        x = row(a["x"], b, 0)
        qkv = apply("qkv", norm(1, x))
        q, new = qkv[:hidden], (qkv[hidden:2 * hidden], qkv[2 * hidden:])
        rows = []
        for name, fresh, longer in zip("kv", new, caches):
            old = [sum((row(a[f"{name}_cache"], b, h, t) for h in range(heads)), [])
                   for t in range(length)]
            rows.append(old + [fresh])
            for h in range(heads):
                for r in rows[-1]:
                    longer += r[h * d:(h + 1) * d]
        context = attend(q, rows[0], rows[1], heads, [0.0] * (length + 1))
        x = plus(apply("o", context), x)
        up = [v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v ** 3)))
              for v in apply("up", norm(2, x))]
        y += plus(apply("down", up), x)
    return [y, caches[0], caches[1]]


def resnet_bottleneck(a, _):
    x = a["x"]
    batch, height, width, _ = x.shape
    y = x
    for i in range(3):
        weight, scale, bias = (a[f"conv{i}_{n}"] for n in ("weight", "scale", "bias"))
        kernel, _, inputs, filters = weight.shape
        data = []
        for n in range(batch):
            for h in range(height):
                for w in range(width):
                    for f in range(filters):
                        total = math.fsum(
                            y.at(n, h + p - kernel // 2, w + q - kernel // 2, c) *
                            weight.at(p, q, c, f)
                            for p in range(kernel) for q in range(kernel)
                            if 0 <= h + p - kernel // 2 < height
                            and 0 <= w + q - kernel // 2 < width
                            for c in range(inputs))
                        value = total * scale.data[f] + bias.data[f]
                        data.append(value if i == 2 else max(value, 0.0))
        y = Tensor([batch, height, width, filters], data)
    return [[max(v + r, 0.0) for v, r in zip(y.data, x.data)]]


LAYERS = {"bert-layer": bert_layer, "gpt2-block": gpt2_block,
          "resnet-bottleneck": resnet_bottleneck}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dietcode_run")
    parser.add_argument("file")
    parser.add_argument("model", choices=LAYERS)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--shape", required=True)
    options = parser.parse_args()
    sizes = dict(pair.split("=") for pair in options.shape.lower().split(","))
    generator = random.Random(0)
    arguments = {name: Tensor(shape, array.array("f", [
        generator.uniform(-1, 1) for _ in range(math.prod(shape))]).tolist())
        for name, shape in read_arguments(options.file, sizes).items()}
    expected = LAYERS[options.model](arguments, options.heads)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        command = [options.dietcode_run, options.file, "--shape", options.shape]
        for name, tensor in arguments.items():
            write_npy(f"{folder}/{name}.npy", tensor)
            command.append(f"--input={folder}/{name}.npy")
        outputs = [f"{folder}/result{i}.npy" for i in range(len(expected))]
        command += [f"--output={path}" for path in outputs]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for path, values in zip(outputs, expected):
            got = read_npy(path).data
            if len(got) != len(values):
                sys.exit(f"{len(got)} elements instead of {len(values)}")
            scale = max(map(abs, values))
            worst = max(worst, max(abs(g - v) / scale for g, v in zip(got, values)))
    print(f"largest error {worst:.1e} of the largest element")
    sys.exit(not worst < 1e-5)


if __name__ == "__main__":
    main()
