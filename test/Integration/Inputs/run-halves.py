#!/usr/bin/env python3
"""Checks products of narrow factors over many shapes on the virtual GPU.

Usage: run-halves.py [--shapes N] [--seed S] [--tolerance T] [--factor f16] [--out f32] [--sums f16] SCHEDULE...

Each schedule, such as 64x64x32_32x32_mma_k2, serves all layouts of A and B: plain and transposed, contiguous and
with any strides and offsets. Shapes are random ones below 100 in each dimension, besides tails that matter: below,
at and beyond the tiles, odd leading dimensions, ones and zeros. Prints how many products were right.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "build_tools"))
import schedule_text  # noqa: E402

PRODUCT = """
func.func @{name}(%a: {a}, %b: {b}, %c: {c}) {{
  dietcode.matmul {flags}dispatch(@only) ins(%a, %b : {a}, {b}) outs(%c : {c})
  return
}}
"""

EPILOGUE = """
func.func @epilogue(%a: memref<?x?x{factor}>, %b: memref<?x?x{factor}>, %bias: memref<?x{out}>, %c: memref<?x?x{out}>) {{
  dietcode.matmul accumulate {sums}dispatch(@only) ins(%a, %b : memref<?x?x{factor}>, memref<?x?x{factor}>)
      outs(%c : memref<?x?x{out}>)
      epilogue(%bias : memref<?x{out}>) maps [affine_map<(m, n) -> (n)>] do {{
  ^bb0(%sum: {sum}, %v: {out}):
{body}
  }}
  return
}}
"""

# In the type of the sums, which differs from that of the destination in the second one.
SAME = """    %0 = arith.{add} %sum, %v : {out}
    dietcode.yield %0 : {out}"""
WIDER = """    %0 = arith.extf %v : f16 to f32
    %1 = arith.addf %sum, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    dietcode.yield %2 : f16"""

TAILS = [(1, 107, 105), (2, 3, 4), (1, 705, 705), (7, 7, 7), (1, 1, 1), (5, 9, 0), (0, 8, 8), (8, 0, 8),
         (64, 64, 64), (128, 96, 32), (65, 129, 33), (33, 40, 200)]


def strided(rng, rows, columns):
    """Sizes with strides and an offset."""
    step = rng.choice([1, 1, 2])
    return f"{rows}x{columns}:{max(1, columns) * step + rng.randrange(9)}x{step}+{rng.randrange(9)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tolerance", default="1e-5")
    parser.add_argument("--factor", default="f16")
    parser.add_argument("--out", default="f32")
    parser.add_argument("--sums")
    parser.add_argument("schedules", nargs="+")
    args = parser.parse_args()
    sums = f"sums({args.sums}) " if args.sums else ""
    right = 0
    for number, name in enumerate(args.schedules):
        rng = random.Random(args.seed * 1000 + number)
        shapes = TAILS + [tuple(rng.randrange(1, 100) for _ in range(3)) for _ in range(args.shapes)]
        # Whole vectors, for the aligned twin.
        shapes += [tuple(16 * rng.randrange(1, 9) for _ in range(3)) for _ in range(args.shapes // 2)]
        module = f"dietcode.micro_kernel @k {schedule_text.attribute(name)}\n"
        module += "dietcode.dispatch @only on () {\n  case -> @k\n  otherwise -> @k\n}\n"
        runs = []
        plain, any_layout = "", ", strided<[?, ?], offset: ?>"
        for layout in (plain, any_layout):
            for a in (False, True):
                for b in (False, True):
                    entry = f"f{int(a)}{int(b)}{'s' if layout else ''}"
                    factor, out = (f"memref<?x?x{t}{layout}>" for t in (args.factor, args.out))
                    module += PRODUCT.format(name=entry, a=factor, b=factor, c=out,
                                             flags="transpose_a " * a + "transpose_b " * b + sums)
                    arguments = []
                    for m, n, k in shapes:
                        sizes = [(k, m) if a else (m, k), (n, k) if b else (k, n), (m, n)]
                        spell = (lambda s: strided(rng, *s)) if layout else (lambda s: f"{s[0]}x{s[1]}")
                        arguments += ["--arg-shapes", ",".join(spell(s) for s in sizes)]
                    runs.append((entry, arguments))
        add = "addf" if args.out.startswith("f") else "addi"
        is_wider = args.out == "f16" and not args.sums
        body = WIDER if is_wider else SAME.format(add=add, out=args.out)
        module += EPILOGUE.format(factor=args.factor, out=args.out, sums=sums, body=body,
                                  sum="f32" if is_wider else args.out)
        arguments = []
        for m, n, k in shapes:
            arguments += ["--arg-shapes", f"{m}x{k},{k}x{n},{n},{m}x{n}"]
        runs.append(("epilogue", arguments))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(module)
            file.flush()
            for entry, arguments in runs:
                command = ["dietcode-run", file.name, "--entry", entry, "--check", "--tolerance", args.tolerance]
                done = subprocess.run(command + arguments, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"{name} {entry}: {done.stderr}")
                right += len(arguments) // 2
    print(f"{right} products of {args.factor} are right")


if __name__ == "__main__":
    main()
