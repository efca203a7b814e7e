"""inject.py FILE FOLDER HOW REASON

Tunes FILE while the candidate that FOLDER/victim names fails in a way, and
compares with FOLDER/all.jsonl, where it does not.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

BATCH = 4
file, folder, how, reason = sys.argv[1:]
folder = pathlib.Path(folder)
victim = (folder / "victim").read_text()


def tune(name, *options, **environment):
    out = folder / (name + ".mlir")
    subprocess.run(["dietcode-tune", file, "-o", str(out), *options],
                   env={**os.environ, **environment}, check=True,
                   stderr=subprocess.DEVNULL)
    return out.read_text()


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


environment = {"DIETCODE_MEASURE_INJECT": f"{how}:{victim}"}
if how == "ptxas":
    fake = folder / "ptxas"
    fake.write_text(f"""#!/bin/sh
case "$*" in *--version*) echo "release 1.0, V1.0.0"; exit 0;; esac
if grep -q "{victim}_" /dev/fd/3; then
  echo "ptxas fatal   : not this one" >&2; exit 255
fi
exit 0
""")
    fake.chmod(0o755)
    environment = {"DIETCODE_PTXAS": str(fake)}
records = folder / (how + ".jsonl")
tuned = tune(how, "--trials=4", "--batch=4", "--timeout=2", "--workers=2",
             "--records=" + str(records), **environment)
if "simt_" + victim in tuned:
    sys.exit(f"{victim} is used although it failed")

found = read(records)
failed = [record for record in found if record["status"] != "ok"]
if len(failed) != 1 or failed[0]["schedule"] != victim:
    sys.exit(f"failed: {failed}")
text = failed[0]["status"] + ": " + failed[0]["error"]
if not re.search("^" + reason, text):
    sys.exit(f"the reason is '{text}'")

others = [record for record in found[:BATCH] if record["status"] == "ok"]
expected = [record for record in read(folder / "all.jsonl")[:BATCH]
            if record["schedule"] != victim]
for record in others + expected:
    del record["toolchain"]
if others != expected:
    sys.exit(f"other candidates have changed: {others}")

without = folder / (how + "-without.jsonl")
without.write_text("".join(
    line + "\n" for line in records.read_text().splitlines()
    if json.loads(line)["schedule"] != victim))
if tune("without", "--model-only", "--records=" + str(without)) != tuned:
    sys.exit("the result is another one than without the candidate")
