#!/usr/bin/env python3
"""Checks and times the kernels of this folder on a GPU, and writes one JSON report.

    ./run.sh [--device cuda:0] [-o report.json]

Then gpu-report.py REPORT says how it compares with what was predicted.
"""

import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = 1
TELEMETRY = ("driver_version", "pstate", "clocks.sm", "clocks.mem", "clocks.max.sm", "power.draw", "power.limit",
             "temperature.gpu")


def die(message):
    sys.exit(f"run.sh: error: {message}")


def check_bundle():
    """What was lost or changed on the way here would look like a fault of the GPU."""
    again = "unpack or copy it again"
    try:
        sums = json.loads((HERE / "manifest.json").read_text())
        for name, expected in sums.items():
            if hashlib.sha256((HERE / name).read_bytes()).hexdigest() != expected:
                die(f"the bundle is damaged: {name} is not as it was made; {again}")
    except OSError as error:
        die(f"the bundle is damaged: {error.filename}: {error.strerror}; {again}")
    except ValueError:
        die(f"the bundle is damaged: manifest.json makes no sense; {again}")


def program(name, *arguments):
    """What a program of the bundle prints. What it says of an error is ours."""
    try:
        done = subprocess.run([str(HERE / "bin" / name), *arguments], capture_output=True, text=True)
    except OSError as error:
        die(f"bin/{name} does not start: {error.strerror}; it is for the kind of machine that made the bundle")
    if done.returncode != 0:
        message = done.stderr.strip() or f"bin/{name} ended with status {done.returncode}"
        prefix = f"{name}: error: "
        die(message[len(prefix):] if message.startswith(prefix) else message)
    return done.stdout


def ask_driver(device):
    """Clocks, power and the like, where nvidia-smi is there; else None."""
    if not device.startswith("cuda"):
        return None
    index = device.partition(":")[2] or "0"
    command = ["nvidia-smi", f"--id={index}", f"--query-gpu={','.join(TELEMETRY)}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    values = [value.strip() for value in done.stdout.strip().split(",")]
    return dict(zip(TELEMETRY, values)) if done.returncode == 0 and len(values) == len(TELEMETRY) else None


def measure(args, jobs):
    """The records of all jobs, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        records = pathlib.Path(folder) / "records.jsonl"
        program("dietcode-measure", str(HERE), "--jobs", str(jobs), "-o", str(records), "--device", args.device,
                "--timeout", str(args.timeout), "--quiet")
        return [json.loads(line) for line in records.read_text().splitlines()]


def check_driver(args, lines):
    """A driver that does not know this PTX refuses every job; one is enough to see it."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as one:
        one.write(lines[0] + "\n")
        one.flush()
        record = measure(args, one.name)[0]
    if "UNSUPPORTED_PTX_VERSION" in record["error"]:
        die(f"the driver of {args.device} is too old for the PTX of the bundle ({record['error']}); update it")


def summarize(seconds):
    return {"seconds": statistics.median(seconds), "min": min(seconds), "max": max(seconds), "rounds": len(seconds)}


def describe_job(job, predicted, rounds):
    """One job in all rounds: the first failure, or its times."""
    record = next((r for r in rounds if r["status"] != "ok"), rounds[0])
    entry = {"id": job["id"], "name": predicted["name"], "kind": predicted["kind"], "operator": record["operator"],
             "schedule": record["schedule"], "twin": record["twin"], "status": record["status"],
             "error": record["error"], "registers": record.get("registers", 0), "verified": bool(job["verify"]),
             "runs": []}
    if record["status"] != "ok":
        return entry
    for index, seconds in enumerate(predicted["runs"]):
        runs = [r["runs"][index] for r in rounds]
        entry["runs"].append({"shape": runs[0]["shape"], "blocks": runs[0]["blocks"],
                              **summarize([run["seconds"] for run in runs]), "predicted_seconds": seconds})
    return entry


def describe_product(product, jobs, library):
    entry = {key: product[key] for key in ("name", "shape", "kernel", "job")}
    job = jobs[product["job"]]
    entry["cublas"] = library.get(product["cublas"])
    if job["status"] == "ok":
        run = job["runs"][product["run"]]
        entry.update({key: run[key] for key in ("seconds", "min", "max", "rounds", "predicted_seconds")})
    else:
        entry["error"] = f"{job['status']}: {job['error']}"
    return entry


def run(args):
    predicted = json.loads((HERE / "predicted.json").read_text())
    names = [product["cublas"] for product in predicted["products"]]
    # Before anything takes time: is there such a device?
    lines = program("dietcode-cublas", "--device", args.device).splitlines()
    device = json.loads(lines[0])
    texts = (HERE / "jobs.jsonl").read_text().splitlines()
    jobs = [json.loads(line) for line in texts]
    check_driver(args, texts)
    before = ask_driver(args.device)
    rounds = []
    for number in range(args.rounds):
        print(f"{device['device']}: round {number + 1} of {args.rounds}, {len(jobs)} jobs", file=sys.stderr)
        rounds.append(measure(args, HERE / "jobs.jsonl"))
    answers = program("dietcode-cublas", "--device", args.device, *names).splitlines()
    after = ask_driver(args.device)
    entries = [describe_job(job, predicted["jobs"][job["id"]], records)
               for job, *records in zip(jobs, *rounds)]
    by_id = {entry["id"]: entry for entry in entries}
    library = {}
    for answer in map(json.loads, answers[1:]):
        library[answer.pop("product")] = answer
    return {"v": VERSION, **device, "predicted_on": predicted["device"], "before": before, "after": after,
            "jobs": entries, "products": [describe_product(p, by_id, library) for p in predicted["products"]]}


def main():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0", help="cuda:N, or virtual:t4 to try it out")
    parser.add_argument("-o", "--output", default="report.json", help="the report (default: report.json)")
    parser.add_argument("--rounds", type=int, default=None,
                        help="times that everything is measured (default: 3; 1 on a virtual device)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds that a job may take")
    args = parser.parse_args()
    if args.rounds is None:
        args.rounds = 1 if args.device.startswith("virtual:") else 3
    if args.rounds < 1 or not args.timeout > 0:
        die("--rounds is at least 1, and --timeout positive")
    check_bundle()
    report = run(args)
    try:
        pathlib.Path(args.output).write_text(json.dumps(report, indent=1) + "\n")
    except OSError as error:
        die(f"cannot write '{args.output}': {error.strerror}")
    failed = [job for job in report["jobs"] if job["status"] != "ok"]
    for job in failed:
        print(f"{job['id']}: {job['status']}: {job['error']}", file=sys.stderr)
    print(f"{report['device']}: {len(report['jobs']) - len(failed)} of {len(report['jobs'])} jobs are right; "
          f"the report is {args.output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
