#!/usr/bin/env python3
"""Writes the PTX that a module compiled by dietcode-to-llvm embeds.

Usage: extract-ptx.py [COMPILED.mlir] > kernels.ptx

Reads the MLIR text from a file or from standard input. Exits with 1 if there is
no gpu.object with assembly in it.
"""

import re
import sys


def unescape(text):
    """Undoes MLIR's \\XX escapes in a string attribute."""
    return re.sub(r"\\([0-9A-Fa-f]{2}|.)",
                  lambda m: chr(int(m.group(1), 16)) if len(m.group(1)) == 2 else m.group(1), text)


def main():
    source = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    objects = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', source.read())
    if not objects:
        sys.exit("error: the module holds no gpu.object with PTX; compile it with "
                 "dietcode-opt --dietcode-to-llvm")
    for ptx in objects:
        sys.stdout.write(unescape(ptx).rstrip("\0"))


if __name__ == "__main__":
    main()
