"""Makes the bundle of the GPU check; gpu-check.sh calls it, docs/gpu-check.md describes it.

The tuner makes the jobs: what it measures on the virtual device is kept, with what it
found there. Operators are tuned in parallel, and each only if it, or the tuner, is
another than when a bundle was made before.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import operators
import workloads

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE = "virtual:t4"
MOST_BYTES = 50_000_000
PROGRAMS = ("dietcode-cublas", "dietcode-measure")
TUNERS = ("dietcode-tune", "dietcode-measure")
SECONDS = 900  # That a candidate may take on the virtual device.
LEFT_OUT = ("spills", "timeout")  # Of candidates that are slow, and not wrong.


def die(message):
    sys.exit(f"gpu-check.sh: error: {message}")


@dataclass
class Task:
    """What is tuned."""
    name: str
    kind: str
    text: str
    options: list
    workload: workloads.Workload = None


def operator_tasks(groups, trials):
    for functions, options in groups:
        for text in functions:
            name = re.search(r"func\.func @(\w+)", text).group(1)
            yield Task(name, "operator", text, ["--trials", str(trials), "--max-kernels", "1", *options])


def workload_task(workload):
    options = ["--trials", str(workload.trials), "--max-kernels", str(workload.kernels)]
    return Task(workload.name, "workload", workload.text, options, workload)


class Bundle:
    def __init__(self, args):
        self.out = pathlib.Path(args.out)
        self.programs = pathlib.Path(args.build) / "bin"
        self.cache = pathlib.Path(args.build) / "gpu-check"
        self.tuners = hashlib.sha256(b"".join((self.programs / name).read_bytes() for name in TUNERS)).hexdigest()
        self.jobs, self.predicted, self.products = [], {}, []
        self.start = time.monotonic()

    def tune(self, task):
        """Tunes an operator; the folder with the report and the jobs, which is kept."""
        key = hashlib.sha256(json.dumps([self.tuners, task.text, task.options]).encode()).hexdigest()[:16]
        kept = self.cache / f"{task.name}-{key}"
        if kept.exists():
            return kept
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.cache) as temporary:
            folder = pathlib.Path(temporary) / "tuned"
            folder.mkdir()
            (folder / "source.mlir").write_text(task.text)
            command = [self.programs / "dietcode-tune", folder / "source.mlir", "--device", DEVICE, "--workers", 1,
                       "--timeout", SECONDS, "--keep-jobs", folder / "jobs", "--json", "-o", folder / "tuned.mlir",
                       *task.options]
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
            if done.returncode != 0:
                die(f"{task.name}: {done.stderr.strip()}")
            (folder / "report.json").write_text(done.stdout)
            folder.rename(kept)
        return kept

    def store(self, path):
        """Copies a file of a job once, however many jobs have the same."""
        contents = path.read_bytes()
        name = "data/" + hashlib.sha256(contents).hexdigest()[:16] + path.suffix
        (self.out / name).write_bytes(contents)
        return name

    def add_job(self, job, identifier, folder):
        job["id"] = identifier
        job["device"] = ""
        job["ptx"] = self.store(folder / job["ptx"])
        for buffer in job["buffers"]:
            if "file" in buffer:
                buffer["file"] = self.store(folder / buffer["file"])
        for run in job["verify"]:
            for output in run["outputs"]:
                for field in ("expected", "magnitudes"):
                    if output.get(field):
                        output[field] = self.store(folder / output[field])
        self.jobs.append(job)

    def add(self, task, tuned):
        """Adds the jobs of an operator that was tuned; their names and records."""
        name, folder, records = task.name, tuned / "jobs", []
        assert f"{name}-0" not in self.predicted, name
        for path in sorted((folder / "results").glob("*.json")):
            record = json.loads(path.read_text())["record"]
            identifier = f"{name}-{len(records)}"
            if record["status"] in LEFT_OUT:
                print(f"{name}: left out {record['schedule']} {record['twin']}: {record['error']}", flush=True)
                continue
            if record["status"] != "ok":
                shutil.rmtree(tuned)
                die(f"{identifier} ({record['schedule']}): {record['error']}")
            self.add_job(json.loads((folder / "jobs" / path.name).read_text()), identifier, folder)
            records.append((identifier, record))
            self.predicted[identifier] = {"name": name, "kind": task.kind, "runs": [
                run["seconds"] for run in record["runs"]]}
        print(f"{name}: {len(records)} jobs", flush=True)
        return records

    def add_all(self, tasks):
        """What takes longest is tuned first, and all is added in its order."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            running = {task.name: pool.submit(self.tune, task)
                       for task in sorted(tasks, key=lambda task: task.kind == "operator")}
            try:
                for task in tasks:
                    tuned = running[task.name].result()
                    records = self.add(task, tuned)
                    if task.workload:
                        self.add_products(task.workload, json.loads((tuned / "report.json").read_text()), records)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def add_products(self, workload, report, records):
        for row in report["tasks"][0]["instances"]:
            shape = {axis: row[axis] for axis in "mnk"}
            # Of the blocks that were timed the whole grid is the most.
            runs = [(run["blocks"], identifier, index) for identifier, record in records
                    for index, run in enumerate(record["runs"])
                    if record["schedule"] == row["kernel"] and run["shape"] == shape]
            if not runs or row["measured_seconds"] is None:
                die(f"{workload.name}: {row['kernel']} was not measured at {shape}")
            _, identifier, index = max(runs)
            self.products.append({
                "name": workload.name, "shape": shape, "kernel": row["kernel"], "job": identifier,
                "run": index, "cublas": "{}:{}:{m}x{n}x{k}".format(workload.type, workload.layout, **shape)})

    def add_programs(self):
        (self.out / "bin").mkdir()
        for name in PROGRAMS:
            shutil.copy(self.programs / name, self.out / "bin" / name)
            linked = subprocess.run(["ldd", self.programs / name], capture_output=True, text=True).stdout
            if re.search("lib(LLVM|MLIR|cuda)", linked):
                die(f"{name} needs more than the box has:\n{linked}")
        shutil.copy(HERE / "run.py", self.out)
        shutil.copy(HERE.parent / "gpu-report.py", self.out)
        script = self.out / "run.sh"
        script.write_text('#!/bin/sh\nexec python3 "$(dirname "$0")/run.py" "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    def finish(self):
        self.add_programs()
        (self.out / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in self.jobs))
        (self.out / "predicted.json").write_text(json.dumps({
            "device": DEVICE, "jobs": self.predicted, "products": self.products}, indent=1) + "\n")
        sums, total = {}, 0
        for path in sorted(self.out.rglob("*")):
            if path.is_file():
                contents = path.read_bytes()
                total += len(contents)
                sums[str(path.relative_to(self.out))] = hashlib.sha256(contents).hexdigest()
        (self.out / "manifest.json").write_text(json.dumps(sums, indent=1) + "\n")
        if total > MOST_BYTES:
            die(f"the bundle has {total} bytes, more than {MOST_BYTES}; make shapes smaller")
        print(f"{self.out}: {len(self.jobs)} jobs, {total / 1e6:.1f} MB, made in {time.monotonic() - self.start:.0f} s; "
              "copy it to a machine with a GPU and start run.sh in it")


def main():
    parser = argparse.ArgumentParser(prog="gpu-check.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help="few operators and candidates, for tests")
    parser.add_argument("out", metavar="OUT", help="folder to make")
    args = parser.parse_args()
    for name in (*PROGRAMS, *TUNERS):
        program = pathlib.Path(args.build) / "bin" / name
        if not os.access(program, os.X_OK):
            die(f"there is no {program}; build it, or leave out --no-build")
    bundle = Bundle(args)
    try:
        (bundle.out / "data").mkdir(parents=True)
    except FileExistsError:
        die(f"'{args.out}' is there already; give the name of a new folder")
    groups = operators.small() if args.small else operators.correctness()
    tasks = list(operator_tasks(groups, 1 if args.small else 3))
    tasks += map(workload_task, workloads.small() if args.small else workloads.full())
    bundle.add_all(tasks)
    bundle.finish()


if __name__ == "__main__":
    main()
