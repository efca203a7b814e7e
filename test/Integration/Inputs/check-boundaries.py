"""Runs an operator on both sides of every boundary of its dispatch.

Usage: check-boundaries.py FILE FUNCTION ARG-SHAPES DIM...

ARG-SHAPES is a template of dietcode-run's --arg-shapes with {m}, {n}, {k}; DIM
are the dispatched dimensions. For each dimension and each boundary b of a case or
of the domain, runs sizes b - 1, b and b + 1, the other dimensions in the middle
of the case, and checks the results.
"""

import itertools
import re
import subprocess
import sys

CASE = re.compile(r"(\w+) in \[(\d+), (\d+)\]")


def main():
    file, function, template, *dims = sys.argv[1:]
    selected = subprocess.run(["dietcode-opt", "--dietcode-select", file],
                              capture_output=True, text=True, check=True).stdout
    table = re.search(rf"dietcode.dispatch @{function}_matmul on .*?\n  }}", selected, re.S).group(0)
    boxes = [{d: (int(lo), int(hi)) for d, lo, hi in CASE.findall(line)} for line in table.splitlines()
             if "in [" in line]
    points = set()
    for box in boxes:
        middle = {d: (lo + hi) // 2 for d, (lo, hi) in box.items()}
        for dim in dims:
            for bound, step in itertools.product(box[dim], (-1, 0, 1)):
                points.add(tuple(sorted({**middle, dim: bound + step}.items())))
    arguments = []
    for point in sorted(points):
        arguments += ["--arg-shapes", template.format(**dict(point))]
    print(f"{len(boxes) - 1} cases, {len(points)} shapes", flush=True)
    result = subprocess.run(["dietcode-run", file, "--entry", function, "--check", *arguments])
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
