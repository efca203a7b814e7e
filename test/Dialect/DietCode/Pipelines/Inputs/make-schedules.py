#!/usr/bin/env python3
"""Writes a module with one operator for each of the given schedules.

Usage: make-schedules.py [--transpose-a] [--transpose-b] [--factor f16] [--out f16] [--sums f16] [--plain] SCHEDULE...

A schedule is written like 128x128x8_8x8, 16x64x32_2x4_s1_k4_v2_nm or 128x128x32_64x64_mma. Sizes, strides and
offsets are all dynamic, unless --plain, so that both twins of each micro-kernel are generated.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[5] / "build_tools"))
import schedule_text  # noqa: E402

MODULE = """dietcode.micro_kernel @{kernel} {schedule}
dietcode.dispatch @dispatch_{name} on () {{
  case -> @{kernel}
  otherwise -> @{kernel}
}}
func.func @f_{name}(%a: {factor}, %b: {factor}, %c: {out}) {{
  dietcode.matmul {flags}dispatch(@dispatch_{name})
      ins(%a, %b : {factor}, {factor}) outs(%c : {out})
  return
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transpose-a", action="store_true")
    parser.add_argument("--transpose-b", action="store_true")
    parser.add_argument("--factor", default="f32")
    parser.add_argument("--out", default="f32")
    parser.add_argument("--sums")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("schedules", nargs="+", metavar="SCHEDULE")
    args = parser.parse_args()
    flags = "transpose_a " * args.transpose_a + "transpose_b " * args.transpose_b
    if args.sums:
        flags += f"sums({args.sums}) "
    layout = "" if args.plain else ", strided<[?, ?], offset: ?>"
    for name in args.schedules:
        print(MODULE.format(name=name, kernel=schedule_text.micro_kernel(name),
                            schedule=schedule_text.attribute(name), flags=flags,
                            factor=f"memref<?x?x{args.factor}{layout}>", out=f"memref<?x?x{args.out}{layout}>"))


if __name__ == "__main__":
    main()
