#!/usr/bin/env python3
"""Tunes a projection for all lengths in one search, compiles it once, and calls it at five
lengths, of which one was not tuned for and one is outside of the declared range. Then it
writes a page about what was tuned.

It is the QKV projection of an encoder with 128 features, for 16 sentences of T tokens.
Times are those of the virtual T4, a model.
"""

import argparse

import numpy as np

import dietcode as dc
from dietcode.report import report

T = dc.DynShapeVar("T", 1, 128)


def project(x, weight, bias):
    return dc.matmul(x, weight, transpose_b=True, epilogue=lambda y: y + bias)


qkv = dc.Workload(
    project,
    args=[(16 * T, 128), dc.Tensor((384, 128), "f32"), (384,)],
    instances=[(5,), (24,), (62,), (128,)],
    weights=[1, 4, 2, 1],
    name="qkv",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--records", default="qkv.jsonl", help="where measurements are kept")
    parser.add_argument("--report", default="report.html", help="the page to write")
    options = parser.parse_args()

    tuned = dc.tune(qkv, device="virtual:t4", trials=options.trials, records=options.records)
    print(f"{tuned.report['trials']} candidates measured on {tuned.report['device']}")
    kernel = dc.compile(tuned)
    random = np.random.default_rng(0)
    weight = random.standard_normal((384, 128), dtype="float32")
    bias = random.standard_normal(384, dtype="float32")
    for t in (5, 24, 37, 128, 150):
        x = random.standard_normal((16 * t, 128), dtype="float32")
        y = kernel(x, weight, bias)
        reference = x.astype("float64") @ weight.T.astype("float64") + bias
        error = np.abs(y - reference).max()
        (operator,) = kernel.explain(T=t).operators
        print(f"T={t}: {y.shape[0]} rows by {operator['chosen']['kernel']}, "
              f"{'right' if error < 1e-4 else 'WRONG'}")
    print("wrote", report(tuned, options.report))


if __name__ == "__main__":
    main()
