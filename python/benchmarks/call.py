#!/usr/bin/env python3
"""Prints what a call from Python costs on the host, and how calls scale over threads.

The first figures are of calls without rows, which check and convert their arguments, decide,
and launch nothing; `build/benchmarks/bench-call` prints the share of the C interface in
them. Times are of the processor, in microseconds, the best of several rounds.
"""

import os
import threading
import time

os.environ["DIETCODE_DEVICE"] = "virtual:t4"
# So that threads of a launch do not compete with those of the callers.
os.environ["DIETCODE_VGPU_THREADS"] = "1"

import numpy as np

import dietcode as dc

T = dc.DynShapeVar("T", 1, 128)


def microseconds(call, count=20000, rounds=5):
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - start) / count * 1e6)
    return best


def calls_per_second(call, threads, count):
    def work():
        for _ in range(count):
            call()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * count / (time.perf_counter() - start)


def main():
    dense = dc.Workload(lambda x, w, b: dc.matmul(x, w, transpose_b=True, epilogue=lambda y: y + b),
                        args=[(T, 32), (16, 32), (16,)], name="dense")
    kernel = dc.compile(dense)
    weight, bias = np.ones((16, 32), "float32"), np.ones(16, "float32")

    def made(rows, layout=np.ascontiguousarray):
        x = layout(np.ones((rows, 32), "float32"))
        return lambda: kernel(x, weight, bias)

    print(f"{microseconds(made(0)):8.2f}  a call with three arrays of NumPy, nothing to launch")
    transposed = np.ones((32, 16), "float32").T
    x = np.ones((0, 32), "float32")
    print(f"{microseconds(lambda: kernel(x, transposed, bias)):8.2f}  the same, one of them transposed")
    call = made(37)
    call()
    for threads in (1, 2):
        rate = calls_per_second(call, threads, 300)
        print(f"{rate:8.0f}  calls with 37 rows a second on the virtual T4, {threads} threads")


if __name__ == "__main__":
    main()
