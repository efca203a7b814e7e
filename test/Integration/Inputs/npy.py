#!/usr/bin/env python3
"""Writes and shows arrays in .npy files.

Usage: npy.py ones SIZES TYPE FILE     e.g. npy.py ones 3x4096 f16 a.npy
       npy.py values FILE              the distinct values, ascending
"""

import ast
import struct
import sys

FORMATS = {"f16": "e", "f32": "f"}
DESCRIPTIONS = {"<f2": "e", "<f4": "f"}


def write_ones(sizes, kind, path):
    sizes = tuple(int(size) for size in sizes.split("x"))
    count = 1
    for size in sizes:
        count *= size
    letter = FORMATS[kind]
    header = f"{{'descr': '<f{struct.calcsize(letter)}', 'fortran_order': False, 'shape': {sizes}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<" + letter, 1.0) * count)


def show_values(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    letter = DESCRIPTIONS[header["descr"]]
    contents = data[10 + length:]
    values = struct.unpack(f"<{len(contents) // struct.calcsize(letter)}{letter}", contents)
    print(" ".join(str(value) for value in sorted(set(values))))


def main():
    if sys.argv[1] == "ones":
        write_ones(*sys.argv[2:])
    else:
        show_values(sys.argv[2])


if __name__ == "__main__":
    main()
