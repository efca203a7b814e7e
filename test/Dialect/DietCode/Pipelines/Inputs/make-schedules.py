#!/usr/bin/env python3
"""Writes a module with one operator for each of the given schedules.

Usage: make-schedules.py [--transpose-a] [--transpose-b] SCHEDULE...

A schedule is written like 128x128x8_8x8 or 16x64x32_2x4_s1_k4_v2_nm. Sizes, strides and offsets are all
dynamic, so that both twins of each micro-kernel are generated.
"""

import argparse

MODULE = """dietcode.micro_kernel @simt_{name} #dietcode.schedule<block = [{block}], thread = [{thread}]{rest}>
dietcode.dispatch @dispatch_{name} on () {{
  case -> @simt_{name}
  otherwise -> @simt_{name}
}}
func.func @f_{name}(%a: {type}, %b: {type}, %c: {type}) {{
  dietcode.matmul {flags}dispatch(@dispatch_{name})
      ins(%a, %b : {type}, {type}) outs(%c : {type})
  return
}}
"""


def spell(refinement):
    """The attribute's spelling of a part of a name, such as s1 or nm."""
    if refinement == "nm":
        return "order = [n, m]"
    parameter = {"s": "stages", "k": "split", "v": "vector"}[refinement[0]]
    return f"{parameter} = {refinement[1:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transpose-a", action="store_true")
    parser.add_argument("--transpose-b", action="store_true")
    parser.add_argument("schedules", nargs="+", metavar="SCHEDULE")
    args = parser.parse_args()
    flags = "transpose_a " * args.transpose_a + "transpose_b " * args.transpose_b
    for name in args.schedules:
        block, thread, *others = name.split("_")
        block, thread = (tile.replace("x", ", ") for tile in (block, thread))
        rest = "".join(", " + spell(other) for other in others)
        print(MODULE.format(name=name, block=block, thread=thread, rest=rest, flags=flags,
                            type="memref<?x?xf32, strided<[?, ?], offset: ?>>"))


if __name__ == "__main__":
    main()
