#!/usr/bin/env python3
"""Checks operators on rows with given schedules over many shapes on the virtual GPU.

Usage: run-rows.py [--shapes N] [--seed S] SCHEDULE...

A schedule, such as 4x256x1_1x8_rows, serves reductions of rows and of columns, or else elementwise operators and a
transposition, in f32 and in f16, contiguous and with any strides and offsets. Shapes are random ones, besides those
at the ends of the tile: rows that it holds and longer ones, none at all. Prints how many runs were right.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "build_tools"))
import schedule_text  # noqa: E402

HEADER = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
"""

# The operands of an operator, by the extents that they have, and its body.
ROWS = {
    "softmax": (["mn", "mn"], "#id, #id", """
    %max = dietcode.reduce_row maximumf %e : f32
    %0 = arith.subf %e, %max : f32
    %1 = math.exp %0 : f32
    %sum = dietcode.reduce_row add %1 : f32
    %2 = arith.divf %1, %sum : f32
    dietcode.yield %2 : f32"""),
    "sums": (["mn", "m"], "#id, #row", """
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32"""),
    "columns": (["nm", "m"], "#swapped, #row", """
    %0 = dietcode.reduce_row add %e : f32
    dietcode.yield %0 : f32"""),
}
ELEMENTS = {
    "scale": (["mn", "mn"], "#id, #id", """
    %0 = arith.addf %e, %e : f32
    dietcode.yield %0 : f32"""),
    "transpose": (["nm", "mn"], "#swapped, #id", """
    dietcode.yield %e : f32"""),
    "broadcast": (["n", "mn"], "#column, #id", """
    %0 = math.exp %e : f32
    dietcode.yield %0 : f32"""),
}


def buffer(extents, element, layout):
    return f"memref<{'?x' * len(extents)}{element}{layout(len(extents))}>"


def plain(_):
    return ""


def strided(rank):
    return f", strided<[{', '.join('?' * rank)}], offset: ?>"


def function(name, element, layout):
    """One operator; halves are computed in f32."""
    (read, written), maps, body = (ROWS | ELEMENTS)[name]
    x, y = buffer(read, element, layout), buffer(written, element, layout)
    if element == "f16":
        body = "\n    %e = arith.extf %h : f16 to f32" + body
        at = body.rindex("dietcode.yield")
        value = body[at:].split()[1]
        body = body[:at] + f"%out = arith.truncf {value} : f32 to f16\n    dietcode.yield %out : f16"
    argument = "%h: f16" if element == "f16" else "%e: f32"
    return f"""
func.func @{name}_{element}_{layout.__name__}(%x: {x}, %y: {y}) {{
  dietcode.rowwise dispatch(@only) ins(%x : {x}) outs(%y : {y}) maps [{maps}] do {{
  ^bb0({argument}):{body}
  }}
  return
}}
"""


def spell(rng, sizes, layout):
    text = "x".join(map(str, sizes))
    if layout is plain:
        return text
    step = rng.choice([1, 1, 2])
    strides = [step]
    for size in sizes[:0:-1]:
        strides.insert(0, max(1, size) * strides[0] + rng.randrange(9))
    return f"{text}:{'x'.join(map(str, strides))}+{rng.randrange(9)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("schedules", nargs="+")
    args = parser.parse_args()
    right = 0
    for number, schedule in enumerate(args.schedules):
        rng = random.Random(args.seed * 1000 + number)
        rows, columns = (int(size) for size in schedule.split("x")[:2])
        shapes = [(0, 5), (5, 0), (1, 1), (rows, columns), (rows + 1, columns + 1), (3, 3 * columns - 1),
                  (2 * rows, columns // 2)]
        shapes += [(rng.randrange(1, 3 * rows), rng.randrange(1, 3 * columns)) for _ in range(args.shapes)]
        shapes += [(rng.randrange(1, 3 * rows), 8 * rng.randrange(1, 3 + columns // 4)) for _ in range(args.shapes)]
        names = ROWS if "_rows" in schedule else ELEMENTS
        module = HEADER + f"dietcode.micro_kernel @k {schedule_text.attribute(schedule)}\n"
        module += "dietcode.dispatch @only on () {\n  case -> @k\n  otherwise -> @k\n}\n"
        runs = []
        for name in names:
            for element in ("f32", "f16"):
                for layout in (plain, strided):
                    module += function(name, element, layout)
                    read, written = names[name][0]
                    runs.append((f"{name}_{element}_{layout.__name__}", [
                        "--arg-shapes=" + ",".join(
                            spell(rng, [{"m": m, "n": n}[d] for d in extents], layout)
                            for extents in (read, written)) for m, n in shapes]))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as source:
            source.write(module)
            source.flush()
            for entry, arguments in runs:
                # An output in f16 is rounded once; the rest is in f32.
                tolerance = "5e-4" if "f16" in entry else "1e-5"
                done = subprocess.run(["dietcode-run", source.name, "--entry", entry, "--check", "--tolerance", tolerance,
                                       *arguments], capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{schedule} {entry}:\n{done.stdout}{done.stderr}")
                right += len(arguments)
    print(f"{right} runs are right")


if __name__ == "__main__":
    main()
