#!/usr/bin/env python3
"""Runs operators on random shapes, and compares results with derived bounds.

    sweep.py --run dietcode-run --operator conv_2d --shapes 500

Each program is one function of linalg with random transposes, layouts, strides,
paddings and epilogue; each is run on many shapes, among them empty ones, by
`dietcode-run --check`: all checkers of the virtual GPU watch, what surrounds an
operand is poisoned, and a reference is evaluated in double precision. An error is
relative to the sum of the absolute values of the terms of an element, for which
bounds are derived in docs/accuracy.md. Everything depends on the seed alone.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

UNIT = 2.0 ** -24


def gamma(roundings):
    """The largest relative error of that many roundings in f32."""
    return roundings * UNIT / (1 - roundings * UNIT)


# Shapes


TAILS = [15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129]


def size(rng, largest):
    """Zero, one, what tiles do not divide and what vectors do, or anything."""
    kind = rng.random()
    if kind < 0.04:
        return 0
    if kind < 0.14:
        return 1
    if kind < 0.4:
        return min(largest, rng.choice(TAILS))
    if kind < 0.65:
        return min(largest, 4 * rng.randint(1, 20)) // 4 * 4 or 4
    return rng.randint(1, largest)


def sizes(rng, count, largest, work):
    """Sizes whose product, empty ones aside, is no more than `work`."""
    result = [size(rng, largest) for _ in range(count)]
    if rng.aligned:
        result = [s if s < 3 else (s + 3) // 4 * 4 for s in result]
    while math.prod(max(s, 1) for s in result) > work:
        at = rng.choice([i for i, s in enumerate(result) if s == max(result)])
        result[at] = result[at] // 2 // 4 * 4 or result[at] // 2
    return result


class Operand:
    """An argument of a function: a tensor, or a buffer with some layout."""

    def __init__(self, name, rank, kind, unit=None):
        self.name, self.rank, self.kind, self.unit = name, rank, kind, unit

    @property
    def type(self):
        dims = "?x" * self.rank + "f32"
        if self.kind == "tensor":
            return f"tensor<{dims}>"
        strides = ", ".join("1" if d == self.unit else "?" for d in range(self.rank))
        return f"memref<{dims}, strided<[{strides}], offset: ?>>"

    def spell(self, rng, shape):
        """The sizes with strides and an offset."""
        text = "x".join(map(str, shape)) or "scalar"
        offset = 4 * rng.randint(0, 3) if rng.aligned else rng.randint(0, 9)
        if not shape:
            return f"{text}+{offset}"
        if self.kind == "tensor":
            return text + (f"+{offset}" if rng.random() < 0.5 else "")
        order = list(range(self.rank))
        if self.unit is not None:
            order.remove(self.unit)
            rng.shuffle(order)
            order.insert(0, self.unit)
        elif rng.random() < 0.5:
            order.reverse()
        else:
            rng.shuffle(order)
        strides, span = [0] * self.rank, 1
        if self.unit is None and rng.random() < 0.2:
            span = rng.randint(2, 3)
        for dim in order:
            strides[dim] = span
            span = max(1, span * shape[dim]) + rng.choice([0, 0, 1, 3, 4])
            if rng.aligned:
                span = -(-span // 4) * 4
        return f"{text}:{'x'.join(map(str, strides))}+{offset}"


def operand(rng, name, rank, tensors):
    if tensors:
        return Operand(name, rank, "tensor")
    unit = rng.choice([None, rank - 1, rng.randrange(rank)]) if rank else None
    return Operand(name, rank, "buffer", unit)


# Programs


class Program:
    """A function, and how to sample what it is run on."""

    def __init__(self, text, sample):
        self.text, self.sample = text, sample


def affine(dims, results):
    return f"affine_map<({', '.join(dims)}) -> ({', '.join(results)})>"


def wrap(operands, lines, result):
    arguments = ", ".join(f"%{o.name}: {o.type}" for o in operands)
    body = "\n".join("  " + line for line in lines)
    if result is None:
        return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"
    return (f"func.func @f({arguments}) -> {operands[-1].type} {{\n{body}\n"
            f"  return {result} : {operands[-1].type}\n}}\n")


def finish(rng, operands, lines, emit, names, channel):
    """Emits the operator, which `emit(init)` spells, and what comes around it:
    nothing (it accumulates), a fill, or a fill and an epilogue with a bias of
    the dimension `channel` of the result. Returns the result, the operands, and
    the roundings that it takes besides those of the sum."""
    out = operands[-1]
    tensors = out.kind == "tensor"
    form = rng.choice(["accumulate", "fill", "bias", "bias relu"])
    if form == "accumulate":
        lines.append(("%r = " if tensors else "") + emit("%" + out.name))
        return ("%r" if tensors else None), operands, 1
    lines.append("%zero = arith.constant 0.0 : f32")
    fill = f"linalg.fill ins(%zero : f32) outs(%{out.name} : {out.type})"
    lines.append(f"%init = {fill} -> {out.type}" if tensors else fill)
    init = "%init" if tensors else "%" + out.name
    lines.append(("%s = " if tensors else "") + emit(init))
    if form == "fill":
        return ("%s" if tensors else None), operands, 0
    bias = operand(rng, "bias", 1, tensors)
    identity, column = affine(names, names), affine(names, [names[channel]])
    kinds = ", ".join(['"parallel"'] * len(names))
    add = ["  %1 = arith.addf %e, %v : f32"]
    if "relu" in form:
        add.append("  %2 = arith.maximumf %1, %zero : f32")
    yielded = "%2" if "relu" in form else "%1"
    if tensors:
        lines += [f"%r = linalg.generic {{indexing_maps = [{identity}, {column}, {identity}], "
                  f"iterator_types = [{kinds}]}} ins(%s, %bias : {out.type}, {bias.type}) "
                  f"outs(%{out.name} : {out.type}) {{", "^bb0(%e: f32, %v: f32, %o: f32):"]
    else:
        lines += [f"linalg.generic {{indexing_maps = [{column}, {identity}], "
                  f"iterator_types = [{kinds}]}} ins(%bias : {bias.type}) "
                  f"outs(%{out.name} : {out.type}) {{", "^bb0(%v: f32, %e: f32):"]
    lines += add + [f"  linalg.yield {yielded} : f32",
                    "}" + (f" -> {out.type}" if tensors else "")]
    return ("%r" if tensors else None), operands[:-1] + [bias, out], 1


def contraction(rng, lhs, rhs, out, work, largest=200):
    """A product whose operands have these dimensions, in some order."""
    tensors = rng.random() < 0.5
    dims = sorted(set(lhs + rhs + out))
    maps = []
    for part in (lhs, rhs, out):
        part = list(part)
        if rng.random() < 0.7:
            rng.shuffle(part)
        maps.append(part)
    operands = [operand(rng, name, len(part), tensors) for name, part in zip("abc", maps)]
    lines = []

    def emit(init):
        types = ", ".join(o.type for o in operands[:2])
        text = (f"linalg.contract indexing_maps = [{', '.join(affine(dims, m) for m in maps)}] "
                f"ins(%a, %b : {types}) outs({init} : {operands[2].type})")
        return text + (f" -> {operands[2].type}" if tensors else "")

    channel = rng.randrange(len(out))
    result, arguments, extra = finish(rng, operands, lines, emit, list(maps[2]), channel)
    text = wrap(arguments, lines, result)

    def sample(rng):
        extents = dict(zip(dims, sizes(rng, len(dims), largest, work)))
        shapes = [[extents[d] for d in m] for m in maps]
        if len(arguments) == 4:
            shapes.insert(2, [extents[maps[2][channel]]])
        terms = math.prod(extents[d] for d in dims if d not in out)
        return ",".join(o.spell(rng, s) for o, s in zip(arguments, shapes)), terms + extra

    return Program(text, sample)


def matmul(rng):
    return contraction(rng, ["m", "k"], ["k", "n"], ["m", "n"], 4e5, 300)


def batch_matmul(rng):
    lhs, rhs = ["b", "m", "k"], ["b", "k", "n"]
    broadcast = rng.random()
    if broadcast < 0.15:
        lhs = ["m", "k"]
    elif broadcast < 0.3:
        rhs = ["k", "n"]
    return contraction(rng, lhs, rhs, ["b", "m", "n"], 3e5)


def attention(rng):
    """Two dimensions of the batch, and sometimes two of the others."""
    lhs, rhs, out = ["b", "h", "t", "d"], ["b", "h", "s", "d"], ["b", "h", "t", "s"]
    if rng.random() < 0.4:
        lhs, rhs = lhs + ["e"], rhs + ["e"]
    if rng.random() < 0.3:
        rhs, out = rhs + ["u"], out + ["u"]
    return contraction(rng, lhs, rhs, out, 2e5, 70)


# Name of the operation, dimensions of image, filter and result; "y" and "x" are
# pixels of the result, "v" and "u" of the filter, "z" and "w" the third ones.
CONVOLUTIONS = {
    "conv_1d": [("conv_1d_nwc_wcf", "nxc", "ucf", "nxf"), ("conv_1d_ncw_fcw", "ncx", "fcu", "nfx")],
    "conv_2d": [("conv_2d_nhwc_hwcf", "nyxc", "vucf", "nyxf"),
                ("conv_2d_nhwc_fhwc", "nyxc", "fvuc", "nyxf"),
                ("conv_2d_nchw_fchw", "ncyx", "fcvu", "nfyx")],
    "conv_2d_grouped": [("conv_2d_ngchw_fgchw", "ngcyx", "fgcvu", "ngfyx"),
                        ("conv_2d_ngchw_gfchw", "ngcyx", "gfcvu", "ngfyx"),
                        ("conv_2d_nhwgc_gfhwc", "nyxgc", "gfvuc", "nyxgf")],
    "depthwise_conv_2d": [("depthwise_conv_2d_nhwc_hwc", "nyxc", "vuc", "nyxc"),
                          ("depthwise_conv_2d_nchw_chw", "ncyx", "cvu", "ncyx"),
                          ("depthwise_conv_2d_nhwc_hwcm", "nyxc", "vucm", "nyxcm")],
    "conv_3d": [("conv_3d_ndhwc_dhwcf", "nzyxc", "wvucf", "nzyxf"),
                ("conv_3d_ncdhw_fcdhw", "nczyx", "fcwvu", "nfzyx")],
}
WINDOWS = {"z": "w", "y": "v", "x": "u"}


def pad(value, low, high, kind):
    indices = ", ".join(f"%i{d}: index" for d in range(len(low)))
    return [f"%padding = arith.constant 0.0 : f32",
            f"%p = tensor.pad {value} low{low} high{high} {{", f"^bb0({indices}):",
            "  tensor.yield %padding : f32", f"}} : {kind} to {kind}"]


def convolution(rng, operator):
    name, image, filters, out = rng.choice(CONVOLUTIONS[operator])
    tensors = rng.random() < 0.7
    pixels = [d for d in "zyx" if d in image]
    strides = {d: rng.choice([1, 1, 2, 3]) for d in pixels}
    dilations = {d: rng.choice([1, 1, 2, 3]) for d in pixels}
    isPadded = tensors and rng.random() < 0.75
    low = [rng.randint(0, 4) if isPadded and d in pixels else 0 for d in image]
    high = [rng.randint(0, 4) if isPadded and d in pixels else 0 for d in image]
    operands = [operand(rng, n, len(part), tensors)
                for n, part in zip("abc", (image, filters, out))]
    lines = []
    if isPadded:
        lines += pad("%a", low, high, operands[0].type)

    def emit(init):
        attributes = ", ".join(
            f"{key} = dense<[{', '.join(str(values[d]) for d in pixels)}]> : "
            f"tensor<{len(pixels)}xi64>"
            for key, values in (("strides", strides), ("dilations", dilations)))
        types = ", ".join(o.type for o in operands[:2])
        text = (f"linalg.{name} {{{attributes}}} ins({'%p' if isPadded else '%a'}, %b : {types}) "
                f"outs({init} : {operands[2].type})")
        return text + (f" -> {operands[2].type}" if tensors else "")

    channel = out.index(rng.choice([d for d in out if d not in pixels]))
    result, arguments, extra = finish(rng, operands, lines, emit, list(out), channel)
    text = wrap(arguments, lines, result)

    def sample(rng):
        dims = sorted(set(image + filters + out))
        extents = {d: rng.choice([0, 1, 1, 2, 3, 3, 3, 4, 5, 7]) if d in "wvu" and rng.random() < 0.9
                   else 3 for d in dims}
        others = [d for d in dims if d not in "wvu"]
        area = max(1, math.prod(extents[d] for d in dims if d in "wvu"))
        for dim, extent in zip(others, sizes(rng, len(others), 40, 2e5 / area)):
            extents[dim] = extent
        shapes = [[], [extents[d] for d in filters], [extents[d] for d in out]]
        for dim, before, after in zip(image, low, high):
            if dim not in pixels:
                shapes[0].append(extents[dim])
                continue
            reach = ((extents[dim] - 1) * strides[dim]
                     + (extents[WINDOWS[dim]] - 1) * dilations[dim] + 1)
            slack = rng.choice([0, 0, strides[dim] - 1, 2])
            shapes[0].append(max(0, reach + slack - before - after))
        if len(arguments) == 4:
            shapes.insert(2, [shapes[2][channel]])
        terms = math.prod(extents[d] for d in dims if d not in out)
        return ",".join(o.spell(rng, s) for o, s in zip(arguments, shapes)), terms + extra

    return Program(text, sample)


# Of rows. They are raised on tensors only, which are dense.


def elementwise(rng):
    """(x + y) * v for elements, with y and v broadcast and transposed."""
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    maps = [names] + [rng.sample(names, rng.randint(0, rank)) for _ in range(2)] + [names]
    if rng.random() < 0.5:
        maps[0] = rng.sample(names, rank)
    operands = [Operand(n, len(m), "tensor") for n, m in zip("abcd", maps)]
    out = operands[-1]
    kinds = ", ".join(['"parallel"'] * rank)
    lines = [f"%r = linalg.generic {{indexing_maps = "
             f"[{', '.join(affine(names, m) for m in maps)}], iterator_types = [{kinds}]}} "
             f"ins(%a, %b, %c : {', '.join(o.type for o in operands[:3])}) "
             f"outs(%d : {out.type}) {{", "^bb0(%x: f32, %y: f32, %v: f32, %o: f32):",
             "  %1 = arith.addf %x, %y : f32", "  %2 = arith.mulf %1, %v : f32",
             "  linalg.yield %2 : f32", f"}} -> {out.type}"]
    text = wrap(operands, lines, "%r")

    def sample(rng):
        extents = dict(zip(names, sizes(rng, rank, 300, 3e4)))
        shapes = [[extents[d] for d in m] for m in maps]
        return ",".join(o.spell(rng, s) for o, s in zip(operands, shapes)), 2

    return Program(text, sample)


def reduce(rng):
    """The sum, or the largest, over one of the dimensions."""
    rank = rng.randint(1, 4)
    dims = list(range(rank))
    reduced = [rng.choice(dims)]
    kept = [d for d in dims if d not in reduced]
    isSum = rng.random() < 0.7
    operands = [Operand("a", rank, "tensor"), Operand("c", len(kept), "tensor")]
    out = operands[-1]
    op = "arith.addf" if isSum else "arith.maximumf"
    text = (f"%r = linalg.reduce {{ {op} }} ins(%a : {operands[0].type}) "
            f"outs(%c : {out.type}) dimensions = {reduced}")
    text = wrap(operands, [text], "%r")

    def sample(rng):
        extents = sizes(rng, rank, 300, 3e4)
        shapes = [extents, [extents[d] for d in kept]]
        terms = math.prod(extents[d] for d in reduced)
        return (",".join(o.spell(rng, s) for o, s in zip(operands, shapes)),
                terms if isSum else 0)

    return Program(text, sample)


def transpose(rng):
    rank = rng.randint(1, 4)
    permutation = rng.sample(range(rank), rank)
    operands = [Operand(name, rank, "tensor") for name in "ac"]
    text = (f"%r = linalg.transpose ins(%a : {operands[0].type}) "
            f"outs(%c : {operands[1].type}) permutation = {permutation}")
    text = wrap(operands, [text], "%r")

    def sample(rng):
        extents = sizes(rng, rank, 300, 3e4)
        shapes = [extents, [extents[p] for p in permutation]]
        return ",".join(o.spell(rng, s) for o, s in zip(operands, shapes)), 0

    return Program(text, sample)


def softmax(rng):
    rank = rng.randint(1, 4)
    dim = rng.choice([rank - 1, rng.randrange(rank)])
    operands = [Operand("a", rank, "tensor"), Operand("c", rank, "tensor")]
    kind = operands[0].type
    text = wrap(operands, [f"%r = linalg.softmax dimension({dim}) ins(%a : {kind}) "
                           f"outs(%c : {kind}) -> {kind}"], "%r")

    def sample(rng):
        extents = sizes(rng, rank, 300, 2e4)
        return (",".join(o.spell(rng, extents) for o in operands),
                extents[dim] + 12)

    return Program(text, sample)


OPERATORS = {
    "matmul": matmul,
    "batch_matmul": batch_matmul,
    "attention": attention,
    **{name: (lambda rng, name=name: convolution(rng, name)) for name in CONVOLUTIONS},
    "elementwise": elementwise,
    "reduce": reduce,
    "softmax": softmax,
    "transpose": transpose,
}


# Running


class Result:
    def __init__(self):
        self.shapes = self.failures = self.programs = self.empty = 0
        self.kernels = {"aligned": 0, "general": 0}
        self.error = self.fraction = 0.0


class Sweep:
    def __init__(self, options):
        self.options = options

    def fail(self, result, file, shape, message):
        result.failures += 1
        print(f"FAILED: {message}\n  {self.options.run} {file} --check "
              f"--max-kernels {self.kernels} --arg-shapes {shape}", flush=True)

    def run_program(self, file, samples, result):
        """Runs the shapes; those after one that ends the process in another."""
        while samples:
            command = [self.options.run, file, "--check", "--json",
                       f"--max-kernels={self.kernels}",
                       f"--tolerance={max(max(gamma(r) for _, r in samples), 1e-7)}"]
            for shape, _ in samples:
                command.append(f"--arg-shapes={shape}")
            process = subprocess.run(command, capture_output=True, text=True)
            runs = []
            if process.stdout.startswith("{"):
                runs = json.loads(process.stdout)["runs"]
            for (shape, roundings), run in zip(samples, runs):
                self.judge(file, shape, gamma(roundings), run, result)
            samples = samples[len(runs):]
            if samples:
                lines = process.stderr.strip().splitlines() or [f"exit {process.returncode}"]
                self.fail(result, file, samples[0][0], lines[0])
                result.shapes += 1
                samples = samples[1:] if runs or "dispatch" not in lines[0] else []
            elif process.returncode not in (0, 1):
                self.fail(result, file, "...", f"exit {process.returncode}")

    def judge(self, file, shape, bound, run, result):
        result.shapes += 1
        error = run.get("maxError")
        if error is None or error > bound:
            self.fail(result, file, shape, f"error {error}, bound {bound:.2e}")
            return
        result.error = max(result.error, error)
        if bound:
            result.fraction = max(result.fraction, error / bound)
        result.empty += not run["kernels"]
        for kernel in run["kernels"]:
            for twin in result.kernels:
                result.kernels[twin] += twin in kernel["name"]

    def sweep(self, operator, folder):
        options = self.options
        rng = random.Random(f"{options.seed} {operator}")
        result = Result()
        while result.shapes < options.shapes:
            program = OPERATORS[operator](rng)
            file = os.path.join(folder, f"{operator}-{result.programs}.mlir")
            with open(file, "w") as stream:
                stream.write(program.text)
            count = min(options.per_program, options.shapes - result.shapes)
            self.kernels = options.max_kernels or rng.choice([1, 2, 2, 8])
            samples = []
            for _ in range(count):
                rng.aligned = rng.random() < 0.4
                samples.append(program.sample(rng))
            self.run_program(file, samples, result)
            result.programs += 1
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", default="dietcode-run", help="the tool")
    parser.add_argument("--operator", action="append", choices=OPERATORS,
                        help="may be given several times (default: all)")
    parser.add_argument("--shapes", type=int, default=500, help="of each operator")
    parser.add_argument("--per-program", type=int, default=32,
                        help="shapes that one process runs")
    parser.add_argument("--max-kernels", type=int, default=0,
                        help="micro-kernels of a program (default: 1, 2 or 8)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs, to run them again")
    options = parser.parse_args()
    sweep = Sweep(options)
    failures = 0
    print(f"{'operator':18} {'programs':>8} {'shapes':>6} {'empty':>6} {'aligned':>8} "
          f"{'general':>8} {'failures':>8} {'largest error':>14} {'of its bound':>13}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for operator in options.operator or OPERATORS:
            result = sweep.sweep(operator, folder)
            failures += result.failures
            print(f"{operator:18} {result.programs:8} {result.shapes:6} {result.empty:6} "
                  f"{result.kernels['aligned']:8} {result.kernels['general']:8} "
                  f"{result.failures:8} {result.error:14.1e} {result.fraction:13.1%}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
