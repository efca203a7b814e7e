#!/usr/bin/env python3
"""Compares a report of the GPU check with what the virtual device predicted.

    gpu-report.py REPORT

For each operator: the rank agreement (Spearman) of predicted and measured times
over its runs, and their median ratio. Figures are of the device that is named, and
of no other.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

FEWEST_RANKED = 3  # Runs below which an order says nothing.


def die(message):
    sys.exit(f"gpu-report.py: error: {message}")


def ranks(values):
    """Ties share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for position in range(first, last + 1):
            result[order[position]] = (first + last) / 2
        first = last + 1
    return result


def spearman(a, b):
    """None where there is no order to compare."""
    if len(a) < FEWEST_RANKED:
        return None
    x, y = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    spread = math.sqrt(sum((v - mean) ** 2 for v in x) * sum((v - mean) ** 2 for v in y))
    return sum((u - mean) * (v - mean) for u, v in zip(x, y)) / spread if spread else None


def microseconds(seconds):
    return f"{1e6 * seconds:.1f}"


def print_table(rows):
    """Columns as wide as they need; text to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]).rstrip())


def head(report):
    what = "model, not a measurement" if report["model"] else "measured"
    print(f"device     {report['device']} ({what}), compute capability {report['capability']}")
    for when in ("before", "after"):
        if report[when]:
            print(f"{when:10} " + ", ".join(f"{key} {value}" for key, value in report[when].items()))
        elif not report["model"]:
            print(f"{when:10} clocks and power unknown: no nvidia-smi")
    print(f"predicted  by {report['predicted_on']} (model, not a measurement)")
    version = report["cublas"]
    print("cuBLAS     " + (f"version {version}" if version is not None else f"none: {report['why']}"))


def correctness(jobs):
    failed = [job for job in jobs if job["status"] != "ok"]
    compared = sum(job["verified"] for job in jobs)
    print(f"\n{len(jobs) - len(failed)} of {len(jobs)} jobs ok, {compared} of them compared with a float64 reference")
    for job in failed:
        print(f"  {job['id']} ({job['schedule']} {job['twin']}): {job['status']}: {job['error']}")


def agreement(report):
    operators = {}
    for job in report["jobs"]:
        for run in job["runs"]:
            operators.setdefault(job["name"], []).append(run)
    rows = [("operator", "runs", "rank agreement", "median ratio", "spread")]
    everything = []
    for name, runs in operators.items():
        everything += runs
        rows.append((name, *compare(runs)))
    if not everything:
        return
    rows.append(("all", *compare(everything)))
    print(f"\ntimes on {report['device']} against those that {report['predicted_on']} predicts "
          "(ratio: the former by the latter; spread: of the rounds, median)")
    print_table(rows)


def compare(runs):
    measured = [run["seconds"] for run in runs]
    predicted = [run["predicted_seconds"] for run in runs]
    agreed = spearman(predicted, measured)
    ratio = statistics.median(m / p for m, p in zip(measured, predicted))
    spread = statistics.median((run["max"] - run["min"]) / run["seconds"] for run in runs)
    return (str(len(runs)), "-" if agreed is None else f"{agreed:.3f}", f"{ratio:.3f}", f"{100 * spread:.1f} %")


def products(report):
    rows = [("product", "m", "n", "k", "kernel", "us", "from", "to", "cuBLAS us", "from", "to", "of cuBLAS", "predicted us")]
    failures = []
    for entry in report["products"]:
        name = entry["name"] + " " + "x".join(str(entry["shape"][axis]) for axis in "mnk")
        if "error" in entry:
            failures.append(f"{name}: {entry['error']}")
            continue
        library = entry["cublas"]
        columns = ["-"] * 4
        if library and "error" in library:
            failures.append(f"{name}: cuBLAS: {library['error']}")
        elif library:
            columns = [microseconds(library[key]) for key in ("seconds", "min", "max")]
            columns.append(f"{100 * library['seconds'] / entry['seconds']:.1f} %")
        rows.append((entry["name"], *(str(entry["shape"][axis]) for axis in "mnk"), entry["kernel"],
                     *(microseconds(entry[key]) for key in ("seconds", "min", "max")), *columns,
                     microseconds(entry["predicted_seconds"])))
    print(f"\nchosen kernels on {report['device']}, predicted by {report['predicted_on']}")
    print_table(rows)
    for failure in failures:
        print(f"  {failure}")


def main():
    parser = argparse.ArgumentParser(prog="gpu-report.py", description=__doc__.splitlines()[0])
    parser.add_argument("report", metavar="REPORT", help="as run.sh of the bundle writes it")
    path = parser.parse_args().report
    try:
        report = json.loads(pathlib.Path(path).read_text())
    except OSError as error:
        die(f"cannot read '{path}': {error.strerror}")
    except ValueError as error:
        die(f"'{path}' is no JSON: {error}")
    if not isinstance(report, dict) or report.get("v") != 1 or "jobs" not in report:
        die(f"'{path}' is no report of the GPU check of version 1")
    head(report)
    correctness(report["jobs"])
    agreement(report)
    products(report)


if __name__ == "__main__":
    main()
