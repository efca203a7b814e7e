#!/usr/bin/env python3
"""Stands in for dietcode-tune where the bundle cannot be made: what goes wrong is FAKE_TUNE."""

import json
import os
import pathlib
import sys

what = os.environ["FAKE_TUNE"]
if what == "error":
    sys.exit("dietcode-tune: error: it does not work")
jobs = pathlib.Path(sys.argv[sys.argv.index("--keep-jobs") + 1])
for name in ("jobs", "results", "data"):
    (jobs / name).mkdir(parents=True)
status = {"failed": "crash", "slow": "timeout"}.get(what, "ok")
record = {"schedule": "1x1x1", "twin": "aligned", "runs": [], "error": "it died", "status": status}
job = {"ptx": "data/k.ptx", "buffers": [], "verify": []}
if what == "large":
    with open(jobs / job["ptx"], "w") as ptx:
        ptx.truncate(51_000_000)
if what in ("failed", "large", "slow"):
    (jobs / "jobs" / "a.json").write_text(json.dumps(job))
    (jobs / "results" / "a.json").write_text(json.dumps({"record": record}))
instance = {"m": 64, "n": 64, "k": 64, "kernel": "2x2x2", "measured_seconds": None}
print(json.dumps({"tasks": [{"instances": [instance] if what == "unmeasured" else []}]}))
