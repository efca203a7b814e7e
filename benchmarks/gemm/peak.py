#!/usr/bin/env python3
"""How near large products come to the peak of the device, by the model of virtual:t4.

Usage: peak.py [--build DIR] [--size 4096] [--chosen] [PRODUCT...]

A product is sgemm (f32), hgemm (f16, summed up in f32, written in f16), hgemm-f32 (written in f32), hgemm-f16 (summed
up in f16) or igemm (i8, i32). For each, times the kernel that the pipeline chooses for the shape by the device table
alone, and those of SCHEDULES, with the registers that ptxas counts if it is found. No time is one of a T4.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "build_tools"))
import schedule_text  # noqa: E402

# Factors, destination, what is stated of the sums, and operations per cycle and SM: 64 fused multiply-adds, or those
# of the tensor cores, 512 in half precision and twice as many of bytes (lib/Target/Devices/Turing.cpp).
PRODUCTS = {
    "sgemm": ("f32", "f32", "", 64),
    "hgemm": ("f16", "f16", "", 512),
    "hgemm-f32": ("f16", "f32", "", 512),
    "hgemm-f16": ("f16", "f16", "sums(f16) ", 512),
    "igemm": ("i8", "i32", "", 1024),
}
SCHEDULES = {
    "sgemm": ["128x128x8_8x8", "128x256x8_8x16", "256x128x8_16x8", "128x64x16_8x8"],
    "hgemm": ["128x256x32_64x64_mma_mnm", "256x128x32_64x64_mma_mnm", "128x128x32_64x64_mma_mnm",
              "128x256x32_64x64_mma"],
    "hgemm-f32": ["128x256x32_64x64_mma_mnm", "256x128x32_64x64_mma_mnm"],
    "hgemm-f16": ["128x256x32_64x64_mma16_mnm", "256x128x32_64x64_mma16_mnm", "256x256x16_64x128_mma16_mnm"],
    "igemm": ["128x128x32_64x64_mma8_mnm", "128x256x32_64x64_mma8_mnm"],
}
CLOCK_HZ = 1590e6
SMS = 40
BYTES = {"f16": 2, "f32": 4, "i8": 1, "i32": 4}


def run(command, text=None, **kwargs):
    done = subprocess.run(command, input=text, capture_output=True, text=True, **kwargs)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def make_module(product, size, schedule):
    factor, out, sums, _ = PRODUCTS[product]
    a, c = (f"memref<{size}x{size}x{t}>" for t in (factor, out))
    head, dispatch = "", ""
    if schedule:
        head = f"dietcode.micro_kernel @k {schedule_text.attribute(schedule)}\n"
        head += "dietcode.dispatch @d on () {\n  case -> @k\n  otherwise -> @k\n}\n"
        dispatch = "dispatch(@d) "
    return f"""{head}func.func @f(%a: {a}, %b: {a}, %c: {c}) {{
  dietcode.matmul {sums}{dispatch}ins(%a, %b : {a}, {a}) outs(%c : {c})
  return
}}
"""


def choose(args, product):
    """The name of the schedule that the pipeline chooses."""
    text = run([args.opt, "-", "--dietcode-select"], make_module(product, args.size, None))
    return re.search(r"dietcode.micro_kernel @(?:simt|warp)_(\S+)", text).group(1)


def measure(args, product, schedule):
    factor, out, _, macs = PRODUCTS[product]
    module = run([args.opt, "-", "--dietcode-to-llvm"], make_module(product, args.size, schedule))
    ptx = run([sys.executable, os.path.join(ROOT, "build_tools", "extract-ptx.py")], module)
    kernel = re.search(r"\.entry (\w+_aligned)\(", ptx).group(1)
    threads = re.search(r"\.entry " + kernel + r"\(.*?\.(?:req|max)ntid (\d+)", ptx, re.S).group(1)
    m, n = (int(x) for x in schedule.split("_")[0].split("x")[:2])
    size = args.size
    tiles = -(-size // m) * -(-size // n)
    arguments = []
    for kind in (factor, factor, out):
        arguments += ["i64:0", f"zero:{size * size * BYTES[kind]}", "i64:0"]
        arguments += [f"i64:{value}" for value in (size, size, size, 1)]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        report = json.loads(run([args.run, "--ptx", file.name, "--kernel", kernel, "--grid", f"{tiles},1,1", "--block",
                                 f"{threads},1,1", "--time", "--json", *arguments],
                                env=dict(os.environ, DIETCODE_DEVICE="virtual:t4")))
    return report, 2 * size**3 / (2 * macs * SMS * CLOCK_HZ)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--chosen", action="store_true", help="time only what the pipeline chooses")
    parser.add_argument("products", nargs="*", default=list(PRODUCTS))
    args = parser.parse_args()
    args.opt, args.run = (os.path.join(args.build, "bin", tool) for tool in ("dietcode-opt", "dietcode-run"))
    print(f"{args.size}^3 on virtual:t4 at 1590 MHz (model, not a measurement)")
    print(f"{'product':<10} {'schedule':<30} {'ms':>7} {'of peak':>8}  limited by")
    for product in args.products or PRODUCTS:
        if product not in PRODUCTS:
            sys.exit(f"peak.py: error: there is no product '{product}', only {', '.join(PRODUCTS)}")
        chosen = choose(args, product)
        others = [] if args.chosen else [s for s in SCHEDULES[product] if s != chosen]
        for schedule in [chosen] + others:
            report, least = measure(args, product, schedule)
            mark = " (chosen)" if schedule == chosen else ""
            print(f"{product:<10} {schedule:<30} {1e3 * report['seconds']:7.3f} {100 * least / report['seconds']:6.1f} %  "
                  f"{report['bound']}{mark}", flush=True)


if __name__ == "__main__":
    main()
