"""Kills, interrupts and crowds dietcode-tune, and looks at what is left.

stress.py kill|signal|crowd FILE --rounds N [--seed S] [--keep FOLDER]

kill:   SIGKILL at random moments; each run resumes what the last one left
signal: SIGINT and SIGTERM at random moments
crowd:  eight tuners at a time on one file of records

Each prints one line of figures, and fails at the first thing that is wrong.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PRECIOUS = "// precious\n"


def fail(message):
    sys.exit("stress.py: " + message)


class Tuner:
    """A running dietcode-tune in a session of its own."""

    def __init__(self, folder, file, *options, output="out.mlir"):
        self.process = subprocess.Popen(
            ["dietcode-tune", file, "--records=" + str(folder / "r.jsonl"),
             "-o", str(folder / output), *options],
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True)

    def end(self):
        """Output, status and seconds."""
        start = time.time()
        output = self.process.communicate()[0]
        return output, self.process.returncode, time.time() - start

    def descendants(self):
        """Processes of the session, which are all unless they are dead."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:
                continue
            # The name, in parentheses, may hold anything.
            state, _, _, session = text[text.rindex(")") + 1:].split()[:4]
            if session == str(self.process.pid) and state != "Z":
                found.append(text)
        return found

    def expect_no_descendants(self, seconds=2):
        end = time.time() + seconds
        while self.descendants():
            if time.time() > end:
                fail(f"still running: {self.descendants()}")
            time.sleep(0.01)


def new_folder(args):
    folder = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="stress-"))
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    return folder


def read_records(folder, torn_lines=0):
    """All lines but the torn ones, each of which must be whole."""
    path = folder / "r.jsonl"
    lines = path.read_text().split("\n") if path.exists() else [""]
    if lines.pop() != "":
        fail("the last line of the records has no end")
    records, torn = [], 0
    for line in lines:
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            torn += 1
    if torn > torn_lines:
        fail(f"{torn} lines are torn")
    return records


def key(record):
    return record["operator"], record["schedule"], record["twin"]


def expect_no_doubles(records):
    """A candidate may be timed on further shapes, but nothing twice."""
    runs = collections.Counter(
        (key(record), json.dumps(run["shape"]), run["blocks"])
        for record in records for run in record["runs"])
    doubled = [run for run, count in runs.items() if count > 1]
    if doubled:
        fail(f"measured twice: {doubled[:3]}")


def kill(args):
    folder = new_folder(args)
    random.seed(args.seed)
    before, killed, most_folders = [], 0, 0
    for number in range(args.rounds):
        (folder / "out.mlir").unlink(missing_ok=True)
        # Short ones get to the end, where chosen kernels are timed.
        trials = random.choice([3, 400])
        tuner = Tuner(folder, args.file, f"--trials={trials}", "--batch=2",
                      "--workers=2", f"--seed={number}")
        time.sleep(random.uniform(0.02, args.longest))
        tuner.process.kill()
        output, status, _ = tuner.end()
        killed += status == -signal.SIGKILL
        if status not in (0, -signal.SIGKILL):
            fail(f"status {status}: {output}")
        tuner.expect_no_descendants()
        records = read_records(folder)
        if records[:len(before)] != before:
            fail("a record was lost")
        expect_no_doubles(records)
        before = records
        folders = len(list((folder / "tmp").iterdir()))
        most_folders = max(most_folders, folders)
        if status != 0 and trials == 400 and (folder / "out.mlir").exists():
            fail("there is an output although the run did not come to its end")
    output, status, _ = Tuner(folder, args.file, "--trials=6").end()
    if status != 0:
        fail("the last run failed: " + output)
    after = read_records(folder)
    if after[:len(before)] != before or len(after) == len(before):
        fail("the last run did not go on")
    expect_no_doubles(after)
    if list((folder / "tmp").iterdir()):
        fail("temporary folders are left")
    if most_folders > 1:
        fail(f"{most_folders} temporary folders at a time")
    print(f"kill: {killed} of {args.rounds} runs killed, {len(before)} records "
          f"kept, {len(after)} in the end, none lost, doubled or torn; "
          "no process and no folder left")


def interrupt(args):
    folder = new_folder(args)
    random.seed(args.seed)
    slowest, interrupted = 0, 0
    for number in range(args.rounds):
        (folder / "out.mlir").write_text(PRECIOUS)
        tuner = Tuner(folder, args.file, "--trials=60", "--batch=4",
                      "--workers=2", f"--seed={number}")
        time.sleep(random.uniform(0.1, args.longest))
        which = [signal.SIGINT, signal.SIGTERM][number % 2]
        # From a terminal the whole group gets it.
        send = [os.kill, os.killpg][number // 2 % 2]
        send(tuner.process.pid, which)
        output, status, seconds = tuner.end()
        tuner.expect_no_descendants(0.5)
        if status in (0, -which):  # It was faster, or not even started.
            continue
        if status != 128 + which:
            fail(f"status {status} after {which.name}: {output}")
        if output.count("error:") > 1 or "interrupted" not in output:
            fail("more than one message: " + output)
        if seconds > 2:
            fail(f"took {seconds:.1f} s to end")
        if (folder / "out.mlir").read_text() != PRECIOUS:
            fail("the output was replaced")
        interrupted += 1
        slowest = max(slowest, seconds)
    records = read_records(folder)
    expect_no_doubles(records)
    if list((folder / "tmp").iterdir()):
        fail("temporary folders are left")
    print(f"signal: {interrupted} of {args.rounds} runs interrupted, the slowest "
          f"ended after {slowest:.2f} s, {len(records)} records kept, no process "
          "and no folder left")


def crowd(args):
    folder = new_folder(args)
    lines = 0
    for number in range(args.rounds):
        tuners = [Tuner(folder, args.file, "--trials=2", "--batch=1",
                        "--workers=1", f"--seed={8 * number + i}",
                        output=f"out{i}.mlir") for i in range(8)]
        for tuner in tuners:
            output, status, _ = tuner.end()
            if status != 0:
                fail("a tuner failed: " + output)
        records = read_records(folder)
        if len(records) < lines + 16:
            fail("a record was lost")
        lines = len(records)
    if list((folder / "tmp").iterdir()):
        fail("temporary folders are left")
    print(f"crowd: {args.rounds} rounds of 8 tuners, {lines} records, every line "
          "whole")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kill", "signal", "crowd"])
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=4,
                        help="seconds before a run is killed or interrupted")
    parser.add_argument("--keep", help="folder to work in, which stays")
    args = parser.parse_args()
    {"kill": kill, "signal": interrupt, "crowd": crowd}[args.what](args)


main()
