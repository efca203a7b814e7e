"""Makes the bundle of the GPU check; gpu-check.sh calls it, docs/gpu-check.md describes it.

The tuner makes the jobs: what it measures on the virtual device is kept, with what it
found there.
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

import operators
import workloads

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE = "virtual:t4"
MOST_BYTES = 50_000_000
PROGRAMS = ("dietcode-cublas", "dietcode-measure")


def die(message):
    sys.exit(f"gpu-check.sh: error: {message}")


class Bundle:
    def __init__(self, args):
        self.out = pathlib.Path(args.out)
        self.programs = pathlib.Path(args.build) / "bin"
        self.jobs, self.predicted, self.products = [], {}, []

    def tune(self, name, text, options, folder):
        """The tuner's report on a module, all jobs of which are kept in `folder`."""
        source = folder.with_suffix(".mlir")
        source.write_text(text)
        command = [self.programs / "dietcode-tune", source, "--device", DEVICE, "--keep-jobs", folder,
                   "--json", "-o", folder.with_suffix(".tuned.mlir"), *options]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode != 0:
            die(f"{name}: {done.stderr.strip()}")
        return json.loads(done.stdout)

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

    def add(self, name, kind, text, options):
        """Tunes one operator; (report, names and records of its jobs)."""
        assert f"{name}-0" not in self.predicted, name
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "jobs"
            report = self.tune(name, text, options, folder)
            records = []
            for path in sorted((folder / "results").glob("*.json")):
                record = json.loads(path.read_text())["record"]
                identifier = f"{name}-{len(records)}"
                if record["status"] != "ok":
                    die(f"{identifier} ({record['schedule']}): {record['error']}")
                self.add_job(json.loads((folder / "jobs" / path.name).read_text()), identifier, folder)
                records.append((identifier, record))
                self.predicted[identifier] = {"name": name, "kind": kind, "runs": [
                    run["seconds"] for run in record["runs"]]}
        print(f"{name}: {len(records)} jobs", flush=True)
        return report, records

    def add_operators(self, groups, trials):
        for functions, options in groups:
            for text in functions:
                name = re.search(r"func\.func @(\w+)", text).group(1)
                self.add(name, "operator", text, [
                    "--trials", str(trials), "--max-kernels", "1", *options])

    def add_workload(self, workload):
        report, records = self.add(workload.name, "workload", workload.text, [
            "--trials", str(workload.trials), "--max-kernels", str(workload.kernels)])
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
        print(f"{self.out}: {len(self.jobs)} jobs, {total / 1e6:.1f} MB; copy it to a machine with a GPU "
              "and start run.sh in it")


def main():
    parser = argparse.ArgumentParser(prog="gpu-check.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help="few operators and candidates, for tests")
    parser.add_argument("out", metavar="OUT", help="folder to make")
    args = parser.parse_args()
    bundle = Bundle(args)
    for name in (*PROGRAMS, "dietcode-tune"):
        if not os.access(bundle.programs / name, os.X_OK):
            die(f"there is no {bundle.programs / name}; build it, or leave out --no-build")
    try:
        (bundle.out / "data").mkdir(parents=True)
    except FileExistsError:
        die(f"'{args.out}' is there already; give the name of a new folder")
    bundle.add_operators(operators.small() if args.small else operators.correctness(), 1 if args.small else 3)
    for workload in workloads.small() if args.small else workloads.full():
        bundle.add_workload(workload)
    bundle.finish()


if __name__ == "__main__":
    main()
